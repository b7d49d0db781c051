"""The state folder: written, damaged in whatever way, taken up again, and never lost."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from random import Random
from typing import Any, Final
from unittest import mock

import msgspec

from framework.errors import DescriptionError, InstallationError, PilothouseError
from framework.scenarios.invariants import Breach
from framework.state import StateFolder, default_state_folder
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.stage import History, HistoryStage

KEEPING = Breach.KEEPING
AT_ONCE_S: Final = 0.05
"""Real time: what is done beside something else begins by then."""


class Mark(msgspec.Struct, frozen=True):
    """Part of it."""

    name: str
    colour: str = ""


class Spot(msgspec.Struct, frozen=True):
    """Something that is remembered."""

    x: float
    y: float = 0.0
    marks: tuple[Mark, ...] = ()


class Spots(msgspec.Struct, frozen=True):
    """The same as a list."""

    spots: tuple[Spot, ...] = ()


def checked(spot: Spot) -> None:
    """No arm reaches further."""
    if abs(spot.x) > 10.0:
        raise PilothouseError(f"{spot.x} is out of reach")


def _drawn(lots: Random, number: int) -> Spot:
    marks = tuple(Mark(f"mark {each}", lots.choice(("", "red"))) for each in range(lots.randint(0, 2)))
    return Spot(lots.uniform(-5.0, 5.0), float(number), marks)


async def damage(stage: HistoryStage) -> None:
    """What is good stays, what is not understood is set aside whole and told; so at the next start."""
    lots = stage.lots
    path = stage.folder / "state"
    folder = StateFolder(path)
    as_list = lots.random() < 0.4
    good = [_drawn(lots, number) for number in range(lots.randint(1, 5))]
    kind: Any = Spots if as_list else dict[str, Spot]
    written: object = Spots(tuple(good)) if as_list else {f"spot {each.y:g}": each for each in good}
    folder.write("spots", written)
    must(
        StateFolder(path).restore("spots", kind, checked) == written,
        "what was written is not what is read",
        KEEPING,
    )
    file = path / "spots.json"
    entries = [msgspec.to_builtins(each) for each in good]
    how = lots.choice(
        (
            "truncated",
            "emptied",
            "garbage",
            "bad entry",
            "bad entry",
            "of a later version",
            "of a later version",
            "of an earlier version",
            "another shape",
            "a folder",
        )
    )
    left = good
    match how:
        case "truncated":
            content = file.read_bytes()[: lots.randrange(1, len(file.read_bytes()) - 1)]
            left = []
        case "emptied":
            content, left = b"", []
        case "garbage":
            content, left = bytes(lots.randrange(256) for _ in range(lots.randint(1, 3000))), []
        case "bad entry":
            bad = lots.choice(({"x": 99.0, "y": 1.0}, {"x": "left"}, 7, {"y": 1.0}))
            content = in_file([*entries, bad], as_list)
        case "of a later version":
            more: Any = {"x": 1.0, "y": 2.0, "z": 3.0}
            left = [*good, Spot(1.0, 2.0)]
            if lots.random() < 0.5:
                more = {"x": 1.0, "y": 2.0, "marks": [{"name": "a"}, {"name": "b", "form": "round"}]}
                left = [*good, Spot(1.0, 2.0, (Mark("a"), Mark("b")))]
            content = in_file([*entries, more], as_list)
        case "of an earlier version":  # there was less to be said
            file.write_bytes(in_file([*entries, {"x": 1}, {"x": 2.0, "marks": [{"name": "a"}]}], as_list))
            earlier = StateFolder(path)
            read = spots_of(earlier.restore("spots", kind, checked))
            wanted = [*good, Spot(1.0), Spot(2.0, marks=(Mark("a"),))]
            must(read == wanted, f"{how}: {read} are left", KEEPING)
            must(not earlier.notes, f"{how}: told as {earlier.notes}", Breach.TOLD_TWICE)
            must(
                not [each for each in path.iterdir() if "set-aside" in each.name],
                f"{how}: it is gone",
                KEEPING,
            )
            return
        case "another shape" if as_list and lots.random() < 0.5:  # it holds something that nobody knows
            content = msgspec.json.encode({"spots": entries, "more": [1.0]})
        case "another shape":
            none = lots.choice((b"[]", b"7", b'"spots"', b"[1.0, 2.0]", b"null"))
            content, left = (b'{"spots": {"x": 1.0}}' if as_list else none), []
        case _:
            file.unlink()
            file.mkdir()
            await unreadable(StateFolder(path), kind)
            must(file.is_dir(), "what could not be read is written over", KEEPING)
            return
    file.write_bytes(content)
    again = StateFolder(path)
    found = again.restore("spots", kind, checked)
    values = spots_of(found)
    must(values == left, f"{how}: of {len(left)} good ones {len(values)} are left, or others", KEEPING)
    aside = [each for each in path.iterdir() if "set-aside" in each.name]
    must([each.read_bytes() for each in aside] == [content], f"{how}: it is not kept as it was", KEEPING)
    must(len(again.notes) == 1, f"{how}: told {len(again.notes)} times", Breach.UNTOLD)
    must(len(again.notes[0]) < 600, f"{how}: it is told in {len(again.notes[0])} characters", Breach.UNTOLD)
    note = again.notes[0]
    must(note.isprintable(), f"{how}: it is told as {note!r}", Breach.UNTOLD)
    if how == "emptied":
        must("empty" in note, f"{how}: it is told as {note!r}", Breach.UNTOLD)
    elif how == "truncated":  # what it begins with is quoted, and what has no sign of its own is another one
        begins = "".join(
            each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in content.decode()
        )
        must(begins[:10] in note, f"{how}: it is told as {note!r}", Breach.UNTOLD)
    third = StateFolder(path)
    found = third.restore("spots", kind, checked)
    values = spots_of(found)
    must(values == left and not third.notes, f"{how}: the next start finds something else", KEEPING)
    third.write("spots", written)
    must(
        StateFolder(path).restore("spots", kind, checked) == written,
        f"{how}: it cannot be written any more",
        KEEPING,
    )
    must([each.read_bytes() for each in aside] == [content], f"{how}: what was set aside is gone", KEEPING)


def spots_of(found: Any) -> list[Spot]:
    """In whichever form."""
    if found is None:
        return []
    return list(found.spots if isinstance(found, Spots) else found.values())


async def unreadable(folder: StateFolder, kind: Any) -> None:
    """A disk that does not give it: nothing of it is lost by a write."""
    must(
        folder.restore("spots", kind, checked) is None and folder.notes,
        "it is not told that it cannot be read",
        Breach.UNTOLD,
    )
    try:
        folder.write("spots", {})
    except InstallationError:
        return
    must(False, "what could not be read is written over", KEEPING)


def in_file(entries: list[object], as_list: bool) -> bytes:
    """As somebody else may have written it."""
    return msgspec.json.encode(
        {"spots": entries} if as_list else {f"spot {n}": each for n, each in enumerate(entries)}
    )


async def versions(stage: HistoryStage) -> None:
    """A folder whose version was not written whole is taken; one of a later version is left as it is."""
    lots = stage.lots
    with mock.patch.dict(os.environ, {"HOME": "/home/ann"}):
        os.environ.pop("XDG_STATE_HOME", None)
        base = lots.choice(("", "/var/state"))
        if base or lots.random() < 0.5:
            os.environ["XDG_STATE_HOME"] = base
        where = Path(base or "/home/ann/.local/state") / "pilothouse"
        must(default_state_folder() == where, f"it is kept in {default_state_folder()}, not {where}", KEEPING)
    path = stage.folder / "state"
    StateFolder(path).write("spots", {"a": Spot(1.0)})
    version = path / "version"
    content = lots.choice((b"", b"\x00\xff", b"one", b"2\n", b"17"))
    version.write_bytes(content)
    is_later = content.strip().isdigit()
    try:
        folder = StateFolder(path)
    except InstallationError as error:
        must(is_later, f"a version that was not written whole is refused: {error}", KEEPING)
        must(
            version.read_bytes() == content and (path / "spots.json").exists(),
            "a later folder is changed",
            KEEPING,
        )
        return
    must(not is_later, "a folder of a later version is used", KEEPING)
    must(
        folder.restore("spots", dict[str, Spot], checked) == {"a": Spot(1.0)},
        "what was in it is lost",
        KEEPING,
    )
    must(folder.notes, "it is not told", Breach.UNTOLD)
    must(not StateFolder(path).notes, "it is told at each start", Breach.TOLD_TWICE)


async def no_room(stage: HistoryStage) -> None:
    """Nothing can be written for a while: said in words, and what was there is whole."""
    path = stage.folder / "state"
    folder = StateFolder(path)
    folder.write("spots", {"a": Spot(1.0)})
    away = path.with_name("away")
    path.rename(away)
    path.touch()
    failed: list[str] = []
    try:
        folder.write("spots", {"b": Spot(2.0)})
        must(False, "a write that was none is none", KEEPING)
    except InstallationError:
        pass
    folder.write_later("spots", {"c": Spot(3.0)}, failed.append)
    folder.flush()
    must(len(failed) == 1, f"a later write that fails is told {len(failed)} times", Breach.UNTOLD)
    path.unlink()
    away.rename(path)
    must(folder.read("spots", dict[str, Spot]) == {"a": Spot(1.0)}, "what was there is lost", KEEPING)
    for number in range(3):
        folder.write_later("spots", {"d": Spot(float(number))}, failed.append)
    folder.flush()
    must(
        folder.read("spots", dict[str, Spot]) == {"d": Spot(2.0)},
        "of several writes another than the last counts",
        KEEPING,
    )
    (path / ".spots.json.half").write_bytes(b"{")
    folder.sweep()
    must(not list(path.glob(".spots*")), "what was cut off is left", Breach.LEAKED)


async def stuck(stage: HistoryStage) -> None:
    """What is damaged and cannot be set aside stays as it is: told once, used as far as it is good."""
    lots = stage.lots
    path = stage.folder / "state"
    name = "s" * 238  # with a date behind it, it is longer than a file's name may be
    folder = StateFolder(path)
    folder.write(name, {"a": Spot(1.0)})
    file = path / f"{name}.json"
    content = lots.choice((b"{", in_file([{"x": 1.0, "y": 0.0}, {"x": "left"}], as_list=False)))
    file.write_bytes(content)
    again = StateFolder(path)
    found = again.restore(name, dict[str, Spot], checked)
    must(spots_of(found) == ([] if content == b"{" else [Spot(1.0)]), "what is good of it is lost", KEEPING)
    must(len(again.notes) == 1, f"that it stays as it is is told {len(again.notes)} times", Breach.UNTOLD)
    must("cannot be set aside" in again.notes[0], f"told as {again.notes[0]}", Breach.UNTOLD)
    failed: list[str] = []
    try:
        again.write(name, {"b": Spot(2.0)})
        must(False, "what is not understood is written over", KEEPING)
    except InstallationError:
        pass
    again.write_later(name, {"c": Spot(3.0)}, failed.append)
    again.flush()
    must(file.read_bytes() == content, "what is not understood is written over", KEEPING)
    must(len(failed) == 1, f"a later write that is refused is told {len(failed)} times", Breach.UNTOLD)


async def one_writer(stage: HistoryStage) -> None:
    """Later writes come one after the other, and a flush waits for all of them."""
    path = stage.folder / "state"
    folder = StateFolder(path)
    (path / "slow.json").mkdir()
    second = threading.Event()
    done: list[str] = []

    def slow(words: str) -> None:
        if second.wait(AT_ONCE_S):
            done.append("beside")
        done.append("first")

    def quick(words: str) -> None:
        second.set()
        done.append("second")

    folder.write_later("slow", {"a": Spot(1.0)}, slow)
    (path / "quick.json").mkdir()
    folder.write_later("quick", {"a": Spot(1.0)}, quick)
    folder.write_later("spots", {"a": Spot(1.0)}, done.append)
    folder.flush()
    must(done == ["first", "second"], f"of two writes, one after the other, come {done}", KEEPING)
    must(
        folder.read("spots", dict[str, Spot]) == {"a": Spot(1.0)},
        "a flush does not wait for what is to be written",
        KEEPING,
    )


async def forgotten(stage: HistoryStage) -> None:
    """What is removed stays away, twice is once; what cannot be read is said to be so, and nothing else."""
    path = stage.folder / "state"
    folder = StateFolder(path)
    folder.write("spots", {"a": Spot(1.0)})
    folder.remove("spots")
    folder.remove("spots")
    must(folder.read("spots", dict[str, Spot]) is None, "what was removed is there", KEEPING)
    must(folder.restore("spots", dict[str, Spot], checked) is None, "what was removed is restored", KEEPING)
    must(not folder.notes, "it is told that nothing is there", Breach.TOLD_TWICE)
    (path / "spots.json").write_bytes(stage.lots.choice((b"{", b"[1]", b'{"a": 1}')))
    try:
        folder.read("spots", dict[str, Spot])
        must(False, "what is no such thing is read as one", KEEPING)
    except DescriptionError as error:
        must("spots" in str(error), f"it is not said what: {error}", Breach.UNTOLD)
    must((path / "spots.json").exists(), "who only reads sets aside", KEEPING)
    (path / "spots.json").unlink()
    (path / "spots.json").mkdir()
    try:
        folder.remove("spots")
        must(False, "what cannot be removed is", KEEPING)
    except InstallationError:
        pass
    folder.sweep()
    mode = path.stat().st_mode & 0o777
    must(mode == 0o700, f"others may look into the state folder: {mode:o}", KEEPING)


HISTORIES: Final = (
    History(damage, None, 6),
    History(versions),
    History(no_room),
    History(stuck),
    History(one_writer),
    History(forgotten),
)
