"""How one gets in, and who is who, without a socket: codes, tries, secrets, coming back."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import msgspec
import pytest

from resources.operator.pairing import LONGEST_S, PAIRING_S, Attempt, PairingDesk, new_secret
from resources.operator.sessions import (
    COMES_BACK_S,
    FORGOTTEN_S,
    MOST_AWAY,
    MOST_GIVEN_CHARS,
    MOST_SESSIONS,
    Memory,
    SessionBook,
)
from resources.types.operator import CodeEnd, DeviceKind

PHONE, HEADSET, DESK = DeviceKind.PHONE, DeviceKind.HEADSET, DeviceKind.DESK


def numbered() -> Callable[[], str]:
    numbers = itertools.count(1)
    return lambda: f"code-{next(numbers)}"


# ---------------------------------------------------------------- codes


def test_codes_have_128_bits_and_never_repeat() -> None:
    codes = {new_secret() for _ in range(1000)}
    assert len(codes) == 1000
    assert all(len(code) == 22 and code.replace("-", "").replace("_", "").isalnum() for code in codes)


def test_nobody_gets_in_while_no_code_is_open() -> None:
    desk = PairingDesk()
    assert desk.present("", 0.0) is Attempt.NONE_OPEN
    assert desk.present("guess", 0.0) is Attempt.NONE_OPEN


def test_a_code_lets_one_device_in_and_says_so_to_the_second() -> None:
    desk = PairingDesk()
    token = desk.open(10.0)
    assert desk.present(token, 11.0) is Attempt.GOOD
    assert desk.token == ""
    assert desk.present(token, 12.0) is Attempt.USED
    second = desk.open(13.0)
    assert desk.present(token, 14.0) is Attempt.USED
    assert desk.present(second, 15.0) is Attempt.GOOD


def test_wrong_tries_change_nothing_for_who_has_the_code() -> None:
    desk = PairingDesk()
    token = desk.open(0.0)
    for number in range(1000):
        assert desk.present(f"{token}{number}", 1.0) is Attempt.WRONG
    assert desk.present("", 1.0) is Attempt.WRONG
    assert desk.present(token, 1.0) is Attempt.GOOD


@pytest.mark.parametrize("for_s", [PAIRING_S, 5.0])
def test_a_code_is_good_for_its_time_and_not_a_moment_longer(for_s: float) -> None:
    desk = PairingDesk()
    token = desk.open(100.0, for_s)
    assert not desk.has_expired(100.0 + for_s - 1e-3)
    assert desk.present(token, 100.0 + for_s) is Attempt.EXPIRED
    assert desk.token == "" and desk.expires_s == 0.0
    assert desk.present(desk.open(0.0, for_s), for_s - 1e-3) is Attempt.GOOD


def test_no_code_is_open_for_longer_than_is_sensible() -> None:
    desk = PairingDesk()
    desk.open(0.0, 1e9)
    assert desk.expires_s == LONGEST_S
    desk.open(0.0, -5.0)
    assert desk.has_expired(0.0)


def test_a_new_code_voids_the_one_before() -> None:
    desk = PairingDesk(numbered())
    assert desk.open(0.0) == "code-1"
    assert desk.open(1.0) == "code-2"
    assert desk.present("code-1", 2.0) is Attempt.EXPIRED
    assert desk.present("code-2", 2.0) is Attempt.GOOD


def test_it_is_known_what_became_of_the_code_before() -> None:
    desk = PairingDesk()
    assert desk.ended is None
    desk.present(desk.open(0.0), 1.0)
    assert desk.ended is CodeEnd.USED
    desk.open(2.0)
    assert desk.ended is None, "one is open"
    assert desk.has_expired(2.0 + PAIRING_S)
    assert desk.ended is CodeEnd.EXPIRED
    desk.present("guess", 302.0 + PAIRING_S)
    assert desk.ended is CodeEnd.EXPIRED


def test_what_is_said_tells_what_to_do() -> None:
    assert Attempt.GOOD.value == ""
    assert all("code" in each.value for each in Attempt if each is not Attempt.GOOD)


def test_odd_characters_are_wrong_and_nothing_else() -> None:
    desk = PairingDesk()
    desk.open(0.0)
    for text in ("\udc80", "\x00", "🤖" * 50):
        assert desk.present(text, 1.0) is Attempt.WRONG


# ---------------------------------------------------------------- sessions


def test_names_count_for_each_kind_and_are_never_given_twice() -> None:
    book = SessionBook()
    names = [book.admit(kind, "", 0.0)[0].name for kind in (PHONE, HEADSET, PHONE, DESK)]
    assert names == ["phone 1", "headset 1", "phone 2", "desk 1"]
    first = book.find("phone 1")
    assert first is not None
    book.remove(first)
    assert book.admit(PHONE, "", 0.0)[0].name == "phone 3"


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("Anna", "phone 1 (Anna)"),
        ("  Jüri's   Pixel-8  ", "phone 1 (Jüris Pixel-8)"),
        ("console page 1\n\x1b[31m", "phone 1 (console page 131m)"),
        ("<b>x</b>", "phone 1 (bxb)"),
        ("x" * 500, f"phone 1 ({'x' * MOST_GIVEN_CHARS})"),
        ("\u202e()", "phone 1"),
    ],
)
def test_given_names_are_only_added_and_only_plain(given: str, name: str) -> None:
    assert SessionBook().admit(PHONE, given, 0.0)[0].name == name


def test_a_page_loaded_anew_is_the_same_session() -> None:
    book = SessionBook()
    session, secret = book.admit(PHONE, "", 0.0)
    assert book.of_secret(secret, 5.0) is session
    assert book.of_secret(f"{secret}x", 5.0) is None
    assert book.of_secret("", 5.0) is None
    assert secret not in repr(book.memory())


def test_the_forgotten_come_back_under_their_name_as_somebody_new() -> None:
    book = SessionBook()
    session, secret = book.admit(PHONE, "Anna", 0.0)
    book.is_alive(session, True, 10.0)
    book.is_alive(session, False, 20.0)
    book.is_alive(session, False, 70.0)
    assert book.forget(20.0 + FORGOTTEN_S - 0.1) == ()
    assert book.forget(20.0 + FORGOTTEN_S) == (session,)
    assert book.find(session.id) is None and book.find(session.name) is None
    back = book.of_secret(secret, 20.0 + COMES_BACK_S - 1.0)
    assert back is not None
    assert back.name == "phone 1 (Anna)" and back.kind is PHONE
    assert back.id != session.id, "nothing that followed the old one is to follow this one"


def test_who_is_away_for_more_than_an_hour_pairs_anew() -> None:
    book = SessionBook()
    _, secret = book.admit(PHONE, "", 0.0)
    book.forget(FORGOTTEN_S)
    assert book.of_secret(secret, COMES_BACK_S) is None


def test_who_is_kicked_pairs_anew() -> None:
    book = SessionBook()
    session, secret = book.admit(PHONE, "", 0.0)
    book.remove(session)
    assert book.of_secret(secret, 1.0) is None
    assert book.memory().away == ()


def test_who_is_kicked_while_away_pairs_anew_and_nobody_else() -> None:
    """Its process was started anew, and its page has not come back yet; or it was silent for too long."""
    before = SessionBook()
    secrets = [before.admit(PHONE, "", 0.0)[1] for _ in range(2)]
    book = SessionBook(before.memory())
    assert book.bar("phone 1", "sent away") and not book.bar("phone 1") and not book.bar("phone 7")
    assert book.of_secret(secrets[0], 1.0) is None
    assert [book.why_void(secret) for secret in (*secrets, "guessed")] == ["sent away", "", ""]
    assert [away.name for away in book.memory().away] == ["phone 2"]
    assert book.of_secret(secrets[1], 1.0) is not None


def test_the_reasons_of_void_secrets_are_not_kept_without_end() -> None:
    book = SessionBook()
    secrets = []
    for _ in range(MOST_AWAY + 1):
        session, secret = book.admit(PHONE, "", 0.0)
        book.remove(session, "sent away")
        secrets.append(secret)
    assert [book.why_void(secret) for secret in secrets] == ["", *["sent away"] * MOST_AWAY]


def test_a_full_house_lets_nobody_come_back_until_one_leaves() -> None:
    book = SessionBook()
    _, secret = book.admit(PHONE, "", 0.0)
    book.forget(FORGOTTEN_S)
    others = [book.admit(DESK, "", FORGOTTEN_S)[0] for _ in range(MOST_SESSIONS)]
    assert book.is_full
    assert book.of_secret(secret, FORGOTTEN_S + 1) is None
    book.remove(others[0])
    assert book.of_secret(secret, FORGOTTEN_S + 2) is not None


def test_the_away_are_not_kept_without_end() -> None:
    book = SessionBook()
    for number in range(MOST_AWAY + 5):
        book.admit(PHONE, "", float(number * 100))
        book.forget(number * 100 + FORGOTTEN_S)
    away = book.memory().away
    assert len(away) <= MOST_AWAY
    assert away[-1].name == f"phone {MOST_AWAY + 5}"


def test_the_next_process_knows_who_may_come_back_and_goes_on_counting() -> None:
    book = SessionBook()
    session, secret = book.admit(HEADSET, "", 0.0)
    book.is_alive(session, True, 50.0)
    kept = msgspec.json.decode(msgspec.json.encode(book.memory()), type=Memory)
    after = SessionBook(kept)
    assert after.sessions == {}
    back = after.of_secret(secret, 60.0)
    assert back is not None and back.name == "headset 1" and back.id != session.id
    assert after.admit(HEADSET, "", 60.0)[0].name == "headset 2"


def test_the_next_process_tells_a_revoked_device_by_whom_it_was() -> None:
    book = SessionBook()
    _, secret = book.admit(HEADSET, "", 0.0)
    book.forget(FORGOTTEN_S)
    assert [away.name for away in book.away(FORGOTTEN_S)] == ["headset 1"]
    assert book.bar("headset 1", "Eve has ended this session")
    assert book.away(FORGOTTEN_S) == ()
    kept = msgspec.json.decode(msgspec.json.encode(book.memory()), type=Memory)
    after = SessionBook(kept)
    assert after.of_secret(secret, FORGOTTEN_S) is None
    assert after.why_void(secret) == "Eve has ended this session"
    assert secret.encode() not in msgspec.json.encode(book.memory()), "digests only"
