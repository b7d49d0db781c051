"""The state folder: written, damaged in whatever way, taken up again, and never lost."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from framework.errors import InstallationError, PilothouseError
from framework.scenarios.invariants import Breach
from framework.state import StateFolder
from pilothouse.testbed.histories.stage import History, HistoryStage, must

KEEPING = Breach.KEEPING


class Spot(msgspec.Struct, frozen=True):
    """Something that is remembered."""

    x: float
    y: float = 0.0


class Spots(msgspec.Struct, frozen=True):
    """The same as a list."""

    spots: tuple[Spot, ...] = ()


def checked(spot: Spot) -> None:
    """No arm reaches further."""
    if abs(spot.x) > 10.0:
        raise PilothouseError(f"{spot.x} is out of reach")


async def damage(stage: HistoryStage) -> None:
    """What is good stays, what is not understood is set aside whole and told; so at the next start."""
    lots = stage.lots
    path = stage.folder / "state"
    folder = StateFolder(path)
    as_list = lots.random() < 0.4
    good = [Spot(lots.uniform(-5.0, 5.0), float(number)) for number in range(lots.randint(1, 5))]
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
        ("truncated", "emptied", "garbage", "bad entry", "bad entry", "of a later version", "a folder")
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
            content = in_file([*entries, {"x": 1.0, "y": 2.0, "z": 3.0}], as_list)
            left = [*good, Spot(1.0, 2.0)]
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


HISTORIES: Final = (History(damage, None, 4), History(versions), History(no_room))
