"""The recogniser in a process of its own: the same words, in words what is wrong, and nothing left of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from framework.errors import SoundError
from grammars.tools.ngrams import arpa
from pilothouse.experiments.speech.voices import silence, spoken
from resources.audio.blocks import Samples
from resources.speech.apart import ApartRecogniser
from resources.speech.sphinx import SphinxRecogniser, SpokenLanguage
from tests.framework.processes.family import is_running

SENTENCES = ("show me the name_things", "open the gripper", "close the gripper", "go home")


def around(text: str) -> Samples:
    return np.concatenate([silence(0.3), spoken(text), silence(0.3)])


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("language") / "instructions.arpa"
    path.write_text(arpa([(sentence.split(), 5.0) for sentence in SENTENCES]))
    return str(path)


@pytest.fixture(scope="module")
def language(model: str) -> SpokenLanguage:
    return SpokenLanguage(model, {"name_things": (("red", "cup"), ("table",))})


@pytest.fixture
def apart(language: SpokenLanguage) -> Iterator[ApartRecogniser]:
    recogniser = ApartRecogniser(language)
    yield recogniser
    recogniser.close()
    recogniser.close()


def test_it_hears_what_it_would_hear_here(apart: ApartRecogniser, language: SpokenLanguage) -> None:
    sound = around("open the gripper")
    assert apart.recognised(sound) == SphinxRecogniser(language).recognised(sound)
    assert apart.cpu_s > 0.0
    apart.begins()
    assert apart.goes_on(sound) == "open the gripper"
    apart.forgets()


def test_names_may_change(apart: ApartRecogniser) -> None:
    apart.knows({"name_things": (("green", "crate"),)})
    found = apart.recognised(around("show me the green crate"))
    assert found is not None
    assert found.text == "show me the green crate"


def test_what_is_no_model_is_refused_at_once() -> None:
    with pytest.raises(SoundError, match=r"nowhere\.arpa cannot be used"):
        ApartRecogniser(SpokenLanguage("/nowhere.arpa"))


def test_one_that_was_killed_says_so_also_while_nobody_asks(apart: ApartRecogniser) -> None:
    apart.look()
    os.kill(apart.pid, signal.SIGKILL)
    with pytest.raises(SoundError, match="ended"):
        apart.recognised(around("go home"))
    with pytest.raises(SoundError, match=r"ended \(exit code -9\)"):
        apart.look()


_OWNER = """
import sys, time
from resources.speech.apart import ApartRecogniser
from resources.speech.sphinx import SpokenLanguage
print(ApartRecogniser(SpokenLanguage(sys.argv[1])).pid, flush=True)
time.sleep(600.0)
"""


def test_it_ends_with_whoever_started_it(model: str) -> None:
    owner = subprocess.Popen([sys.executable, "-c", _OWNER, model], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    with owner.stdout:
        pid = int(owner.stdout.readline())
        assert is_running(pid)
        owner.kill()
        owner.wait()
        until = time.monotonic() + 20.0
        while is_running(pid):
            assert time.monotonic() < until, "it outlives its owner"
            time.sleep(0.01)
