"""What can be seen in phrases without parsing: words nobody can say, parts that are not there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

import msgspec

from framework.errors import DescriptionError
from framework.plan.ast import Reference
from framework.plugins import template as syntax
from framework.plugins.parameters import ParameterSpec
from framework.plugins.phrases import ACTIVITIES, SlotList
from framework.plugins.signature import ActionSpec
from framework.plugins.template import UNUSED, Template, parse_template, slots_of, slots_within
from grammars.language import Language
from grammars.reading.accepting import accepts
from grammars.reading.network import Constant
from grammars.reading.slots import constant
from grammars.reading.tokens import MARKS

_SAYABLE = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*['’]?|\d+|\d+-?[^\W\d_]+|[^\W\d_]+-?\d+")


def of_phrases(
    language: Language, spec: ActionSpec, providers: Collection[str] | None
) -> Iterator[DescriptionError]:
    """Of one action: templates, words, rules, lists, slots and values that cannot be right."""
    file = spec.phrases.file
    own: dict[str, Template] = {}
    rule_lines = spec.phrases.rule_lines or (0,) * len(spec.phrases.rules)
    for (name, text), line in zip(spec.phrases.rules, rule_lines, strict=True):
        try:
            own[name] = parse_template(text)
        except DescriptionError as error:
            yield DescriptionError(str(error), file=file, line=line)
            continue
        for problem in _unsayable(own[name]):
            yield DescriptionError(f"rule {name}: {problem}", file=file, line=line)
    rules = {**language.core.rules, **own}
    parameters = {parameter.name: parameter for parameter in spec.parameters}
    lines = spec.phrases.lines or (0,) * len(spec.phrases.say)
    for text, line in zip(spec.phrases.say, lines, strict=True):
        try:
            tree = parse_template(text)
            always, sometimes, _ = slots_of(tree, rules)
        except DescriptionError as error:
            yield DescriptionError(str(error), file=file, line=line)
            continue
        problems = [*_unsayable(tree), *_twice(tree), *_unknown_rules(tree, rules)]
        missing = [each.name for each in spec.parameters if each.is_required and each.name not in always]
        problems += [f"it can be said without {{{name}}}, which has no default" for name in missing]
        problems += [
            f"{{{slot}}} is no parameter of the action; it has {', '.join(parameters) or 'none'}"
            for slot in sorted(sometimes - parameters.keys() - {UNUSED})
        ]
        for slot in slots_within(tree, rules):
            if slot.constant and slot.name in parameters:
                node = constant(slot.name, slot.constant, parameters[slot.name], language.core.flags)
                value = node.value if isinstance(node, Constant) else slot.constant
                if isinstance(value, Reference):
                    continue  # it is asked for
                problems += _unfit(value, parameters[slot.name], f"{{{slot.name}:={slot.constant}}}")
        for problem in dict.fromkeys(problems):
            yield DescriptionError(f"{text!r}: {problem}", file=file, line=line)
    for each in spec.phrases.lists:
        said_for = [
            parameters[slot.name]
            for text in spec.phrases.say
            for slot in _slots_in_text(text, rules)
            if (slot.list or slot.name) == each.name and slot.name in parameters
        ]
        for problem in dict.fromkeys([*_of_list(each, providers), *_values_of(each, said_for)]):
            yield DescriptionError(f"list {each.name}: {problem}", file=file, line=each.line)


def unused(language: Language, specs: Iterable[ActionSpec]) -> Iterator[DescriptionError]:
    """Rules and lists of the actions' files that nothing in the same file uses."""
    rules: dict[tuple[str, str], int] = {}
    lists: dict[tuple[str, str], int] = {}
    specs = tuple(specs)
    for spec in specs:
        file = spec.phrases.file
        lines = spec.phrases.rule_lines or (0,) * len(spec.phrases.rules)
        rules |= {(file, name): line for (name, _), line in zip(spec.phrases.rules, lines, strict=True)}
        lists |= {(file, each.name): each.line for each in spec.phrases.lists}
    used: list[tuple[str, Template, Mapping[str, Template]]] = [
        (phrase.file, phrase.template, phrase.rules)
        for phrase in (*language.phrases, *language.phrasebook.asked)
    ]
    used += [(said.file, said.template, said.rules) for said in language.conditions.sayables]
    known_in = {phrase.file: phrase.rules for phrase in language.phrases}
    for spec in specs:
        nouns = (noun for frame in spec.phrases.frames for noun in frame.nouns)
        used += [(spec.phrases.file, parse_template(each), known_in[spec.phrases.file]) for each in nouns]
    for file, template, known in used:
        for name in _rules_within(template, known):
            rules.pop((file, name), None)
        for slot in slots_within(template, known):
            lists.pop((file, slot.list or slot.name), None)
    for (file, name), line in rules.items():
        yield DescriptionError(f"nothing uses the rule <{name}>", file=file, line=line)
    for (file, name), line in lists.items():
        yield DescriptionError(f"nothing uses the list {name}", file=file, line=line)


