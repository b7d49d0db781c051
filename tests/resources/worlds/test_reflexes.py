"""What makes a simulated arm stop by itself: what lasts, not the first milliseconds of a touch."""

from __future__ import annotations

import numpy as np

from resources.arms.parameters import PANDA
from resources.types.motion import REST6
from resources.worlds.reflexes import Reflexes, ReflexLimits

DT_S = 0.001


def looked(load_n_m: float, seconds: float) -> str:
    reflexes = Reflexes(PANDA, ReflexLimits(), DT_S)
    load = np.zeros(7)
    load[1] = load_n_m
    for _ in range(round(seconds / DT_S)):
        if why := reflexes.look(REST6, load):
            return why
    return ""


def test_a_load_that_is_no_number_is_a_reflex_and_does_not_blind_it() -> None:
    reflexes = Reflexes(PANDA, ReflexLimits(), DT_S)
    load = np.zeros(7)
    load[2] = np.nan
    assert "joint 3" in reflexes.look(REST6, load)
    load[2] = 0.0
    assert "joint 3" in reflexes.look(REST6, load)
    reflexes.reset()
    assert reflexes.look(REST6, load) == ""


def test_a_load_that_lasts_is_a_reflex_and_the_spike_of_a_touch_is_none() -> None:
    assert "joint 2 is loaded with" in looked(100.0, 0.2)
    assert looked(150.0, 0.02) == ""
    assert looked(80.0, 2.0) == ""
