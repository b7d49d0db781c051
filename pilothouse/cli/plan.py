"""`pilothouse plan …`: plans as files, and running plans paused, changed and stopped.

0 it was done, 1 it was refused (everything that is wrong is said at once), 2 nothing is running here.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from framework.errors import DescriptionError, PlanError
from pilothouse.cli.api import Api
from pilothouse.cli.following import Following, add_following
from pilothouse.cli.operator import add_who, who

#: How a plan's tree may be drawn, by the file's ending; see `framework.tree.picture`.
PICTURES = (".txt", ".dot", ".svg", ".png")

_SIGNS = {
    "idle": "·",
    "waiting": "…",
    "running": "▸",
    "ready": "●",
    "asking": "?",
    "paused": "‖",
    "stopping": "◂",
    "succeeded": "✓",
    "failed": "✗",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.set_defaults(do=None, parser=parser)
    commands = parser.add_subparsers(title="what to do", metavar="WHAT")

    def command(name: str, do: Callable[[argparse.Namespace], int], words: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=words, description=words[0].upper() + words[1:] + ".")
        # Said before or after; the one of the whole command is the default.
        made.add_argument("--state", type=Path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        made.set_defaults(do=do)
        return made

    made = command("run", _run_file, "carry out the plan of a file (UMRF graph, or our own JSON)")
    made.add_argument("file", type=Path, help="the file; - is standard input")
    add_following(made)
    made = command("check", _check, "say everything that is wrong with a plan file, without running it")
    made.add_argument("file", type=Path, help="the file; - is standard input")
    made.add_argument(
        "--actions", type=Path, action="append", default=[], metavar="FOLDER", help="more actions"
    )
    made = command("save", _save, "write a plan, running or ended lately, into a file")
    _add_plan(made)
    made.add_argument("file", type=Path, help="where; - is standard output")
    made.add_argument(
        "--form", choices=("umrf", "plan"), default="umrf", help="a UMRF graph, or our own JSON"
    )
    made = command("show", _show, "show a plan's tree, with the names of its nodes")
    made.add_argument("plan", nargs="?", default="", metavar="ID", help="which one (default: all that run)")
    made.add_argument(
        "--picture", type=Path, metavar="FILE", help=f"draw it with py_trees ({', '.join(PICTURES)})"
    )
    made.add_argument("--json", action="store_true", help="print it as JSON")
    for order, words in (
        ("pause", "hold a plan; it can be changed then"),
        ("resume", "go on with a plan from where it is"),
        ("stop", "end a plan"),
    ):
        made = command(order, _order, words)
        made.set_defaults(order=order)
        _add_plan(made)
        add_who(made)
    made = command("insert", _insert, "insert a step into a paused plan")
    _add_plan(made)
    place = made.add_mutually_exclusive_group(required=True)
    for where, words in (("before", "before this node"), ("after", "after it"), ("into", "as its last part")):
        place.add_argument(f"--{where}", metavar="NODE", help=words)
    _add_text(made)
    made = command("remove", _remove, "take a step that has not begun out of a paused plan")
    _add_plan(made)
    made.add_argument("node", metavar="NODE", help="as `pilothouse plan show` prints it")
    add_who(made)
    made = command("replace", _replace, "do something else in place of a step that has not begun")
    _add_plan(made)
    made.add_argument("node", metavar="NODE", help="as `pilothouse plan show` prints it")
    _add_text(made)


def run(arguments: argparse.Namespace) -> int:
    """Do it; refusals are said, not raised, so that they end with 1."""
    if arguments.do is None:
        arguments.parser.print_help()
        return 2
    try:
        return int(arguments.do(arguments))
    except PlanError as refusal:
        words = str(refusal)
        print(words[:1].upper() + words[1:], file=sys.stderr)
        return 1


def _add_plan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("plan", metavar="ID", help="the plan's number, as `pilothouse status` prints it")


def _add_text(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="+", metavar="TEXT", help="the step in words, as for `pilothouse say`")
    add_who(parser)


# ---------------------------------------------------------------- files


def _run_file(arguments: argparse.Namespace) -> int:
    api = _api(arguments)
    asker = who(arguments)
    content = _whole(arguments.file)
    return Following(api, asker, arguments).follow("/api/plans", {"content": content, "who": asker})


def _check(arguments: argparse.Namespace) -> int:
    from framework.plan import in_words
    from framework.tree.actions import CatalogueSignatures
    from managers.console_plans import read_plan
    from pilothouse.catalogue import action_catalogue

    catalogue = action_catalogue(tuple(arguments.actions))
    read = read_plan(_whole(arguments.file), CatalogueSignatures(catalogue))
    from pilothouse.language import language_of  # takes longest, and only a plan that is right needs words

    print(f"{arguments.file}: {in_words(read.plan, language_of(catalogue).wording)}")
    for note in read.notes:
        print(f"  {note}")
    return 0


def _whole(file: Path) -> str:
    """A file's text as it can be understood elsewhere: with the graphs beside it that it names."""
    text = _text_of(file)
    if str(file) == "-":
        return text
    from framework.plan import to_json
    from framework.plan.umrf import from_umrf
    from managers.console_plans import is_own_form

    if is_own_form(text):
        return text
    try:
        from_umrf(text)
    except PlanError:
        try:
            return to_json(from_umrf(file)).decode()
        except PlanError:
            return text  # wrong in itself: what is wrong is said where the actions are known
    return _shortened(text)


