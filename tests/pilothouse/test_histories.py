"""Histories beside a campaign hold; and each kind of breach is found where a bug is planted."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from framework.interlock import Interlock
from framework.keepers import Keepers
from framework.processes.adoption import AdoptedBody
from framework.processes.backoff import Backoff
from framework.processes.body import ProcessBody
from framework.processes.emergency import EmergencyStop
from framework.processes.report_limits import ReportLimits
from framework.processes.watchdog import ChildWatchdog
from framework.registrar import snapshot
from framework.registrar.access import Access
from framework.registrar.catalog import Catalog
from framework.registrar.conditions import Conditions
from framework.registrar.core import RegistrarCore
from framework.registrar.fencing import CommandGate
from framework.registrar.heartbeats import Heartbeats
from framework.registrar.holding import Holding
from framework.registrar.journal import Journal
from framework.registrar.lease import Lease
from framework.registrar.lifecycle import Lifecycle
from framework.registrar.marshalling import Marshalling
from framework.registrar.peers import Peers
from framework.registrar.propagation import Propagation
from framework.registrar.provider_task import ProviderTask
from framework.registrar.provider_tasks import ProviderTasks
from framework.registrar.records import ClientLease, Resource
from framework.registrar.request_all import RequestAll
from framework.registrar.request_optional import _Keeper
from framework.registrar.serving import Serving
from framework.registrar.snapshot import LeaseView
from framework.registrar.statuses import Statuses
from framework.registrar.supply import Supply
from framework.scenarios.invariants import Breach
from framework.state import StateFolder
from framework.supervisor import book, objections, status_words
from framework.supervisor.account import Account
from framework.supervisor.action_service import ActionService
from framework.supervisor.book import PlanBook
from framework.supervisor.follow_ups import FollowUps
from framework.supervisor.last_wishes import LastWishes
from framework.supervisor.latch import Latch
from framework.supervisor.orders import Orders
from framework.supervisor.plan_control import PlanControl
from framework.supervisor.plan_voice import PlanVoice
from framework.supervisor.plans import PlanRecord
from framework.supervisor.questions import ActionQuestion, Question, Questions
from framework.supervisor.repeating import Repeating
from framework.supervisor.understanding import Understanding
from framework.tree import TreeRun, graph
from framework.tree.action import ActionNode
from framework.tree.asked_condition import AskedCondition
from framework.tree.cancel import CancelNode
from framework.tree.change import _Surgery
from framework.tree.composites import SequenceNode
from framework.tree.graph import GraphNode
from framework.tree.node import PlanNode
from framework.tree.places import Place
from framework.tree.ticker import Ticker
from framework.tree.view import NodeState
from pilothouse.testbed.histories import broken_in, names, play_all, play_few, play_history, playing
from resources.controllers.clutch import Clutch

SEEDS = 1
MORE_SEEDS = range(1, 9)
HELD_VIEW = snapshot._held_view
FAIL = Lifecycle.fail
GIVE_BACK = Holding.give_back


@pytest.mark.parametrize("seed", range(SEEDS))
def test_all_histories_hold(seed: int) -> None:
    assert play_few(seed) == ()


@pytest.mark.soak
@pytest.mark.parametrize("seed", MORE_SEEDS)
def test_all_histories_hold_with_all_their_ways(seed: int) -> None:
    assert play_all(seed) == ()


def nothing(*_: object, **__: object) -> None:
    """What should be done is not."""


def last_come_first(access: Access, served: Any) -> None:
    served.resource.queue.insert(0, served)


def none(*_: object) -> list[Any]:
    """There is nothing."""
    return []


def nobody(*_: object) -> str:
    """It was nobody's word."""
    return ""


async def never(*_: object) -> None:
    """It is never done."""


def yes(*_: object) -> bool:
    """It is said to be done."""
    return True


def idle(*_: object) -> NodeState:
    """It has not begun."""
    return NodeState.IDLE


def forgets_nobody(lifecycle: Lifecycle, resource: Resource, *words: Any, **more: Any) -> None:
    """The queue for what has failed is gone through one by one."""
    queue, resource.queue = resource.queue, Uncleared(resource.queue)
    FAIL(lifecycle, resource, *words, **more)
    queue.clear()


