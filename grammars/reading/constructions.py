"""How English says what a frame is about: "raise the arm", "the arm should rise", "I want it raised". Pure.

An author writes verbs and what takes part (`VerbFrame`), the core has the constructions, each a template with
places for them. A construction that names what a frame does not have is none of that frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from framework.plugins import template as syntax
from framework.plugins.phrases import VerbFrame
from framework.plugins.template import Template, parse_template
from grammars.reading.inflection import participle

_ROLES = "roles"


def templates_of(frame: VerbFrame, constructions: Sequence[Template]) -> Iterator[Template]:
    """Every way to say it. Raises DescriptionError if a part of it is no template."""
    parts = {
        "acts": _one_of(frame.acts),
        "verb": _one_of(frame.verbs),
        "goes": _one_of(frame.goes),
        "done": _one_of(tuple(participle(each) for each in frame.verbs if _is_plain(each))),
        "state": parse_template(frame.state) if frame.state else None,
        "theme": parse_template(frame.theme) if frame.theme else None,
    }
    roles = tuple(map(parse_template, frame.roles))
    sets = parse_template(frame.sets) if frame.sets else None
    for construction in constructions:
        filled = _filled(construction, parts, roles)
        if filled is not None:
            yield filled if sets is None else syntax.Sequence((filled, sets))


def _is_plain(verb: str) -> bool:
    """Whether it is words alone, which have a participle, and no template."""
    return not set(verb) & set("<([{")


def _one_of(ways: Sequence[str]) -> Template | None:
    if not ways:
        return None
    templates = tuple(map(parse_template, dict.fromkeys(ways)))
    return templates[0] if len(templates) == 1 else syntax.Choice(templates)


def _filled(
    template: Template, parts: Mapping[str, Template | None], roles: tuple[Template, ...]
) -> Template | None:
    """The construction with the frame's parts in it; None if it has none of them for a place."""
    match template:
        case syntax.Rule(name=name):
            if name == _ROLES:
                return _in_any_order(roles)
            return parts.get(name, template)
        case syntax.AnyOrder(parts=members):
            spread: list[Template] = []
            for member in members:
                more = list(roles) if member == syntax.Rule(_ROLES) else [_filled(member, parts, roles)]
                if None in more:
                    return None
                spread += [each for each in more if each is not None]
            return _in_any_order(tuple(spread))
        case syntax.Sequence(parts=members):
            found = [_filled(member, parts, roles) for member in members]
            if None in found:
                return None
            return syntax.Sequence(tuple(each for each in found if each is not None))
        case syntax.Choice(options=options):
            ways = [_filled(option, parts, roles) for option in options]
            there = tuple(each for each in ways if each is not None)
            return syntax.Choice(there) if there else None
    return template


def _in_any_order(parts: tuple[Template, ...]) -> Template:
    if not parts:
        return syntax.Sequence(())
    return parts[0] if len(parts) == 1 else syntax.AnyOrder(parts)
