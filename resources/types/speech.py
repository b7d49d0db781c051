"""What is said to the robot, from the sound to its words: requests, and what comes back.

    Microphone     ┐
    PageMicrophone ├→ Utterances (when somebody speaks) → Transcripts (what is said) ┐
    Recording      ┘                       LanguageModel (what can be said) ┘        └→ Speech

`Speech` asks for all of it, and goes on with another microphone when one fails. The payloads of the streams
are msgpack: `SpeechMark` of utterances, `Transcript` of transcripts.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar

import msgspec

from resources.types.clients import StreamClient
from resources.types.sensors import AudioFeed
from resources.types.streams import StreamHandle


class Phase(StrEnum):
    """What has become known of an utterance, or that there is nothing new."""

    PROGRESS = "progress"
    """All that was heard up to now is judged; nothing else."""

    BEGAN = "began"
    ENDED = "ended"
    TOO_LONG = "too_long"
    """It goes on for longer than an instruction is, and is given up: whoever spoke is told so."""

    LOST = "lost"
    """Sound is missing from it: the microphone is another one, or blocks were lost."""


class SpeechMark(msgspec.Struct, frozen=True):
    """Somebody speaks, or has spoken.

    utterance: names it, the same in all of its marks: when it began [ms]. began_s, until_s: what belongs to
    it, CLOCK_MONOTONIC [s]; of PROGRESS until_s is how far the sound is judged. level_dbfs: how loud it was;
    clipped: how much of it was too loud for the microphone, 0 … 1.
    """

    phase: Phase
    utterance: int
    began_s: float
    until_s: float
    level_dbfs: float = 0.0
    clipped: float = 0.0


encode_mark = msgspec.msgpack.Encoder().encode
"""A mark as it goes into its ring."""

decode_mark = msgspec.msgpack.Decoder(SpeechMark).decode
"""Raises msgspec.MsgspecError or UnicodeDecodeError for what is no mark."""


class UtteranceFeed(msgspec.Struct, frozen=True):
    """Where the marks of a microphone's utterances are, and the sound that they speak of."""

    audio: AudioFeed
    marks: StreamHandle


class Utterances(msgspec.Struct, frozen=True):
    """When somebody speaks into this microphone: the end-of-speech detector."""

    handle_type: ClassVar[type] = UtteranceFeed

    audio: AudioFeed

    def __str__(self) -> str:
        return f"utterances at {self.audio.device}"


class SpokenModel(msgspec.Struct, frozen=True):
    """What can be said here, as a recogniser needs it.

    model: file of a trigram model (ARPA) in whose sentences names are classes; classes: the kinds of names
    that each class stands for; names: the file with the names that are known now, which is written anew
    when they change (`SpokenName`, JSON); spoken: the file that says how numbers and short forms are spoken.
    """

    model: str
    names: str
    classes: Mapping[str, tuple[str, ...]] = {}
    spoken: str = ""


class SpokenName(msgspec.Struct, frozen=True):
    """A known name in the words in which it is spoken, and what it is known as."""

    words: tuple[str, ...]
    kinds: tuple[str, ...]


class LanguageModel(msgspec.Struct, frozen=True):
    """What can be said to this installation."""

    handle_type: ClassVar[type] = SpokenModel

    def __str__(self) -> str:
        return "what can be said"


class TranscriptKind(StrEnum):
    """What has become of an utterance."""

    PARTIAL = "partial"
    """It goes on, and this is how far it is understood."""

    WRITTEN = "written"
    """It is over, and this is what was said; without words if that was nothing that can be said here."""

    LOST = "lost"
    """It was not written down: `why`. Nobody knows what it was."""

    TRIED = "tried"
    """It is being written down. What a recogniser dies of is not tried for ever."""


class TimedWord(msgspec.Struct, frozen=True):
    """A word of an utterance. began_s, until_s: in the utterance [s]. of_name: it belongs to a known name."""

    word: str
    began_s: float
    until_s: float
    of_name: bool = False


class Reading(msgspec.Struct, frozen=True):
    """One way in which two recognisers together read an utterance.

    from_free, from_grammar: how far it sounds from what each of them heard, a sound: 0 … about 1. unlike: how
    much less likely it is to the free one than what that heard, a word [nats]. unusual: -log10 of how likely
    it is in our language, a word. cost: all that is known of it, the less the likelier. is_of_both: it is
    what the grammar's heard, and the free one heard the same numbers and the same "not".
    """

    text: str
    from_free: float
    from_grammar: float
    unlike: float = 0.0
    unusual: float = 0.0
    cost: float = 0.0
    is_of_both: bool = False