def _text_of(file: Path) -> str:
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except OSError as error:
        raise DescriptionError(f"the plan file {file} cannot be read: {error.strerror or error}") from error
    except UnicodeError as error:
        raise PlanError(f"{file} is no text in UTF-8 ({error}); a plan file is JSON") from error


def _shortened(text: str) -> str:
    """The same JSON without spaces: large graphs are mostly that."""
    return json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False)


def _save(arguments: argparse.Namespace) -> int:
    saved = _api(arguments).get(f"/api/plans/{_id(arguments)}/file?form={arguments.form}")
    if str(arguments.file) == "-":
        sys.stdout.write(saved["content"])
        return 0
    _write(arguments.file, saved["content"].encode())
    return 0


def _write(file: Path, content: bytes) -> None:
    try:
        file.write_bytes(content)
    except OSError as error:
        raise DescriptionError(f"{file} cannot be written: {error.strerror or error}") from error
    print(f"wrote {file}")


# ---------------------------------------------------------------- running plans


def _show(arguments: argparse.Namespace) -> int:
    api = _api(arguments)
    ids = [arguments.plan] if arguments.plan else [plan["id"] for plan in api.get("/api/status")["plans"]]
    plans = [api.get(f"/api/plans/{quote(plan, safe='')}") for plan in ids]
    if arguments.picture is not None:
        if len(plans) != 1:
            raise PlanError(f"{len(plans)} plans are running; say which one is to be drawn")
        return _draw(plans[0], arguments.picture)
    if arguments.json:
        print(json.dumps(plans[0] if arguments.plan else plans, indent=1))
        return 0
    if not plans:
        print("No plan is running.")
    for plan in plans:
        by = f", {plan['who']}" if plan["who"] else ""
        print(f"plan {plan['id']}: {plan['words']} [{plan['state']}{by}]")
        for line in _tree(plan["tree"], 1):
            print(line)
        if plan["detail"]:
            print(f"  {plan['detail']}")
    return 0


def _tree(node: dict[str, Any], depth: int) -> list[str]:
    """A node and what is below it, each with the name by which it can be changed."""
    from framework.tree.view import state_words

    words = node["kind"] if node["children"] else node["words"]
    detail = f": {node['detail']}" if node["detail"] else ""
    sign = _SIGNS.get(node["state"], "–")
    state = state_words(node["state"], node["fraction"])
    lines = [f"{node['id']:>8}  {'  ' * (depth - 1)}{sign} {words} [{state}]{detail}"]
    for child in node["children"]:
        lines += _tree(child, depth + 1)
    return lines


def _draw(plan: dict[str, Any], file: Path) -> int:
    import msgspec

    from framework.errors import PilothouseError
    from framework.tree.picture import dot_picture, drawn_picture, text_picture
    from framework.tree.view import TreeView

    view = msgspec.convert(plan["tree"], TreeView)
    try:
        match file.suffix.lower():
            case ".txt":
                content = text_picture(view).encode()
            case ".dot":
                content = dot_picture(view).encode()
            case ".svg" | ".png":
                content = drawn_picture(view, file.suffix.lower()[1:])
            case other:
                endings = ", ".join(PICTURES)
                raise PlanError(f"a picture cannot be drawn as {other or file.name!r}; there are {endings}")
    except PlanError:
        raise
    except PilothouseError as error:  # without Graphviz
        raise PlanError(str(error)) from error
    _write(file, content)
    return 0


def _order(arguments: argparse.Namespace) -> int:
    body: dict[str, object] = {"order": arguments.order, "who": who(arguments)}
    print(_api(arguments).post(f"/api/plans/{_id(arguments)}/order", body))
    return 0


def _insert(arguments: argparse.Namespace) -> int:
    how = next(how for how in ("before", "after", "into") if getattr(arguments, how) is not None)
    return _change(arguments, how, getattr(arguments, how), " ".join(arguments.text))


def _remove(arguments: argparse.Namespace) -> int:
    return _change(arguments, "remove", arguments.node, "")


def _replace(arguments: argparse.Namespace) -> int:
    return _change(arguments, "replace", arguments.node, " ".join(arguments.text))


def _change(arguments: argparse.Namespace, how: str, node: str, text: str) -> int:
    body: dict[str, object] = {"node": node, "how": how, "text": text, "who": who(arguments)}
    print(_api(arguments).post(f"/api/plans/{_id(arguments)}/change", body))
    return 0


def _api(arguments: argparse.Namespace) -> Api:
    return Api.of_state(arguments.state, refusals=PlanError)


def _id(arguments: argparse.Namespace) -> str:
    return quote(arguments.plan, safe="")
