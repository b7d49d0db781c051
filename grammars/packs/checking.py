"""What is wrong with a pack beside an installation's language: samples of something else, unknown ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from framework.errors import DescriptionError
from framework.plan.ast import actions_of
from framework.plan.parser import Known, Understood, World
from framework.plugins.signature import ActionSpec
from grammars.language import Language
from grammars.packs.hearing import PackHearing
from grammars.packs.pack import Pack

#: Under what else is known what is known as one of these.
_ALSO: Final[Mapping[str, tuple[str, ...]]] = {
    "world.places": ("places", "world.known", "world.faced"),
    "world.goals": ("world.known", "world.faced"),
    "world.fixtures": ("world.goals", "world.known", "world.faced"),
    "world.objects": ("world.goals", "world.known", "world.faced"),
    "world.people": ("world.goals", "world.known", "world.faced"),
}


class NamesOfPack:
    """A world in which whatever a pack names is there, besides what another one knows."""

    def __init__(self, pack: Pack, world: World) -> None:
        self._world = world
        self._named: dict[str, tuple[Known, ...]] = {}
        for kind, meant in pack.known.items():
            for each in meant:
                for one in (each, *_ALSO.get(each, ())):
                    self._named[one] = (*self._named.get(one, ()), *pack.domain.world.known(kind))

    def names(self, kind: str) -> tuple[str, ...]:
        """See `World.names`."""
        return tuple(dict.fromkeys(known.name for known in self.known(kind)))

    def known(self, kind: str) -> tuple[Known, ...]:
        """See `World.known`."""
        every = (*self._world.known(kind), *self._named.get(kind, ()))
        return tuple({known.value: known for known in every}.values())


def mistakes_of(hearing: PackHearing, own: Language, world: World) -> tuple[DescriptionError, ...]:
    """Everything that is wrong, not raised. own: the language of the installation, without packs."""
    pack = hearing.pack
    names = NamesOfPack(pack, world)
    return tuple(
        problem
        for action in pack.domain.actions
        for problem in (
            *_of_samples(action, hearing.language, pack.domain.world),
            *_of_ways(pack, action, own, names),
        )
    )


def _of_samples(action: ActionSpec, commands: Language, world: World) -> Iterator[DescriptionError]:
    phrases = action.phrases
    for sample, line in zip(phrases.samples, phrases.sample_lines, strict=True):
        heard = commands.parse(sample, world)
        means = (
            {do.action for do in actions_of(heard.readings[0].plan)}
            if isinstance(heard, Understood)
            else set()
        )
        if means != {action.name}:
            what = f"means {', '.join(sorted(means))}" if means else f"is not understood: {heard}"
            yield DescriptionError(
                f"the sample {sample!r} of {action.name} {what}", file=phrases.file, line=line
            )


def _of_ways(pack: Pack, action: ActionSpec, own: Language, world: World) -> Iterator[DescriptionError]:
    """Of those ways for whose parameters the pack itself names something that the installation knows then."""
    for way in pack.deeds[action.name].ways:
        examples = {slot: _example(pack, action, slot) for slot in way.says}
        if not all(examples.values()):
            continue
        words = way.words.format(**examples)
        heard = own.parse(words, world)
        if not isinstance(heard, Understood):
            file, _, line = way.place.rpartition(":")
            told = f"{action.name}: the installation does not understand {words!r}: {heard}"
            yield DescriptionError(told, file=file, line=int(line))


def _example(pack: Pack, action: ActionSpec, slot: str) -> str:
    """What could be said for a parameter; "" where the pack names nothing for it that is known."""
    said = next((each for each in action.phrases.lists if each.name == slot), None)
    if said is None or said.provider not in pack.known:
        return ""
    return next(iter(pack.domain.world.names(said.provider)), "")