class Uncleared(list[Any]):
    """It stays as it is."""

    def clear(self) -> None: ...


def gives_nothing(node: GraphNode, values: object) -> None:
    """What is handed over gets lost."""
    node._given = {}


def known_alone(holding: Holding, sender: str, lease: str) -> ClientLease | None:
    """What is given to who does not know of it stays given."""
    return holding._core.holds.get(lease)


def without_a_word(holding: Holding, server: str, lease: str, **_: object) -> None:
    """What was said when it was let go of is not passed on."""
    GIVE_BACK(holding, server, lease)


def somebody_else(core: RegistrarCore, held: ClientLease) -> LeaseView:
    """What is shown to be had is somebody else's."""
    return msgspec.structs.replace(HELD_VIEW(core, held), who="somebody")


@pytest.mark.parametrize(
    ("where", "name", "instead", "history", "breach"),
    [
        (Access, "_enqueue", last_come_first, "contention.queues", Breach.CONTENTION),
        (Access, "_tell_places", nothing, "contention.queues", Breach.CONTENTION),
        (CommandGate, "open", nothing, "contention.equals", Breach.CONTENTION),
        (Holding, "reprioritise", nothing, "contention.stages_above", Breach.CONTENTION),
        (Conditions, "propagate", nothing, "upbringing.conditions", Breach.UNTOLD),
        (Conditions, "_recover", nothing, "upbringing.conditions", Breach.UPBRINGING),
        (Access, "make_safe", nothing, "upbringing.moving_things_fail", Breach.SURPRISE_MOTION),
        (Peers, "client_silent", nothing, "distance.silence", Breach.SURPRISE_MOTION),
        (Peers, "provider_silent", nothing, "distance.silence", Breach.UNTOLD),
        (Interlock, "since", nothing, "hands.losses", Breach.SURPRISE_MOTION),
        (Keepers, "lets_go", nothing, "hands.kept", Breach.KEEPING),
        (Backoff, "forget", nothing, "children.lives", Breach.UPBRINGING),
        (Backoff, "was_ready_for", nothing, "children.lives", Breach.UPBRINGING),
        (ChildWatchdog, "_forgive_own_absence", nothing, "children.busy", Breach.UPBRINGING),
        (Clutch, "look", nothing, "following.goes_wrong", Breach.SURPRISE_MOTION),
        (Clutch, "_jumped", nothing, "following.goes_wrong", Breach.SURPRISE_MOTION),
        (StateFolder, "_set_aside", nothing, "remembering.damage", Breach.KEEPING),
        (TreeRun, "pause", yes, "plans.as_said", Breach.SURPRISE_MOTION),
        (Serving, "restore", nothing, "distance.restarts", Breach.CONTENTION),
        (Place, "hold", nothing, "edges.responses", Breach.SURPRISE_MOTION),
        (SequenceNode, "_made_room", yes, "plans.room", Breach.DOING),
        (PlanRecord, "pause", yes, "words.orders", Breach.SURPRISE_MOTION),
        (Question, "may_be_answered_by", yes, "asking.asks_first", Breach.SURPRISE_MOTION),
        (PlanNode, "actions_before", none, "results.it", Breach.DOING),
        (Serving, "repeat", yes, "distance.deaf", Breach.UNTOLD),
        (Propagation, "_was_told", nothing, "upbringing.conditions.doubled", Breach.TOLD_TWICE),
        (ActionQuestion, "may_be_answered_by", yes, "asking.actions_ask", Breach.SURPRISE_MOTION),
        (Latch, "reset", yes, "asking.resets", Breach.SURPRISE_MOTION),
        (StateFolder, "_tell", nothing, "remembering.stuck", Breach.UNTOLD),
        (Supply, "retry_now", nothing, "recovering.ailments", Breach.UPBRINGING),
        (Conditions, "condition", nothing, "recovering.ailments", Breach.UPBRINGING),
        (Marshalling, "outward", nothing, "recovering.handles", Breach.NEVER_ENDED),
        (Marshalling, "unsaid", nothing, "recovering.handles", Breach.NEVER_ENDED),
        (Journal, "append", nothing, "contention.equals", Breach.UNTOLD),
        (Statuses, "put", nothing, "upbringing.conditions", Breach.UNTOLD),
        (Serving, "_remember", nothing, "distance.echoes", Breach.UPBRINGING),
        (Holding, "permit_changed", nothing, "hands.pauses", Breach.SURPRISE_MOTION),
        (Interlock, "moves", nothing, "hands.told_to_wait", Breach.KEEPING),
        (EmergencyStop, "remember", nothing, "latches.latch", Breach.SURPRISE_MOTION),
        (ActionNode, "_bound", never, "mishaps.clumsy", Breach.NEVER_ENDED),
        (ReportLimits, "heard", nothing, "children.talks", Breach.UNTOLD),
        (PlanBook, "_say_collisions", nothing, "words.orders", Breach.UNTOLD),
        (Account, "_who_ended", nobody, "accounts.accounts", Breach.UNTOLD),
        (PlanControl, "change", nothing, "accounts.by_number", Breach.DOING),
        (ActionService, "stop", none, "services.ends_others", Breach.SURPRISE_MOTION),
        (Holding, "_timed_out", nothing, "naming.patience", Breach.NEVER_ENDED),
        (Catalog, "_read", nothing, "naming.written", Breach.KEEPING),
        (Statuses, "end", nothing, "contention.equals", Breach.NEVER_ENDED),
        (snapshot, "_held_view", somebody_else, "contention.equals", Breach.UNTOLD),
        (book, "begin_with", none, "talking.moved", Breach.SURPRISE_MOTION),
        (PlanBook, "made_way", never, "talking.moved", Breach.SURPRISE_MOTION),
        (PlanVoice, "_is_too_soon", none, "talking.progress", Breach.UNTOLD),
        (Orders, "what_is_done", nobody, "talking.asked_for", Breach.UNTOLD),
        (objections, "_beyond", nobody, "talking.too_much", Breach.UNTOLD),
        (FollowUps, "_referred", nothing, "talking.same", Breach.SURPRISE_MOTION),
        (ActionNode, "state_now", idle, "changing.left_off", Breach.UNTOLD),
        (_Surgery, "_append", nothing, "changing.edits", Breach.DOING),
        (GraphNode, "start_from", nothing, "changing.standstill", Breach.DOING),
        (AskedCondition, "ask_once", yes, "changing.undecided", Breach.SURPRISE_MOTION),
        (Peers, "_provider_reborn", nothing, "distance.unheard_ends", Breach.UNTOLD),
        (Propagation, "server_lost", nothing, "distance.back_in_vain", Breach.NEVER_ENDED),
        (Serving, "_reconfirm_timed_out", nothing, "distance.left_alone", Breach.DANGLING),
        (Heartbeats, "_judge", nothing, "distance.late_beats", Breach.SURPRISE_MOTION),
        (Holding, "again", nothing, "distance.ranks_unheard", Breach.CONTENTION),
        (Lifecycle, "fail", forgets_nobody, "contention.fails", Breach.TOLD_TWICE),
        (Access, "refuse_without_word", none, "hands.not_begun", Breach.SURPRISE_MOTION),
        (FollowUps, "end", nothing, "talking.the_other", Breach.SURPRISE_MOTION),
        (Repeating, "_give_up", nothing, "asking.again_for_long", Breach.SURPRISE_MOTION),
        (Account, "_between", none, "accounts.accounts", Breach.UNTOLD),
        (ChildWatchdog, "_plan_restart", nothing, "children.comes_back_late", Breach.UPBRINGING),
        (ChildWatchdog, "_undead", "", "children.undead_for_good", Breach.UNTOLD),
        (RequestAll, "_lost", nothing, "contention.reserved", Breach.NEVER_ENDED),
        (ProviderTask, "fail_through", nothing, "faulty.helpers", Breach.UNTOLD),
        (Understanding, "_stops_first", nothing, "outcries.cries", Breach.SURPRISE_MOTION),
        (LastWishes, "refused", nothing, "outcries.nobody_can", Breach.UNTOLD),
        (Questions, "of_actions_for", none, "outcries.joined", Breach.UNTOLD),
        (Orders, "_end_retained", nothing, "kept.drives", Breach.DOING),
        (status_words, "_resources", none, "kept.in_use", Breach.UNTOLD),
        (LastWishes, "corrected", none, "services.put_right", Breach.DOING),
        (GraphNode, "give", gives_nothing, "graphs.nested", Breach.NEVER_ENDED),
        (GraphNode, "said_before", none, "graphs.it", Breach.DOING),
        (GraphNode, "_happened", nothing, "graphs.no_exit", Breach.DOING),
        (graph, "what_waits", nobody, "graphs.held_for_good", Breach.UNTOLD),
        (GraphNode, "_stand_still", nothing, "graphs.beside_each_other", Breach.DOING),
        (_Surgery, "_untouched", _Surgery._reachable, "changing.later", Breach.SURPRISE_MOTION),
        (CancelNode, "state_now", idle, "changing.left_off", Breach.UNTOLD),
        (Ticker, "wake", nothing, "changing.nothing_left", Breach.DOING),
        (ActionNode, "why", "", "changing.why_not", Breach.UNTOLD),
        (Access, "reprioritised", nothing, "contention.rises", Breach.CONTENTION),
        (Access, "_turn_away", nothing, "contention.two_thrown_out", Breach.CONTENTION),
        (Access, "_preempt", nothing, "contention.not_begun", Breach.CONTENTION),
        (Lease, "_pass_on", nothing, "faulty.bodies", Breach.NEVER_ENDED),
        (_Keeper, "_change", nothing, "faulty.absent", Breach.UPBRINGING),
        (Lease, "deliver", nothing, "faulty.handlers", Breach.UNTOLD),
        (ProviderTasks, "commanded", nothing, "faulty.commanded", Breach.CONTENTION),
        (Holding, "release", nothing, "faulty.given_up", Breach.CONTENTION),
        (Propagation, "refuse_circle", nothing, "faulty.alone", Breach.NEVER_ENDED),
        (AdoptedBody, "_refused", nothing, "adopting.claimed", Breach.UNTOLD),
        (AdoptedBody, "close", nothing, "adopting.claimed", Breach.LEAKED),
        (AdoptedBody, "signal", ProcessBody.signal, "adopting.thought_better", Breach.SURPRISE_MOTION),
        (Holding, "_meant", known_alone, "wires.lossy", Breach.LEAKED),
        (Peers, "provider_silent", nothing, "wires.lossy", Breach.UNTOLD),
        (Serving, "_remember", nothing, "wires.lossy", Breach.CONTENTION),
        (Heartbeats, "audited", nothing, "wires.lossy", Breach.NEVER_ENDED),
        (Peers, "client_silent", nothing, "wires.parted", Breach.DANGLING),
        (Peers, "client_silent", nothing, "wires.vanishing", Breach.DANGLING),
        (Propagation, "reassure", nothing, "wires.restarted", Breach.UNTOLD),
        (Holding, "give_back", without_a_word, "wires.spoken", Breach.KEEPING),
    ],
)
def test_a_planted_bug_is_found(
    monkeypatch: pytest.MonkeyPatch,
    where: object,
    name: str,
    instead: Callable[..., object],
    history: str,
    breach: Breach,
) -> None:
    monkeypatch.setattr(where, name, instead)
    played = (play_history(history, seed) for seed in range(12))
    assert any(broken is not None and broken.breach is breach for broken in played)


def test_what_is_found_names_its_history_and_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Access, "_enqueue", last_come_first)
    found = tuple(itertools.islice(broken_in(1), 3))
    assert found
    for each in found:
        name, _, rest = each.words.partition(", seed ")
        assert name in names()
        assert play_history(name, int(rest.partition(":")[0])) == each


def test_a_history_that_computes_for_ever_is_a_breach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "MOST_PROCESSOR_S", 0.1)

    def for_ever(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(Access, "_enqueue", for_ever)
    found = [broken for seed in range(12) if (broken := play_history("contention.queues", seed)) is not None]
    assert Breach.NEVER_ENDED in {each.breach for each in found}
