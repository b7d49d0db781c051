"""`phrases.yaml`: how people ask for an action. Read and checked here, with file and line; matched elsewhere.

    say: ["track {thing}", "show [the] {kind:what}"]
    rules: {det: "[the|a|an|my]"}               # parts that phrases share, written <det>
    lists:                                      # what may be said for a slot, by its name or as {list:slot}
      thing: {provider: world.things}           # whatever is known under that heading when it is said
      kind: {scan: [scan, laser scan]}          # values, and the ways to say each
    samples: ["track the hand"]                 # sentences that must parse back to this action

Only `say` is necessary; a slot without a list takes any words. Every slot is a parameter of the
action, and every parameter without a default is said in every phrase.
Rules that the file does not define belong to the language core and are not looked into here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import yaml

from framework.errors import DescriptionError
from framework.plugins.parameters import ParameterSpec
from framework.plugins.template import Template, can_be_empty, parse_template, slots_of

FILE_NAME = "phrases.yaml"
_KEYS = ("say", "rules", "lists", "samples")
_MOST_BYTES = 1 << 20


class SlotList(msgspec.Struct, frozen=True):
    """What may be said for a slot: values with the ways to say each, or whatever `provider` knows then."""

    name: str
    provider: str = ""
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()


class Phrases(msgspec.Struct, frozen=True):
    """A phrases file. `lines` has the line of each phrase in `say`, `rules` are (name, template)."""

    file: str = ""
    say: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    rules: tuple[tuple[str, str], ...] = ()
    samples: tuple[str, ...] = ()
    lists: tuple[SlotList, ...] = ()


def read_phrases(file: Path, parameters: Sequence[ParameterSpec] | None = None) -> Phrases:
    """Read a phrases file and check it, against a signature too if one is given.

    Raises DescriptionError with file, line, what stands there and what may.
    """
    name = str(file)
    root = _root(file)
    entries = _mapping(root, name, "the file")
    for key, (key_node, _) in entries.items():
        if key not in _KEYS:
            raise _error(name, key_node, f"there is no key {key!r} here; keys are {', '.join(_KEYS)}")
    if "say" not in entries:
        raise _error(name, root, 'the phrases are missing: say: ["track {thing}"]')
    rules = _rules(entries, name)
    say = _texts(entries["say"][1], name, "say")
    samples = _texts(entries["samples"][1], name, "samples") if "samples" in entries else []
    lists = _lists(entries["lists"][1], name) if "lists" in entries else ()
    if not say:
        raise _error(name, entries["say"][1], "say names no phrase; give at least one")
    known = {rule: tree for rule, (_, tree) in rules.items()}
    for text, node in say:
        _check(text, node, name, known, parameters)
    return Phrases(
        name,
        tuple(text for text, _ in say),
        tuple(node.start_mark.line + 1 for _, node in say),
        tuple((rule, text) for rule, (text, _) in rules.items()),
        tuple(text for text, _ in samples),
        lists,
    )


def _root(file: Path) -> yaml.Node:
    name = str(file)
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise DescriptionError(f"the file is larger than {_MOST_BYTES} bytes", file=name)
        root = yaml.compose(file.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except OSError as error:
        raise DescriptionError(f"it cannot be read: {error.strerror}", file=name) from error
    except UnicodeDecodeError as error:
        raise DescriptionError("it is not UTF-8 text", file=name) from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise DescriptionError(
            f"this is no YAML: {error.problem} (put each phrase in quotes)", file=name, line=line
        ) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise DescriptionError(f"this is no YAML: {error}", file=name) from error
    if root is None:
        raise DescriptionError('the file is empty; write say: ["..."]', file=name, line=1)
    return root


def _mapping(node: yaml.Node, file: str, what: str) -> dict[str, tuple[yaml.Node, yaml.Node]]:
    if not isinstance(node, yaml.MappingNode):
        raise _error(file, node, f"{what} has to be keys and values, like `say: [...]`")
    entries: dict[str, tuple[yaml.Node, yaml.Node]] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.tag != "tag:yaml.org,2002:str":
            shown = getattr(key, "value", "this")
            raise _error(file, key, f'the key {shown} is no text for YAML; put it in quotes: "{shown}"')
        if key.value in entries:
            raise _error(file, key, f"{key.value!r} stands here twice")
        entries[key.value] = (key, value)
    return entries


def _texts(node: yaml.Node, file: str, what: str) -> list[tuple[str, yaml.Node]]:
    if not isinstance(node, yaml.SequenceNode):
        raise _error(file, node, f'{what} has to be a list of texts: {what}: ["...", "..."]')
    texts = []
    for item in node.value:
        if isinstance(item, yaml.SequenceNode | yaml.MappingNode):
            raise _error(
                file, item, "YAML reads [ ] and { } outside of quotes as its own: put the phrase in quotes"
            )
        if item.tag != "tag:yaml.org,2002:str":
            raise _error(file, item, f'YAML reads {item.value} as no text: put it in quotes, "{item.value}"')
        texts.append((item.value, item))
    return texts


def _rules(entries: dict[str, tuple[yaml.Node, yaml.Node]], file: str) -> dict[str, tuple[str, Template]]:
    if "rules" not in entries:
        return {}
    rules: dict[str, tuple[str, Template]] = {}
    for rule, (_, node) in _mapping(entries["rules"][1], file, "rules").items():
        if not isinstance(node, yaml.ScalarNode) or node.tag != "tag:yaml.org,2002:str":
            raise _error(file, node, f'rule {rule} has to be a text in quotes: {rule}: "[the|a]"')
        rules[rule] = (node.value, _parsed(node.value, node, file))
    return rules


def _lists(node: yaml.Node, file: str) -> tuple[SlotList, ...]:
    lists = []
    for name, (_, value) in _mapping(node, file, "lists").items():
        entries = _mapping(value, file, f"list {name}")
        if "provider" in entries:
            provider = entries["provider"][1]
            if len(entries) > 1 or not isinstance(provider, yaml.ScalarNode) or not provider.value:
                raise _error(
                    file, value, f"list {name} has a provider, so nothing else: {{provider: world.things}}"
                )
            lists.append(SlotList(name, provider.value))
            continue
        values = []
        for said, (_, ways) in entries.items():
            texts = _texts(ways, file, said)
            if not texts:
                raise _error(file, ways, f"nobody can say {said!r}: give at least one way to say it")
            values.append((said, tuple(text for text, _ in texts)))
        lists.append(SlotList(name, values=tuple(values)))
    return tuple(lists)


def _parsed(text: str, node: yaml.Node, file: str) -> Template:
    try:
        return parse_template(text)
    except (DescriptionError, RecursionError) as error:
        raise _error(file, node, str(error)) from error


def _check(
    text: str,
    node: yaml.Node,
    file: str,
    rules: dict[str, Template],
    parameters: Sequence[ParameterSpec] | None,
) -> None:
    tree = _parsed(text, node, file)
    if can_be_empty(tree):
        raise _error(file, node, f"{text!r} could be said by saying nothing; make one word of it necessary")
    try:
        always, sometimes, all_known = slots_of(tree, rules)
    except DescriptionError as error:
        raise _error(file, node, str(error)) from error
    if parameters is None:
        return
    names = [parameter.name for parameter in parameters]
    for slot in sorted(sometimes):
        if slot not in names:
            has = ", ".join(names) or "none"
            raise _error(file, node, f"{text!r}: {{{slot}}} is no parameter of the action; it has {has}")
    missing = [
        parameter.name for parameter in parameters if parameter.is_required and parameter.name not in always
    ]
    if missing and all_known:
        raise _error(
            file,
            node,
            f"{text!r} can be said without {{{missing[0]}}}, which has no default: say it in every phrase, "
            "or give the parameter a default",
        )


def _error(file: str, node: yaml.Node, message: str) -> DescriptionError:
    return DescriptionError(message, file=file, line=node.start_mark.line + 1)
