"""Every file, folder and module that the documentation names exists."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath

import pytest

import pilothouse
from framework.plugins.catalogue import ACTIONS_GROUP, DRIVERS_GROUP
from tests.docs.declarations import declares, source_of
from tests.docs.layers import ROOT

DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    *sorted(f"docs/{each.name}" for each in (ROOT / "docs").glob("*.md")),
)

INVENTED = ("actions/wave", "servers.yaml", "resources/web/dist", "/NAME/", "/folder/")
"""What a reader is told to make, what is built, and patterns: nothing of it is in the repository."""

NOT_OURS = ("node_modules", "dist", "build", "reports", "__pycache__")
"""Folders of what is installed, built, or left by a run, besides hidden ones."""

GROUPS = (ACTIONS_GROUP, DRIVERS_GROUP)
"""Entry-point groups look like modules."""

PACKAGES = ("framework", "managers", "actions", "resources", "grammars", "pilothouse", "tests", "scripts")
TEXTS = ("py", "pyi", "ts", "js", "yaml", "toml", "css", "html", "md", "sh")

_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
_FILE = re.compile(rf"(?<![\w./~-])[\w./-]*\w\.(?:{'|'.join(TEXTS)})\b(?![\w(])")
_FOLDER = re.compile(rf"(?<![\w./-])(?:{'|'.join((*PACKAGES, 'docs'))})/[\w./-]*")
_MODULE = re.compile(rf"(?<![\w./-])(?:{'|'.join(PACKAGES)})(?:\.\w+)+(?![\w(/])")
_LINK = re.compile(r"\]\((?!\w+:)([^)#]+)(?:#[^)]*)?\)")


@cache
def files() -> frozenset[str]:
    """Of the repository."""
    found: set[str] = set()
    for folder, below, here in os.walk(ROOT):
        below[:] = [each for each in below if each not in NOT_OURS and each[0] != "."]
        found.update(str(PurePosixPath(folder).relative_to(ROOT) / each) for each in here)
    return frozenset(found)


@cache
def folders() -> frozenset[str]:
    """Those that hold one of its files."""
    return frozenset(str(above) for each in files() for above in PurePosixPath(each).parents)


@cache
def names() -> dict[str, list[str]]:
    """Of its files, without their folders; with the files of each name."""
    found: dict[str, list[str]] = {}
    for each in files():
        found.setdefault(each.rpartition("/")[2], []).append(each)
    return found


def is_there(path: str) -> bool:
    """A file or folder by its path from the root, or a file by its name alone."""
    path = path.rstrip("/.")
    known = path in files() or path in folders() or ("/" not in path and path in names())
    return known or any(each in f"/{path}" or path.startswith(each) for each in INVENTED)


def is_module(dotted: str) -> bool:
    """A package, a module, or something that one declares or a package gives out."""
    parts = dotted.split(".")
    for count in range(len(parts), 0, -1):
        path, inside = "/".join(parts[:count]), ".".join(parts[count:])
        if f"{path}.py" in files():
            return not inside or declares(f"{path}.py", inside)
        if path in folders():
            return not inside or inside in _given_out(f"{path}/__init__.py")
    return False


def _given_out(file: str) -> set[str]:
    """What a package imports or lists (some load when they are first used), and what it declares itself."""
    nodes = list(ast.walk(ast.parse(source_of(file))))
    imported = {each.name for node in nodes if isinstance(node, ast.ImportFrom) for each in node.names}
    listed = {str(node.value) for node in nodes if isinstance(node, ast.Constant)}
    return (
        imported | listed | {node.name for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    )


def named_in(text: str) -> Iterator[str]:
    """What a text names that is not there."""
    paths = dict.fromkeys((*_FILE.findall(text), *_FOLDER.findall(text)))
    yield from (each for each in paths if not is_there(each))
    modules = (each for each in _MODULE.findall(text) if each.split(".")[-1] not in TEXTS)
    yield from (each for each in modules if each not in GROUPS and not is_module(each))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_a_document_names_exists(document: str) -> None:
    text = source_of(document)
    missing = [each for code in _CODE.findall(text) for each in named_in(code)]
    here = (ROOT / document).parent
    missing += [link for link in _LINK.findall(text) if not (here / link).exists()]
    assert missing == []


def test_what_docstrings_name_in_back_quotes_exists() -> None:
    """A name alone is of a file in the same folder, or in one below it; any other is said from the root."""
    missing = []
    for file in sorted(files()):
        if not file.endswith(".py") or "/data/" in file or file.startswith("tests/"):
            continue
        here = PurePosixPath(file).parent
        if any(_far_names(source_of(file), here)):  # in most files nothing is: they need not be parsed
            missing += [f"{file}: {each}" for text in _docstrings(file) for each in _far_names(text, here)]
    assert missing == []


def _far_names(text: str, here: PurePosixPath) -> Iterator[str]:
    for code in re.findall(r"`([^`\n]+)`", text):
        yield from (each for each in _FILE.findall(code) if not _is_near(each, here))


def _is_near(path: str, here: PurePosixPath) -> bool:
    if "/" in path:
        return is_there(path) or str(here / path) in files()
    return any(each.startswith(f"{here}/") for each in names().get(path, ())) or not _is_ours(path)


def _is_ours(name: str) -> bool:
    """Files of Python alone: data files are named for what users write, too."""
    return name.endswith((".py", ".ts"))


def _docstrings(file: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source_of(file))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("`framework/registrar/core.py`, `core.py`, `resources/web/page/src/operator/masters/`", []),
        (
            "`framework/registrar/heart.py`, `no_such_file.py`",
            ["framework/registrar/heart.py", "no_such_file.py"],
        ),
        ("`resources.web.static_files.load`, `framework.testing`, `pilothouse.actions()`", []),
        ("`resources.cameras`", ["resources.cameras"]),
        ("`actions/wave/phrases.yaml`", []),
    ],
)
def test_what_is_not_there_is_found(text: str, missing: list[str]) -> None:
    assert [each for code in _CODE.findall(text) for each in named_in(code)] == missing


def test_the_changelog_s_table_of_renamed_names_is_true() -> None:
    """What is to be used now exists, and what was before does not."""
    _, _, table = source_of("CHANGELOG.md").partition("| before | now |")
    rows = [line.split(" | ") for line in table.partition("\n\n")[0].splitlines()[2:]]
    assert len(rows) > 10 and {len(row) for row in rows} == {2}
    for before, now in rows:
        assert [each for code in _CODE.findall(now) for each in named_in(code)] == []
        assert [each for each in _front_door(now) if not hasattr(pilothouse, each)] == []
        assert [each for each in _MODULE.findall(before) if is_module(each)] == []
        assert [each for each in _front_door(before) if hasattr(pilothouse, each)] == []


def _front_door(text: str) -> list[str]:
    return re.findall(r"`ph\.(\w+)`", text)
