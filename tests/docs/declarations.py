"""What a source file declares: functions, classes, methods; Python by its syntax, TypeScript by search."""

from __future__ import annotations

import ast
import re
from functools import cache

from tests.docs.layers import ROOT

_WORDS = r"(?:(?:private|public|protected|static|async|get|set|readonly|export|abstract|default|declare) )*"


@cache
def source_of(path: str) -> str:
    """The text of a file of the repository; "" if there is none."""
    file = ROOT / path
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def declares(path: str, name: str) -> bool:
    """Whether a file declares `function`, `Class` or `Class.method`."""
    if path.endswith(".py"):
        return name in _in_python(path)
    return _in_typescript(source_of(path), name)


@cache
def _in_python(path: str) -> frozenset[str]:
    found: set[str] = set()
    for node in ast.parse(source_of(path)).body:
        match node:
            case ast.ClassDef():
                found.add(node.name)
                methods = [
                    each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
                ]
                found.update(f"{node.name}.{each.name}" for each in methods)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                found.add(node.name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                found.add(name)
    return frozenset(found)


def _in_typescript(source: str, name: str) -> bool:
    owner, _, member = name.rpartition(".")
    if not owner:
        kinds = "function|class|interface|type|const"
        return re.search(rf"^{_WORDS}(?:{kinds}) {re.escape(name)}\b", source, re.MULTILINE) is not None
    body = re.search(rf"^{_WORDS}class {re.escape(owner)}\b.*?^}}", source, re.MULTILINE | re.DOTALL)
    method = rf"^  {_WORDS}{re.escape(member)}(?:<[^>]*>)?\("
    return body is not None and re.search(method, body.group(), re.MULTILINE) is not None
