"""How words are pronounced that are in no dictionary: names of people, places and things. By espeak-ng.

Its International Phonetic Alphabet is written in the phones of the CMU dictionary, which the acoustic model
was trained with.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import Final

PROGRAM: Final = "espeak-ng"

#: Longer signs first, as they are looked for.
PHONES: Final[Mapping[str, str]] = {
    "tʃ": "CH", "dʒ": "JH", "aɪ": "AY", "aʊ": "AW", "ɔɪ": "OY", "oʊ": "OW", "əʊ": "OW", "eɪ": "EY",
    "ɛɹ": "EH R", "ɪɹ": "IH R", "ʊɹ": "UH R", "oːɹ": "AO R", "ɔːɹ": "AO R", "ɑːɹ": "AA R", "iə": "IY AH",
    "əl": "AH L", "n̩": "AH N", "l̩": "AH L", "ɜː": "ER", "ɝ": "ER", "ɚ": "ER", "ɑː": "AA", "ɔː": "AO",
    "iː": "IY", "uː": "UW", "oː": "AO", "ɑ": "AA", "ɒ": "AA", "æ": "AE", "a": "AE", "ʌ": "AH", "ə": "AH",
    "ɐ": "AH", "ɔ": "AO", "ɛ": "EH", "e": "EH", "ɪ": "IH", "ᵻ": "IH", "i": "IY", "ʊ": "UH", "u": "UW",
    "o": "OW", "ɜ": "ER", "b": "B", "d": "D", "ð": "DH", "f": "F", "ɡ": "G", "g": "G", "h": "HH", "j": "Y",
    "k": "K", "l": "L", "m": "M", "n": "N", "ŋ": "NG", "p": "P", "ɹ": "R", "r": "R", "s": "S", "ʃ": "SH",
    "t": "T", "ɾ": "T", "θ": "TH", "v": "V", "w": "W", "z": "Z", "ʒ": "ZH", "x": "K", "ʔ": "T", "ɬ": "L",
}  # fmt: skip

_SIGN: Final = re.compile("|".join(sorted(map(re.escape, PHONES), key=len, reverse=True)))
_STRESS: Final = str.maketrans("", "", "ˈˌ‿ˑ͡-_ ")
_WITHIN_S: Final = 10.0


def phones_of(ipa: str) -> str:
    """A word in the phones of the CMU dictionary: "kˈʌp" is "K AH P". What is none of them is left out."""
    return " ".join(PHONES[sign] for sign in _SIGN.findall(ipa.translate(_STRESS)))


def pronounced(words: Sequence[str], voice: str = "en-us") -> dict[str, str]:
    """How words are pronounced; without those that nobody can say. Empty where espeak-ng is not installed."""
    program = shutil.which(PROGRAM)
    if program is None or not words:
        return {}
    lines = "\n\n".join(words)  # of lines without one between them it makes one sentence
    try:
        said = subprocess.run(
            [program, "-q", "--ipa", "-v", voice, "--stdin"],
            input=lines,
            capture_output=True,
            text=True,
            timeout=_WITHIN_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    found = [phones_of(line) for line in said.stdout.splitlines() if line.strip()]
    if len(found) != len(words):  # one of them is more than a word to it: each for itself
        every = [pronounced([word], voice) for word in words] if len(words) > 1 else []
        return {word: phones for each in every for word, phones in each.items()}
    return {word: phones for word, phones in zip(words, found, strict=True) if phones}
