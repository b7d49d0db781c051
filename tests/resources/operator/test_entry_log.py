"""Who came in and who was turned away stands in the log, and nobody can flood it."""

from __future__ import annotations

from pathlib import Path

import aiohttp

from resources.operator.entry_log import MOST_NOTES, REFUSALS_AT_ONCE, REFUSALS_PER_S, EntryLog
from resources.operator.sessions import FORGOTTEN_S, Session
from resources.types.operator import DeviceKind, Entered, Refusal, TurnedAway
from tests.resources.operator.serving import Harness, browser, next_of, serve, signed_in

Client = aiohttp.ClientSession
HERE = "127.0.0.1"


def test_refusals_are_counted_where_they_are_too_many() -> None:
    log, at_once = EntryLog(), int(REFUSALS_AT_ONCE)
    for _ in range(at_once + 7):
        log.turned_away(Refusal.WRONG_CODE, "10.0.0.9", 0.0)
    assert [note.number for note in log.notes] == list(range(1, at_once + 1))
    log.turned_away(Refusal.UNKNOWN, "10.0.0.9", 1.0 / REFUSALS_PER_S)
    assert log.notes[-1] == TurnedAway(at_once + 1, Refusal.UNKNOWN, "10.0.0.9", 7)


def test_who_came_in_is_always_noted_and_only_the_newest_are_kept() -> None:
    log, session = EntryLog(), Session("id", "phone 1", DeviceKind.PHONE, b"", 0.0)
    for _ in range(MOST_NOTES + 3):
        log.entered(session, HERE, by_code=True)
    assert len(log.notes) == MOST_NOTES
    assert log.notes[-1] == Entered(MOST_NOTES + 3, "phone 1", DeviceKind.PHONE, HERE, True)


def test_pairing_refusals_and_coming_back_are_noted_with_address_and_reason(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        notes = harness.operators.log
        changes = harness.changes
        async with client.post("/pair", json={"token": "guess", "kind": "phone"}):
            assert harness.changes > changes
        await harness.pair(client, name="Anna")
        harness.ahead_s += FORGOTTEN_S + 1.0
        harness.operators.look()
        (away,) = harness.operators.away()
        assert (away.name, away.kind) == ("phone 1 (Anna)", DeviceKind.PHONE)
        async with client.get("/pair"):
            pass
        assert harness.operators.away() == ()
        async with client.get("/pair", headers={"Origin": "http://evil.example"}):
            pass
        async with browser(harness) as stranger:
            async with stranger.get("/pair"):  # who has no secret at all is nobody who was refused
                pass
            async with await signed_in(harness, stranger, secret="guessed") as socket:
                await next_of(socket, "refused")
        harness.operators.kick("phone 1 (Anna)", "Eve has ended this session")
        async with client.get("/pair"):
            pass
        assert notes.notes == (
            TurnedAway(1, Refusal.NO_CODE, HERE),
            Entered(2, "phone 1 (Anna)", DeviceKind.PHONE, HERE, True),
            Entered(3, "phone 1 (Anna)", DeviceKind.PHONE, HERE, False),
            TurnedAway(4, Refusal.OTHER_SITE, HERE),
            TurnedAway(5, Refusal.UNKNOWN, HERE),
            TurnedAway(6, Refusal.REVOKED, HERE),
        )

    serve(scenario, tmp_path)
