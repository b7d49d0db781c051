"""`pilothouse experiment`: runs an experiment and shows its figures (they are in `experiments/`)."""

from __future__ import annotations

import argparse
import asyncio
import inspect
import os
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from framework.errors import PilothouseError, PluginUnavailable
from framework.scenarios.picture import why_no_pictures
from pilothouse.cli.seed_number import seed_number
from pilothouse.experiments import NAMES, load
from pilothouse.experiments.definition import Experiment, Figures, facts
from pilothouse.experiments.report import document, formats, picture, table, written
from pilothouse.leaving import Leaving

WRONG_USE: Final = 2
FAILED: Final = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What can be said after `pilothouse experiment`."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="which one; without a name they are listed")
    parser.add_argument("--list", action="store_true", help="list the experiments")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, as JSON")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the figures there (.png, .svg, .pdf)")
    parser.add_argument(
        "--seed", type=seed_number, default=0, metavar="N", help="where randomness begins (0)"
    )
    parser.add_argument("--strict", action="store_true", help="exit 1 if a goal was missed")
    for name in NAMES:
        if files := facts(name).files:
            group = parser.add_argument_group(f"other files for {name}")
            for option, help_text in files.items():
                group.add_argument(f"--{option}", type=Path, metavar="FILE", help=help_text)


def run(args: argparse.Namespace) -> int:
    """Do what was asked.

    Returns 0 if it ran (with `--strict`: and met its goals), 1 if it failed, 2 if it was asked for wrongly.
    """
    console = Console()
    if args.list or args.name is None:
        _list(console)
        return 0
    try:
        experiment = load(args.name)
        _check_files(args.json, args.plot)
        files = _given(args, experiment)
    except PluginUnavailable as error:
        return _complain(str(error))
    except OSError as error:
        return _complain(f"{error.filename or 'the file'} cannot be written: {error.strerror or error}")
    try:
        with Leaving():
            figures = _measure(experiment, args.seed, files)
    except PilothouseError as error:
        print(f"pilothouse: the experiment {experiment.name} failed: {error}", file=sys.stderr)
        return FAILED
    console.print(table(experiment, figures))
    try:
        _keep(experiment, figures, args)
    except OSError as error:
        return _complain(f"{error.filename or 'the file'} cannot be written: {error.strerror or error}")
    missed = experiment.missed(figures)
    if missed:
        console.print(f"Not reached: {', '.join(missed)}.", style="bold red")
    return FAILED if missed and args.strict else 0


def _list(console: Console) -> None:
    for name in NAMES:
        console.print(f"{name:<20} {facts(name).summary}", highlight=False, markup=False)


def _given(args: argparse.Namespace, experiment: Experiment) -> dict[str, Path]:
    """The files that were handed in. Raises PluginUnavailable for one that cannot be used."""
    given: dict[str, Path] = {}
    for option in dict.fromkeys(option for name in NAMES for option in facts(name).files):
        file = getattr(args, option.replace("-", "_"), None)  # as argparse names it
        if file is None:
            continue
        if option not in experiment.facts.files:
            raise PluginUnavailable(f"--{option}", f"the experiment {args.name} takes no such file")
        if not file.is_file():
            raise PluginUnavailable(f"--{option}", f"there is no file {file}")
        given[option] = file
    return given


def _measure(experiment: Experiment, seed: int, files: Mapping[str, Path]) -> Figures:
    run = experiment.run_on(files) if files and experiment.run_on is not None else experiment.run
    with _Watched() as progress:
        result = run(progress, seed)
        if inspect.isawaitable(result):
            return asyncio.run(cast(Coroutine[Any, Any, Figures], result))
        return result


def _keep(experiment: Experiment, figures: Figures, args: argparse.Namespace) -> None:
    if args.json is not None:
        content = written(document(experiment, figures, args.seed))
        _replace(args.json, lambda beside: beside.write_bytes(content))
    if args.plot is not None:
        _replace(args.plot, lambda beside: picture(experiment, figures, beside))


def _check_files(json: Path | None, plot: Path | None) -> None:
    """Before minutes of measuring: can the results be kept?"""
    if plot is not None and (missing := why_no_pictures()):
        raise PluginUnavailable("--plot", missing)
    if plot is not None and plot.suffix.lower().removeprefix(".") not in formats():
        allowed = ", ".join(f".{ending}" for ending in formats())
        raise OSError(0, f"a picture ends in one of {allowed}", str(plot))
    if json is not None and plot is not None and json.resolve() == plot.resolve():
        raise OSError(0, "the figures and the picture need a file each", str(json))
    for file in (json, plot):
        if file is not None:
            if file.is_dir():
                raise IsADirectoryError(0, "it is a folder; give a file in it", str(file))
            _replace(file, lambda beside: None, only_try=True)


def _replace(file: Path, write: Callable[[Path], object], *, only_try: bool = False) -> None:
    """Write beside the file, then rename: what stood there stays until the new one is whole."""
    if file.exists() and not file.is_file():  # a pipe, /dev/null, /dev/stdout
        if not only_try:
            write(file)
        return
    file = file.resolve()
    try:
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=".", suffix=file.suffix)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(file)) from error
    os.close(handle)
    beside = Path(name)
    try:
        if not only_try:
            write(beside)
            umask = os.umask(0)
            os.umask(umask)
            beside.chmod(0o666 & ~umask)
            beside.replace(file)
    finally:
        with suppress(FileNotFoundError):
            beside.unlink()


def _complain(text: str) -> int:
    print(f"pilothouse: {text}", file=sys.stderr)
    return WRONG_USE


class _Watched:
    """A bar on the terminal. It has no thread of its own, which would be measured as well."""

    REDRAW_S: Final = 0.25

    def __init__(self) -> None:
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            auto_refresh=False,
            transient=True,
        )
        self._task: TaskID | None = None
        self._drawn_s = 0.0

    def __enter__(self) -> _Watched:
        self._bars.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bars.stop()

    def begin(self, what: str, steps: int) -> None:
        """The next part of the run."""
        if self._task is not None:
            self._bars.remove_task(self._task)
        self._task = self._bars.add_task(what, total=steps)
        self._bars.refresh()

    def step(self) -> None:
        """One step more; drawn four times a second."""
        if self._task is not None:
            self._bars.advance(self._task)
        now_s = time.monotonic()
        if now_s - self._drawn_s > self.REDRAW_S:
            self._drawn_s = now_s
            self._bars.refresh()
