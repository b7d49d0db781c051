"""What an answer to a numbered question chooses. Pure.

A number chooses by its place; words choose the option they are, or the only one
they are a part of. Nothing is assumed: what could be two options is neither.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from framework.dialogue.spelling import words_of


class Answer(msgspec.Struct, frozen=True):
    """What was made of an answer.

    choice: the option's number, from 1; None if it is no answer, or not a clear one.
    could_be: the numbers that it could mean, if there are several.
    is_whole: all of the option's words were said, and not only some of them.
    """

    choice: int | None = None
    could_be: tuple[int, ...] = ()
    is_whole: bool = False


def in_own_words(text: str, options: Sequence[str], filling: Sequence[str] = ()) -> Answer:
    """The option that a text says, whole or in part ("the blue one").

    filling: words that tell nothing apart.
    """
    said = _telling(text, filling)
    if not said:
        return Answer()
    known = [_telling(option, filling) for option in options]
    whole = [number for number, words in enumerate(known, start=1) if words == said]
    if len(whole) == 1:
        return Answer(whole[0], is_whole=True)
    wanted = set(said)
    part = whole or [number for number, words in enumerate(known, start=1) if wanted <= set(words)]
    return Answer(part[0]) if len(part) == 1 else Answer(could_be=tuple(part))


def chosen(
    text: str,
    number: int,
    options: Sequence[str],
    *,
    by_place: Callable[[str], bool],
    filling: Sequence[str] = (),
) -> Answer:
    """The option that a number chooses (-1: the last), unless it could as well be part of another option.

    by_place: whether a text can only mean the place ("the second"), whatever stands in the options.
    """
    choice = len(options) if number == -1 else number
    if not 1 <= choice <= len(options):
        choice = 0
    if not by_place(text):
        other = in_own_words(text, options, filling)
        meant = {each for each in (choice, other.choice or 0, *other.could_be) if each}
        if len(meant) > 1:
            return Answer(could_be=tuple(sorted(meant)))
        choice = next(iter(meant), 0)
    return Answer(choice) if choice else Answer()


def _telling(text: str, filling: Sequence[str]) -> list[str]:
    return [word for word in words_of(text) if word not in filling]