def of_conditions(language: Language, providers: Collection[str] | None) -> Iterator[DescriptionError]:
    """The same of the conditions."""
    lists: dict[tuple[str, str], tuple[SlotList, str]] = {}
    for said in language.conditions.sayables:
        rules = {**language.core.rules, **said.rules}
        for problem in (
            *_unsayable(said.template),
            *_twice(said.template),
            *_unknown_rules(said.template, rules),
        ):
            yield DescriptionError(f"{said.name}: {problem}", file=said.file, line=said.line)
        lists.update({(said.file, each.name): (each, said.file) for each in said.lists.values()})
    for each, file in lists.values():
        for problem in _of_list(each, providers):
            yield DescriptionError(f"list {each.name}: {problem}", file=file, line=each.line)


def _of_list(each: SlotList, providers: Collection[str] | None) -> Iterator[str]:
    if each.provider and providers is not None and each.provider not in (*providers, ACTIVITIES):
        yield f"there is no provider {each.provider!r}; there are {', '.join(sorted(providers))}"
    ways = [way.casefold() for _, said in each.values for way in said]
    for way in dict.fromkeys(way for way in ways if ways.count(way) > 1):
        yield f"{way!r} stands there twice"
    for way in ways:
        for word in way.split():
            yield from _unsayable(syntax.Word(word))


def _values_of(each: SlotList, parameters: Collection[ParameterSpec]) -> Iterator[str]:
    for parameter in parameters:
        if not accepts(parameter).is_text:
            for value, _ in each.values:
                yield from _unfit(value, parameter, repr(value))


def _unfit(value: object, parameter: ParameterSpec, shown: str) -> Iterator[str]:
    try:
        problem = parameter.problem_with(msgspec.convert(value, parameter.type))
    except msgspec.ValidationError as error:
        problem = str(error).lower()
    if problem:
        yield f"{shown} will not do for {parameter.name}, {problem}; allowed is {parameter.allowed}"


def _unsayable(template: Template) -> Iterator[str]:
    match template:
        case syntax.Word(text=text):
            if text and all(letter in MARKS for letter in text):
                yield f"nobody says {text!r}; leave it out, marks at the end never count"
            elif not _SAYABLE.fullmatch(text):
                yield f"{text!r} is no word that one could say; write it in letters, as it is spoken"
        case syntax.Sequence(parts=parts) | syntax.Choice(options=parts):
            for part in parts:
                yield from _unsayable(part)


def _twice(template: Template) -> Iterator[str]:
    """Options that can never be reached, because another one is the same."""
    match template:
        case syntax.Choice(options=options):
            for index, option in enumerate(options):
                if option in options[:index]:
                    yield f"one of its options stands there twice: {_text(option) or 'nothing'}"
                yield from _twice(option)
        case syntax.Sequence(parts=parts):
            for part in parts:
                yield from _twice(part)


def _unknown_rules(template: Template, rules: Mapping[str, Template]) -> Iterator[str]:
    for name in dict.fromkeys(_rules_within(template, rules)):
        if name not in rules:
            known = ", ".join(f"<{each}>" for each in sorted(rules)) or "none"
            yield f"nobody defines the rule <{name}>; there are {known}"


def _rules_within(
    template: Template, rules: Mapping[str, Template], inside: tuple[str, ...] = ()
) -> Iterator[str]:
    match template:
        case syntax.Rule(name=name):
            yield name
            if name in rules and name not in inside:
                yield from _rules_within(rules[name], rules, (*inside, name))
        case syntax.Sequence(parts=parts) | syntax.Choice(options=parts):
            for part in parts:
                yield from _rules_within(part, rules, inside)


def _slots_in_text(text: str, rules: Mapping[str, Template]) -> tuple[syntax.Slot, ...]:
    try:
        return tuple(slots_within(parse_template(text), rules))
    except DescriptionError:
        return ()


def _text(template: Template) -> str:
    match template:
        case syntax.Word(text=text):
            return text
        case syntax.Slot(name=name):
            return f"{{{name}}}"
        case syntax.Rule(name=name):
            return f"<{name}>"
        case syntax.Sequence(parts=parts):
            return " ".join(map(_text, parts))
        case syntax.Choice(options=options):
            return f"({'|'.join(map(_text, options))})"
    return ""
