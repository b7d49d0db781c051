"""The motion interlock: nothing moves by itself, a permit lets it (of machine tools: a restart interlock).

Each moving device has an epoch. It rises when a person's hand loses the device in any way but that person's
own word, when its control loop fails, and at an emergency stop. Each plan carries a permit: the epoch when an
operator last gave the word for it, by starting it or by "carry on". What moves by itself may have a device
only with a permit of its epoch or a later one; else it waits for a word. A person's hand needs none. Where a
hand was lost while its person is still there, the word has to be theirs, or of who may dispose of it
(`keepers.py`); that goes for the next person's hand, too.

Pure. One object is shared by the registrars and the supervisor of an installation; it asks nobody and tells
its listeners. Where a lease is granted is in `framework.registrar.access`; whose word counts is the
supervisor's to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum

import msgspec

from framework.keepers import Keepers


class LossKind(StrEnum):
    """Why the epoch rose."""

    HAND = "hand"
    DEVICE = "device"
    EMERGENCY = "emergency stop"


class Loss(msgspec.Struct, frozen=True):
    """What made an epoch rise.

    who: whose hand it was, or which device has failed. why: what happened, as whoever knows it has said.
    keeper: for whom it is kept: theirs is the word that counts, or of who may dispose of it; "": anybody's.
    """

    kind: LossKind
    who: str = ""
    why: str = ""
    epoch: int = 0
    keeper: str = ""


class Permit(msgspec.Struct, frozen=True, gc=False):
    """Handed down with a plan's requests, as their priority is.

    plan: whose it is; "" of no plan. node: the action in its tree for which it asks.
    epoch: of the operator's last word to the plan. by: who has said it since that epoch began; "" is nobody
    in particular (the console, a program). wanted_by: who has asked for just this plan: for another person's
    hand only that counts, as a "carry on" is said to whatever waits.
    is_suspended: the plan is paused; what moves for it rests.
    is_still: what is held with it moves nothing by itself (an arm that is held still, or guided by hand).
    """

    plan: str = ""
    node: str = ""
    epoch: int = 0
    is_suspended: bool = False
    is_still: bool = False
    by: tuple[str, ...] = ()
    wanted_by: tuple[str, ...] = ()

    @property
    def rank(self) -> tuple[bool, int]:
        """Of several clients the one with the highest rank counts."""
        return not self.is_suspended, self.epoch


class Listener:
    """What an interlock tells. Every method may be left as it is."""

    def epoch_rose(self) -> None:
        """Some devices have a later epoch now."""

    def permit_changed(self, plan: str) -> None:
        """The plan has got the word, or was paused, or goes on."""

    def waits_for_word(self, plan: str, what: str, loss: Loss) -> None:
        """Something was not granted for the lack of a word. what: as people know it."""


class Interlock:
    """Epochs, permits, and who moves what.

    Args:
        reach: for each device those that could hit it or be hit by it. Without it: all of them.
    """

    def __init__(self, reach: Callable[[str], Iterable[str]] | None = None) -> None:
        self.epoch = 0
        self.keepers = Keepers()
        self._reach = reach
        self._losses: dict[str, Loss] = {}
        self._of_all = Loss(LossKind.EMERGENCY)
        self._emergency_epoch = 0
        self._incidents: dict[str, None] = {}
        self._permits: dict[str, Permit] = {}
        self._waiting: dict[str, dict[str, Loss]] = {}
        self._moving: dict[object, tuple[str, str, Callable[[], Permit | None]]] = {}
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        """Have it told from now on."""
        self._listeners.append(listener)

    def unlisten(self, listener: Listener) -> None:
        """No more. Idempotent."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    # -- losses

    def raise_for(self, device: str, loss: Loss, incident: str = "") -> bool:
        """The device was lost: its epoch rises; by a hand, also that of all that could hit it or be hit.

        It counts at once. Whoever calls it has it told (`tell_rise`) as soon as their own books are in order.

        incident: of which failure that is; the same one counts once for a device, then this is False.
        """
        if incident:
            if f"{incident} {device}" in self._incidents:
                return False
            self._incidents[f"{incident} {device}"] = None
            while len(self._incidents) > _MOST_INCIDENTS:
                del self._incidents[next(iter(self._incidents))]
        loss = self._next(loss)
        if loss.kind is LossKind.DEVICE:
            self._losses[device] = loss
        elif self._reach is None:
            self._of_all = loss
        else:
            self._losses |= dict.fromkeys((device, *self._reach(device)), loss)
        return True

    def raise_all(self, loss: Loss) -> None:
        """Everything was stopped: every epoch rises, which is told."""
        self._of_all = self._next(loss)
        if loss.kind is LossKind.EMERGENCY:
            self._emergency_epoch = self.epoch
        self.tell_rise()

    def tell_rise(self) -> None:
        """Epochs have risen: what moves by an older permit has to end."""
        for listener in tuple(self._listeners):
            listener.epoch_rose()

    def since(self, device: str, permit: Permit | None) -> Loss | None:
        """The loss after which this permit needs a new word for the device; None if it may have it."""
        if permit is not None and permit.is_still:
            return None
        last = max(self._losses.get(device, self._of_all), self._of_all, key=lambda loss: loss.epoch)
        keeper = self.keeper(device, permit)
        if keeper:
            return Loss(LossKind.HAND, keeper, _KEPT.format(keeper), last.epoch, keeper)
        return last if (permit.epoch if permit is not None else 0) < last.epoch else None

    def keeper(self, device: str, permit: Permit | None, *hands: str) -> str:
        """For whom it is kept, if this permit is not by a word that is enough; else "".

        hands: the person whose hand is to have it; nobody for what moves by itself.
        """
        if permit is None or not permit.plan:
            by: tuple[str, ...] = ("",)
        else:
            by = permit.wanted_by if hands else permit.by
        return self.keepers.keeper(device, (*hands, *by))

    def was_before_emergency(self, permit: Permit) -> bool:
        """Whether there was an emergency stop after this permit's last word."""
        return permit.epoch < self._emergency_epoch

    # -- permits

    def want(self, plan: str, by: str) -> None:
        """An operator asks for this plan, which begins or is under way already: no word that it moves yet."""
        permit = self.permit(plan)
        if by not in permit.wanted_by:
            self._set(msgspec.structs.replace(permit, wanted_by=(*permit.wanted_by, by)))

    def give_word(self, plan: str, epoch: int | None = None, *, by: str = "") -> bool:
        """An operator starts this plan, or says that it goes on. Whether anything has waited for that.

        epoch: when it was said, if that was before now; no word takes away a later one.
        by: who says so; "" is nobody in particular.
        """
        epoch = self.epoch if epoch is None else epoch
        waiting = self._waiting.pop(plan, {})
        if left := {
            what: loss
            for what, loss in waiting.items()
            if loss.epoch > epoch or self._waits_for_another(loss, by)
        }:
            self._waiting[plan] = left
        permit = self.permit(plan)
        if epoch > permit.epoch or not permit.by:
            permit = msgspec.structs.replace(permit, epoch=max(permit.epoch, epoch), by=(by,))
        elif epoch == permit.epoch and by not in permit.by:
            permit = msgspec.structs.replace(permit, by=(*permit.by, by))
        self._set(permit)
        return len(left) < len(waiting)

    def awaits_another(self, plan: str, by: str) -> str:
        """Whose word it is that something of this plan waits for, if that of `by` is not enough; else ""."""
        loss = self.awaited(plan)
        return loss.keeper if loss is not None and self._waits_for_another(loss, by) else ""

    def _waits_for_another(self, loss: Loss, by: str) -> bool:
        return bool(loss.keeper) and self.keepers.needs_word_of(loss.keeper, (by,))

    def suspend(self, plan: str, is_suspended: bool) -> None:
        """The plan is paused, or not any more: without a word its epoch stays."""
        if (permit := self._permits.get(plan)) is not None:
            self._set(msgspec.structs.replace(permit, is_suspended=is_suspended))

    def forget(self, plan: str) -> None:
        """The plan is over."""
        self._permits.pop(plan, None)
        self._waiting.pop(plan, None)

    def permit(self, plan: str) -> Permit:
        """What this plan has now; one of no plan, or of one that is over, has had no word at all."""
        return self._permits.get(plan, Permit(plan))

    def current(self, permit: Permit | None) -> Permit | None:
        """The same as it is now: a request may be older than its plan's last word."""
        if permit is None or permit.plan not in self._permits:
            return permit
        return msgspec.structs.replace(self._permits[permit.plan], node=permit.node, is_still=permit.is_still)

    # -- who waits, who moves

    def refused(self, permit: Permit | None, what: str, loss: Loss) -> None:
        """A registrar did not grant this for the lack of a word."""
        if permit is None or not permit.plan:
            return
        self._waiting.setdefault(permit.plan, {})[what] = loss
        for listener in tuple(self._listeners):
            listener.waits_for_word(permit.plan, what, loss)

    def awaited(self, plan: str) -> Loss | None:
        """The latest loss because of which something waits for a word to this plan; None if nothing does."""
        losses = self._waiting.get(plan, {}).values()
        return max(losses, key=lambda loss: loss.epoch, default=None)

    def moves(self, key: object, device: str, what: str, permit: Callable[[], Permit | None]) -> None:
        """A registrar has granted a device. key: names the grant; permit: of its holder, at any time."""
        self._moving[key] = (device, what, permit)

    def moves_no_more(self, key: object) -> None:
        """That grant is over. Idempotent."""
        self._moving.pop(key, None)

    def moved_for(self, node: str) -> tuple[str, ...]:
        """What is granted to this node of a tree and moves just now: devices, and what they are used as."""
        found: dict[str, None] = {}
        for device, what, permit in self._moving.values():
            if (given := permit()) is not None and given.node == node and not given.is_still:
                found |= {what: None, device: None}
        return tuple(found)

    # -- inside

    def _next(self, loss: Loss) -> Loss:
        self.epoch += 1
        return msgspec.structs.replace(loss, epoch=self.epoch)

    def _set(self, permit: Permit) -> None:
        if self._permits.get(permit.plan) != permit:
            self._permits[permit.plan] = permit
            for listener in tuple(self._listeners):
                listener.permit_changed(permit.plan)


_MOST_INCIDENTS = 256
_KEPT = "{0} has driven it and is still there"
