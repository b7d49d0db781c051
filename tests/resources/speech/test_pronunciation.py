"""Names that are in no dictionary are pronounced, one by one, in the acoustic model's phones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.speech.pronunciation import PHONES, phones_of, pronounced

#: The phones of the acoustic model (its mdef), without silence and noises.
_VOWELS = "AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW"
_OTHERS = "B CH D DH F G HH JH K L M N NG P R S SH T TH V W Y Z ZH"
MODEL = frozenset(f"{_VOWELS} {_OTHERS}".split())


@pytest.mark.parametrize(
    ("ipa", "phones"),
    [
        ("kˈʌp", "K AH P"),
        ("ɡɹˈɪpɚ", "G R IH P ER"),
        ("tʃˈɑːɹdʒɪŋ", "CH AA R JH IH NG"),
        ("pˌɪɹuːˈɛt", "P IH R UW EH T"),
        ("", ""),
        ("?!", ""),
    ],
)
def test_the_phonetic_alphabet_becomes_phones(ipa: str, phones: str) -> None:
    assert phones_of(ipa) == phones


def test_all_phones_are_the_model_s() -> None:
    assert {phone for each in PHONES.values() for phone in each.split()} <= MODEL


@given(st.text(max_size=40))
def test_whatever_stands_there_only_phones_come_out(ipa: str) -> None:
    assert set(phones_of(ipa).split()) <= MODEL


def test_each_word_has_its_own_and_none_is_made_up() -> None:
    found = pronounced(["kitchenette", "zorblatt", "bob's", "gonna"])
    assert found["zorblatt"].split()[0] == "Z"
    assert found["gonna"].split()[0] == "G"
    assert set(found) == {"kitchenette", "zorblatt", "bob's", "gonna"}
    assert pronounced([]) == {}


def test_without_espeak_nobody_pronounces_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert pronounced(["zorblatt"]) == {}
