"""What has to be confirmed before it is done, and in which words it is asked. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection
from collections.abc import Sequence as Several

from framework.events import Subject
from framework.plan.ast import Do, Parallel, Plan, Sequence, actions_of
from framework.plan.instruction import Source
from framework.plan.parser import Correction, NotUnderstood, Reading
from framework.plan.signature import Signatures
from framework.plugins.action import Risk

#: Below this, what was understood is asked back, whatever it is.
LEAST_CONFIDENCE = 0.9
#: The same where misspellings were put right, and nothing comes of it that could not be left again.
LEAST_CORRECTED = 0.75
#: A guess is offered instead of "I cannot inspect anything" from here on: else that is true, and teaches.
LEAST_INSTEAD = 0.8
#: Somebody typed or clicked it, or wrote it down: no recogniser stands between. All other sources are unsure.
SURE_SOURCES = frozenset((Source.TYPED, Source.PHONE, Source.PROGRAM))


def has_to_be_confirmed(
    plan: Plan,
    signatures: Signatures,
    source: Source,
    confidence: float,
    corrections: tuple[Correction, ...] = (),
    left_out: Collection[str] = (),
) -> bool:
    """Whether a plan starts only after a "yes". What only answers starts in spite of a misspelling.

    confidence: the least of the parser's, the recogniser's and that of what was pointed at. left_out: words
    that were not understood, or that warn.
    """
    if source is Source.PROPOSER or left_out:
        return True
    if corrections and source in SURE_SOURCES and is_harmless(plan, signatures):
        return least(confidence) < LEAST_CORRECTED
    if corrections or least(confidence) < LEAST_CONFIDENCE:
        return True
    return source not in SURE_SOURCES and is_dangerous(plan, signatures)


def is_harmless(plan: Plan, signatures: Signatures) -> bool:
    """Whether it only answers. Not whether it shows: what shows a lidar on a wrist may move that."""
    found = [signatures.find(do.action) for do in actions_of(plan)]
    return bool(found) and all(
        each is not None and each.risk is Risk.NONE and each.only_answers for each in found
    )


def least(*confidences: float) -> float:
    """The lowest; one that is no number is none at all."""
    return 0.0 if any(map(math.isnan, confidences)) else min(confidences)


def least_sure(*sources: Source) -> Source:
    """The one of several that counts where all of them had a part: an unsure one, a proposer first."""
    for source in sources:
        if source is Source.PROPOSER:
            return source
    return next((source for source in sources if source not in SURE_SOURCES), sources[0])


def is_dangerous(plan: Plan, signatures: Signatures) -> bool:
    """Whether any action of it is."""
    found = (signatures.find(do.action) for do in actions_of(plan))
    return any(each is not None and each.risk is Risk.DANGEROUS for each in found)


def moves(plan: Plan, signatures: Signatures) -> bool:
    """Whether any action of it may move something."""
    found = (signatures.find(do.action) for do in actions_of(plan))
    return any(each is not None and each.risk is not Risk.NONE for each in found)


def may_be_done_while_stopped(plan: Plan, signatures: Signatures) -> bool:
    """Whether a plan is nothing but what its actions allow under an emergency stop, one after the other."""
    if isinstance(plan, Sequence | Parallel):
        every = plan.steps if isinstance(plan, Sequence) else plan.branches
        return all(may_be_done_while_stopped(each, signatures) for each in every)
    signature = signatures.find(plan.action) if isinstance(plan, Do) else None
    return signature is not None and signature.while_stopped


def only_answers(plan: Plan, signatures: Signatures) -> bool:
    """Whether it is nothing but questions that only read."""
    if isinstance(plan, Sequence | Parallel):
        every = plan.steps if isinstance(plan, Sequence) else plan.branches
        return all(only_answers(each, signatures) for each in every)
    signature = signatures.find(plan.action) if isinstance(plan, Do) else None
    return signature is not None and signature.only_answers


def instead_of(refused: NotUnderstood, guessed: Several[Reading]) -> tuple[Reading, ...]:
    """What may be offered instead of a refusal: where there is no such action, only what is very sure."""
    least = LEAST_INSTEAD if refused.kind is Subject.NO_ACTION else 0.0
    return tuple(each for each in guessed if each.confidence >= least)


def question(
    words: str,
    source: Source,
    corrections: tuple[Correction, ...] = (),
    because: str = "",
    left_out: Collection[str] = (),
    warned: Collection[str] = (),
) -> str:
    """What is asked. words: the plan's. because: why, if not for any of these. warned: what warns."""
    parts = [because] if because else []
    parts += [f'Did you mean "{each.meant}" where you said "{each.said}"?' for each in corrections]
    if left_out:
        verb, it = ("means", "it") if len(left_out) == 1 else ("mean", "them")
        quoted = " and ".join(f'"{each}"' for each in left_out)
        parts.append(f"I do not know what {quoted} {verb} here, and leave {it} out.")
    if warned:
        quoted = " and ".join(f'"{each}"' for each in warned)
        parts.append(f"You say {quoted}.")
    if source is Source.PROPOSER:
        parts.append("That is a proposal, not what you said.")
    all_the_same = " all the same" if warned else ""
    return " ".join((*parts, f"Shall I {words}{all_the_same}?"))
