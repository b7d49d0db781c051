"""Sentences with what they mean: known by construction, and understood as that."""

from __future__ import annotations

from framework.plan import NothingKnown, Understood
from framework.plan.ast import actions_of
from grammars import Language
from grammars.wording.compounds import compound_samples, joins_are_whole
from grammars.wording.samples import Piece, Sample, single_samples
from tests.grammars.home import DOMAIN, LANGUAGE
from tests.grammars.kitchen import action


def is_right(sample: Sample) -> bool:
    result = LANGUAGE.parse(sample.text, DOMAIN.world)
    if not isinstance(result, Understood):
        return False
    best = [each for each in result.readings if each.confidence == result.readings[0].confidence]
    return [each.plan for each in best] == [sample.plan] and not best[0].is_assumed


def test_nothing_can_be_said_where_nothing_is_known() -> None:
    assert list(single_samples(Language(()), NothingKnown(), 10)) == []
    assert list(compound_samples(Language(()), NothingKnown(), 10)) == []
    wordless = Language((action("never", ("go <nowhere>",)),))
    assert list(single_samples(wordless, NothingKnown(), 10)) == []
    assert list(compound_samples(wordless, NothingKnown(), 10)) == []


def test_single_sentences_are_understood_as_what_they_were_made_of() -> None:
    samples = list(single_samples(LANGUAGE, DOMAIN.world, 300, seed=1))
    assert len({sample.text.casefold() for sample in samples}) == len(samples) == 300
    assert {sample.action for sample in samples} == {action.name for action in DOMAIN.actions}
    assert [sample.text for sample in samples if not is_right(sample)] == []


def test_slots_stand_where_they_are_said() -> None:
    for sample in single_samples(LANGUAGE, DOMAIN.world, 200, seed=2):
        for span in sample.spans:
            said = sample.text[span.start : span.end]
            assert said.strip() == said
            if isinstance(span.value, str) and said:
                assert said.casefold().split()[-1][:3] in (span.value.casefold().replace("_", " ") + SAID)


SAID = " lounge bob gentle full"


def test_compound_sentences_are_understood_as_what_they_were_made_of() -> None:
    samples = list(compound_samples(LANGUAGE, DOMAIN.world, 300, seed=4))
    assert len(samples) == 300
    assert len({type(sample.plan).__name__ for sample in samples}) >= 6
    assert all(any(actions_of(sample.plan)) for sample in samples)
    assert [sample.text for sample in samples if not is_right(sample)] == []


def test_the_same_seed_gives_the_same_sentences() -> None:
    for make in (single_samples, compound_samples):
        first, again, other = (
            [sample.text for sample in make(LANGUAGE, DOMAIN.world, 40, seed)] for seed in (7, 7, 8)
        )
        assert first == again != other


def test_no_sentence_is_made_whose_joining_words_would_be_others() -> None:
    def joined(before: str, join: str, after: str) -> bool:
        pieces = (*map(Piece, before.split()), Piece(join, is_join=True), *map(Piece, after.split()))
        return joins_are_whole(LANGUAGE, DOMAIN.world, pieces)

    assert joined("wave", "and", "dance")
    assert not joined("wave", "and", "now dance")
    assert joined("wave", "and now", "dance")
    assert not joined("what are you for", "as long as", "the lamp is on")
    assert joined("what are you", "for as long as", "the lamp is on")
    assert not joined("turn right", "when", "the lamp is on")
    assert joined("turn", "right when", "the lamp is on")
    assert not joined("lift it up", "until", "the lamp is on")
    assert joined("hum for ten seconds", "when", "the lamp is on")
    assert joined("if it is two metres away", "", "a second time")
    assert not joined("if it is two metres", "", "a second time")
    assert not joined("wait two minutes", "and", "ten seconds later wave")
