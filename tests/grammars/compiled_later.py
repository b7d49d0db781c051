"""What is compiled when a test uses it first: workers import all files, few need what is in them.

So a worker that runs no test of the language does not load spaCy either.
"""

from __future__ import annotations

from typing import Any

from grammars import Language
from grammars.reading.recogniser import Recogniser


class _Later:
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._arguments = (args, kwargs)

    def __getattr__(self, name: str) -> Any:
        """Only what is not there yet is looked up here; pytest asks each object what it is to a test."""
        if "_arguments" not in self.__dict__ or name.startswith(("__", "_pytest", "pytest")):
            raise AttributeError(name)
        args, kwargs = self.__dict__.pop("_arguments")
        already = dict(self.__dict__)  # a method may have set something before it missed something
        super().__init__(*args, **kwargs)
        self.__dict__.update(already)
        return getattr(self, name)


class CompiledLater(_Later, Language):
    """A `Language`, with the same arguments."""


class RecogniserLater(_Later, Recogniser):
    """A `Recogniser`, with the same arguments."""
