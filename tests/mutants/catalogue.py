"""The mutations: each a mistake that could be made in an honest change, and what it would do to a robot.

`before` must occur exactly once in its file; when the core is rewritten, rewrite
the mutation with it.
"""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """One mutation of one file; `file` is seen from `framework/registrar/`."""

    name: str
    file: str
    before: str
    after: str
    why: str


MUTANTS = (
    Mutant(
        "granted-while-moving",
        "access.py",
        "            if served.commanded and resource.moving:\n"
        "                self.make_safe(resource, why)\n",
        "            if served.commanded and resource.moving and not resource.queue:\n"
        "                self.make_safe(resource, why)\n",
        "the next holder commands an arm that is still carrying out the last one's motion",
    ),
    Mutant(
        "generation-stands-still",
        "core.py",
        "        self.generation += 1\n",
        "        self.generation = max(self.generation, 1)\n",
        "commands of a former holder that are still on their way pass the gate",
    ),
    Mutant(
        "last-come-first-served",
        "access.py",
        "queue[place - 1].order > served.order",
        "queue[place - 1].order < served.order",
        "who waits longest waits for ever",
    ),
    Mutant(
        "equals-preempt",
        "access.py",
        "first.priority > resource.holder.priority",
        "first.priority >= resource.holder.priority",
        "two actions of one plan take the arm from each other without end",
    ),
    Mutant(
        "reservation-preempts",
        "access.py",
        "first = next((served for served in queue if served.committed), None)",
        "first = next(iter(queue), None)",
        "a group that may never come together throws somebody out",
    ),
    Mutant(
        "grace-never-ends",
        "access.py",
        "            lambda: self._revoke(resource, holder),\n",
        "            lambda: None,\n",
        "a body that hangs keeps the operator from the arm",
    ),
    Mutant(
        "first-to-leave-stops-all",
        "lifecycle.py",
        "        elif not resource.leases:\n            if resource.state",
        "        elif len(resource.leases) < 2:\n            if resource.state",
        "one of two viewers closes the picture and the other's goes dark",
    ),
    Mutant(
        "dead-answer",
        "lifecycle.py",
        "        if core.by_key.get(resource.key) is resource:\n"
        "            del core.by_key[resource.key]\n"
        '        core.timers.clear(("start", resource.number))\n'
        "        was_up",
        '        core.timers.clear(("start", resource.number))\n        was_up',
        "after a failure, new clients get the failed resource",
    ),
    Mutant(
        "two-at-once",
        "lifecycle.py",
        "        if predecessor is None:\n",
        "        if predecessor is None or predecessor.halting:\n",
        "a driver is opened while its former instance is still closing the device",
    ),
    Mutant(
        "sub-resources-first",
        "lifecycle.py",
        "any(served.ask.parent is not None for served in resource.leases.values())",
        "any(served.phase is ServerPhase.PENDING for served in resource.leases.values())",
        "a camera's process is stopped under the reader that is still using it",
    ),
    Mutant(
        "holds-outlive-their-resource",
        "lifecycle.py",
        "        for held in list(resource.holds.values()):\n"
        '            core.holding.abandon(held, f"{resource.label} is over")\n',
        "",
        "a provider that crashed keeps its sub-resources for ever",
    ),
    Mutant(
        "unsafe-successor",
        "lifecycle.py",
        "        if not resource.making_safe:\n            self.succeed(resource)\n",
        "        self.succeed(resource)\n",
        "a driver is opened anew while its safe stop is still under way",
    ),
    Mutant(
        "told-twice",
        "propagation.py",
        "        if held is None or held.server != sender or message.sequence <= held.sequence:\n",
        "        if held is None or held.server != sender:\n",
        "a doubled message is a second failure",
    ),
    Mutant(
        "failure-stays-below",
        "propagation.py",
        "held.by_provider and parent.state.is_up\n",
        "held.by_provider and not parent.state.is_up\n",
        "the arm's failure never reaches the action that moves it",
    ),
    Mutant(
        "preemption-becomes-failure",
        "propagation.py",
        "                preempted_by=incident.preempted_by,\n                reason=",
        "                reason=",
        "an action that should wait for the operator gives up instead",
    ),
    Mutant(
        "reason-stays-below",
        "lifecycle.py",
        "core.serving.refuse(served, reason, message, fatal.hops, preempted_by)",
        "core.serving.refuse(served, FAILED, message, fatal.hops, preempted_by)",
        "whoever asks from outside a circle asks for ever, and nobody waits for what is only held",
    ),
    Mutant(
        "priority-stays-behind",
        "holding.py",
        "        if held.sent is not None:\n            self._core.heartbeats.held_changed(held)\n",
        "        if held.sent is None:\n            self._core.heartbeats.held_changed(held)\n",
        "the operator's camera is taken away by a background job",
    ),
    Mutant(
        "unknown-grant-kept",
        "holding.py",
        "            core.effects.append(Send(sender, Release(message.lease)))\n            return\n"
        "        if held.server != sender:",
        "            return\n        if held.server != sender:",
        "a client that gave up while it waited leaves a camera running",
    ),
    Mutant(
        "foreign-release",
        "serving.py",
        "        elif served.ask.client == sender:\n            served.by_word",
        "        else:\n            served.by_word",
        "anybody can end anybody's lease",
    ),
    Mutant(
        "resurrection",
        "serving.py",
        "        if served.persisted:\n            core.effects",
        "        if served.persisted and served.phase is ServerPhase.ENDED:\n            core.effects",
        "after a restart of its manager a resource that was released comes up again",
    ),
    Mutant(
        "release-forgotten",
        "serving.py",
        "        if served is None:\n            self._remember(message.lease)\n",
        "        if served is None:\n            return\n",
        "a release that overtakes its request leaves the resource up for nobody",
    ),
    Mutant(
        "circle-unseen",
        "circles.py",
        "        if core.edge(resource) == probe.origin:\n",
        "        if core.edge(resource) == probe.origin and not probe.path:\n",
        "two resources wait for each other until their time is up",
    ),
    Mutant(
        "windows-add-up",
        "heartbeats.py",
        "silent_s + age_s > window_s",
        "max(silent_s, age_s) > window_s + core.policy.window_s",
        "three hops away the arm moves on for three windows after the operator's link broke",
    ),
    Mutant(
        "suspended-judge",
        "heartbeats.py",
        "        if late_s > core.policy.window_s / 2:\n",
        "        if late_s > 3600.0:\n",
        "after a pause of the machine everybody gives up everybody",
    ),
    Mutant(
        "books-unread",
        "heartbeats.py",
        "        if (book.count, book.digest) == (message.count, message.digest):\n",
        "        if book.count == message.count:\n",
        "a lost failure message is never made good",
    ),
    Mutant(
        "place-told-once",
        "access.py",
        "            core.heartbeats.served_changed(served)\n            core.effects",
        "            core.effects",
        "whoever waits for the arm is never told for whom",
    ),
    Mutant(
        "old-place-believed",
        "holding.py",
        "message.sequence <= held.sequence:\n            return\n        held.has_gap = held.has_gap or",
        "message.sequence < 0:\n            return\n        held.has_gap = held.has_gap or",
        "who is next in the queue is told that two are before it",
    ),
    Mutant(
        "failed-and-forgotten",
        "heartbeats.py",
        "                core.serving.repeat(known)\n",
        "                pass\n",
        "both sides compare their books for as long as a hung body keeps its failed lease",
    ),
    Mutant(
        "second-life",
        "serving.py",
        "self._remember(served.id, self._send_refusal(served.ask, reason, message, hops, preempted_by))\n",
        "self._send_refusal(served.ask, reason, message, hops, preempted_by)\n",
        "an arm is granted to one that does not hear of it, and nobody else gets it",
    ),
    Mutant(
        "restored-but-not-begun",
        "access.py",
        "        if holder.phase is not ServerPhase.GRANTED and not holder.persisted:\n",
        "        if holder.phase is not ServerPhase.GRANTED:\n",
        "after a restart of its manager the arm is given away, and its holder believes to have it",
    ),
    Mutant(
        "confirmed-by-nobody",
        "heartbeats.py",
        "served.sequence if served.confirmed else -1",
        "served.sequence",
        "after a restart of its manager a holder loses the arm because one message was lost",
    ),
    Mutant(
        "moved-with-the-rest",
        "core.py",
        "        self.heartbeats.notice_standstill(now_s)\n        return now_s\n",
        "        return now_s\n",
        "after a pause of the machine a client that vanishes keeps the arm for as long again",
    ),
    Mutant(
        "keys-as-python-sees-them",
        "keys.py",
        "    return (request_type, content)\n",
        "    return (request_type, content.replace(b'\\xc3', b'\\x01'))\n",
        "two different requests share one resource",
    ),
    Mutant(
        "lost-hand-counts-for-nothing",
        "access.py",
        "            self._raise_for(resource, Loss(LossKind.HAND, served.who, why))\n",
        "            pass\n",
        "the arm goes on by itself where a person's hand has just been lost",
    ),
    Mutant(
        "word-is-not-asked-for",
        "access.py",
        "        if loss is None or interlock is None:\n            return False\n",
        "        return False\n",
        "a plan takes an arm that was lost, although nobody has said that it goes on",
    ),
    Mutant(
        "older-grants-stay",
        "access.py",
        "                to_end[core.edge(resource)] = resource, holder, loss\n",
        "                continue\n",
        "what moved when the hand was lost moves on",
    ),
    Mutant(
        "rise-is-not-told",
        "access.py",
        "            self._core.effects.append(EpochRose())\n",
        "            return\n",
        "the other arm moves on into the one that was lost",
    ),
    Mutant(
        "failed-device-counts-for-nothing",
        "lifecycle.py",
        "                core.access.lost_with_device(holder, fatal)\n",
        "                pass\n",
        "an arm goes on by itself as soon as its killed process is back",
    ),
    Mutant(
        "queue-needs-no-word",
        "serving.py",
        "core.access.refuse_without_word(served) or not core.access.may_enter(served)",
        "not core.access.may_enter(served)",
        "who has queued behind a hand begins when that hand is lost",
    ),
    Mutant(
        "everything-is-still",
        "../interlock.py",
        "        if permit is not None and permit.is_still:\n",
        "        if permit is not None:\n",
        "every plan passes the motion interlock",
    ),
    Mutant(
        "nothing-is-in-reach",
        "../interlock.py",
        "dict.fromkeys((device, *self._reach(device)), loss)",
        "dict.fromkeys((device,), loss)",
        "the other arm begins to move where somebody's hand was lost with the first",
    ),
    Mutant(
        "emergency-raises-nothing",
        "../interlock.py",
        "        self._of_all = self._next(loss)\n",
        "        self._of_all = loss\n",
        "what was stopped goes on after the reset",
    ),
    Mutant(
        "permit-grows-on-the-way",
        "holding.py",
        "            held.priority, held.permit = parent.priority, parent.permit\n"
        "            parent.holds[held.id] = held\n",
        "            held.priority, held.permit = parent.priority, None\n"
        "            if parent.permit is not None and core.interlock is not None:\n"
        "                held.permit = type(parent.permit)(parent.permit.plan, epoch=core.interlock.epoch)\n"
        "            parent.holds[held.id] = held\n",
        "what an old plan chooses for itself moves, as if somebody had just said so",
    ),
    Mutant(
        "pause-is-a-word",
        "../interlock.py",
        "msgspec.structs.replace(permit, is_suspended=is_suspended)",
        "msgspec.structs.replace(permit, is_suspended=is_suspended, epoch=self.epoch)",
        "a plan that was paused while a hand was lost goes on with its pause's end",
    ),
)