class Transcript(msgspec.Struct, frozen=True):
    """What was said.

    utterance: as in `SpeechMark`. began_s: where its words are counted from, CLOCK_MONOTONIC [s]; until_s:
    where it ended. others: other ways in which it may be read, the likeliest first. confidence: that the
    words are the ones that were said, 0 … 1, as far as the recogniser knows. partial: its words so far.
    readings: of two recognisers: what it may be, the likeliest first; heard: what the one of them that knows
    no grammar heard. is_woken: it began with the wake phrase, and the words are what came after that; whole:
    what all of it was heard as, where little came after it: a stop may be in what was taken for the phrase.
    is_cut: of what is lost, that some of its sound is missing.
    """

    kind: TranscriptKind
    utterance: int
    began_s: float
    until_s: float
    words: tuple[TimedWord, ...] = ()
    others: tuple[str, ...] = ()
    confidence: float = 0.0
    partial: str = ""
    why: str = ""
    readings: tuple[Reading, ...] = ()
    heard: str = ""
    is_woken: bool = False
    whole: tuple[str, ...] = ()
    is_cut: bool = False

    @property
    def text(self) -> str:
        """The words alone."""
        return " ".join(each.word for each in self.words)


encode_transcript = msgspec.msgpack.Encoder().encode
"""A transcript as it goes into its ring."""

decode_transcript = msgspec.msgpack.Decoder(Transcript).decode
"""Raises msgspec.MsgspecError or UnicodeDecodeError for what is none."""


class TranscriptFeed(msgspec.Struct, frozen=True):
    """Where it is written down what is said at a microphone, and the utterances of which that is."""

    utterances: UtteranceFeed
    transcripts: StreamHandle

    @property
    def is_page(self) -> bool:
        """Whether it is a page's microphone: what is said there counts from its opening on."""
        audio = self.utterances.audio
        return audio.since_s is not None and audio.until_s is None


class Transcripts(msgspec.Struct, frozen=True):
    """What is said into this microphone: the recogniser.

    is_addressed: whoever speaks there has done something to be heard, so it listens for no wake phrase.
    """

    handle_type: ClassVar[type] = TranscriptFeed

    audio: AudioFeed
    is_addressed: bool = False

    def __str__(self) -> str:
        return f"what is said at {self.audio.device}"


class Recording(msgspec.Struct, frozen=True):
    """A file of sound, or those of a folder, heard as if somebody spoke now. path: of this machine."""

    handle_type: ClassVar[type] = AudioFeed
    client_type: ClassVar[type] = StreamClient

    path: str

    def __str__(self) -> str:
        return f"recording {self.path}"


class PageMicrophone(msgspec.Struct, frozen=True):
    """What a page is told while somebody holds its button. page: whose; device: the name of this opening."""

    handle_type: ClassVar[type] = AudioFeed
    client_type: ClassVar[type] = StreamClient

    page: str
    device: str

    def __str__(self) -> str:
        return f"microphone of {self.page}"


class Speech(msgspec.Struct, frozen=True):
    """What people say to the robot.

    audience: who is listened to: "" whoever is heard by a microphone of the robot, else only those at this
        mount. recording, page: that instead of a microphone of the robot. is_addressed: whoever is heard
        in a recording speaks to the robot; else only who says the wake phrase does. Who holds a page's
        button always does, whoever is near an open microphone of the robot never.
    When a microphone fails, another one takes over, and this is told by an update; for one of a page none
    does. When the last one of the robot fails, whoever holds a page's button is heard in its place
    (audience ""), until one of the robot works again.
    """

    handle_type: ClassVar[type] = TranscriptFeed

    audience: str = ""
    recording: str = ""
    page: PageMicrophone | None = None
    is_addressed: bool = False

    @property
    def needs_wake(self) -> bool:
        """Whether somebody has to say the wake phrase to be meant."""
        return self.page is None and not (self.recording and self.is_addressed)

    def __str__(self) -> str:
        return f"speech {self.recording or self.page or self.audience}".strip()


class EarHandle(msgspec.Struct, frozen=True):
    """Somebody listens for "emergency stop" at this microphone."""

    device: str
