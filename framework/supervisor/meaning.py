"""Which of the running plans and actions somebody means ("cancel the tracking", "stop plan 2")."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from framework.dialogue.activity import i_am
from framework.dialogue.spelling import words_of
from framework.plan.ast import Do, Plan
from framework.supervisor.plans import PlanRecord
from framework.tree.action import ActionNode
from framework.tree.view import NodeState

_FILLING = frozenset(
    ("the", "a", "an", "my", "your", "that", "this", "it", "plan", "number", "action", "to", "of")
)
_NOT_YET = frozenset((NodeState.IDLE, NodeState.WAITING))
_GOING = frozenset((NodeState.WAITING, NodeState.RUNNING, NodeState.READY, NodeState.ASKING))


class Target:
    """A plan, or one action of a plan that has others beside it."""

    def __init__(self, record: PlanRecord, action: ActionNode | None = None) -> None:
        self.record = record
        self.action = action

    @property
    def words(self) -> str:
        """What it does."""
        return self.action.words if self.action is not None else self.record.words

    @property
    def is_single(self) -> bool:
        """Whether that is one action."""
        return self.action is not None or self.record.is_single

    @property
    def is_quiet(self) -> bool:
        """It is over."""
        return self.action.is_quiet if self.action is not None else not self.record.is_active

    def end(self, why: str, by: str | None) -> None:
        """Tell it to end. by: which operator does, None if nobody does."""
        self.record.end(why, by, self.action)


def meant(what: str, records: Iterable[PlanRecord]) -> list[Target]:
    """What could be meant by these words; everything if there are none.

    A plan by its number or all of its words comes before actions by some of theirs, and these before actions
    by what they say that they do ("stop the left arm").
    """
    running = [record for record in records if record.is_wanted]
    said = _stems(what)
    if not what.strip():
        return [Target(record) for record in running]
    by_plan = [
        Target(record) for record in running if _numbers(what) == [record.id] or said == _stems(record.words)
    ]
    if by_plan:
        return by_plan
    return _of(running, lambda action: bool(said) and said <= _known_as(action)) or _of(
        running, lambda action: bool(said) and said <= _known_by_doing(action)
    )


def to_stop(
    what: str,
    records: Iterable[PlanRecord],
    needs: Callable[[Do], str],
    moved_for: Callable[[ActionNode], str] = lambda action: "",
) -> list[Target]:
    """The same for a stop, all of which ends. needs: what an action needs for itself alone, in words.

    moved_for: what moves for an action that moves nothing itself, in words.

    Where the words name what actions need ("stop the left arm"), everything ends that needs it, says it, or
    is at it; also what only waits for any of that kind, as it would begin the moment that the others end.
    """
    running = [record for record in records if record.is_wanted]
    said = _stems(what)

    def names_its_need(action: ActionNode) -> bool:
        need = _stems(needs(action.do))
        is_next = action.state_now() in _NOT_YET
        if said and said <= _stems(moved_for(action)):
            return True
        return bool(said and need) and (said <= need or (is_next and need <= said))

    if not _numbers(what) and _of(running, names_its_need):
        return _of(running, lambda action: names_its_need(action) or said <= _known_by_doing(action))
    return meant(what, running)


def to_hold(
    records: Iterable[PlanRecord],
    moves: Callable[[Plan], bool],
    moved_for: Callable[[ActionNode], str] = lambda action: "",
) -> tuple[PlanRecord, ...]:
    """What a "no" to nothing in particular means: the plans that move something, or are yet to.

    As a whole: the next motion of a plan must not begin because one of its motions was ended; for the same
    reason a plan that does others again ends with them. moves: whether anything in a plan does.
    moved_for: as of `to_stop`.
    """
    running = tuple(record for record in records if record.is_wanted)
    moving = {
        record.id
        for record in running
        if any(
            not action.state_now().is_over and (moves(action.do) or moved_for(action))
            for action in record.run.actions
        )
    }
    return tuple(record for record in running if moving and (record.id in moving or record.is_repetition))


def _of(running: list[PlanRecord], fits: Callable[[ActionNode], bool]) -> list[Target]:
    """The actions that fit and are not over; a plan with nothing else is meant as a whole."""
    found: list[Target] = []
    for record in running:
        actions = [action for action in record.run.actions if not action.state_now().is_over]
        matching = [action for action in actions if fits(action)]
        if matching and len(matching) == len(actions):
            found.append(Target(record))
        else:
            found += [Target(record, action) for action in matching]
    return found


def running_in_words(records: Iterable[PlanRecord]) -> str:
    """What is being done, for refusals."""
    words = [i_am(record.words, record.is_single, answers=record.only_answers) for record in records]
    return "; ".join(words) or "nothing is being done"


def names_nothing(what: str) -> bool:
    """Whether these words name nothing in particular ("that", "my plan")."""
    return not _stems(what) and not _numbers(what)


def is_being_done(what: str, records: Iterable[PlanRecord]) -> bool:
    """Whether anything that these words mean has begun and goes on; without words, whether anything has."""
    said = _stems(what)
    number = _numbers(what)
    for record in records:
        if number == [record.id]:
            return True  # also while it is paused
        going = [action for action in record.run.actions if action.state_now() in _GOING]
        if going and (said == _stems(record.words) or any(said <= _known_as(action) for action in going)):
            return True
    return False


def shares_words(what: str, words: str) -> bool:
    """Whether all that these words say is said there, in whatever form ("closed the gripper")."""
    said = _stems(what)
    return bool(said) and said <= _stems(words)


def _numbers(what: str) -> list[str]:
    """The number of a plan ("plan 2", "2"), and nothing else."""
    words = [word for word in words_of(what) if word not in _FILLING]
    return words if len(words) == 1 and words[0].isdigit() else []


def _known_as(action: ActionNode) -> frozenset[str]:
    return _stems(f"{action.words} {action.do.action.replace('_', ' ')}")


def _known_by_doing(action: ActionNode) -> frozenset[str]:
    return _known_as(action) | _stems(action.detail)


def _stems(text: str) -> frozenset[str]:
    """Words without their endings: "tracking", "track" and "tracked" are one."""
    return frozenset(_stem(word) for word in words_of(text) if word not in _FILLING)


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "e", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word
