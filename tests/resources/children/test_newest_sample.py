"""What goes with a sample: a place, or that nobody knows it."""

from __future__ import annotations

import numpy as np
import pytest

from framework.errors import MalformedMessage
from framework.transport.ring import Sample
from resources.children.newest_sample import meta_of, world_T_frame
from resources.children.scan_reading import seen
from resources.planning.floor import Look
from resources.types.samples import Scan
from resources.types.streams import Pose7, SampleMeta, encode_meta


def sample(place: Pose7 | None) -> Sample:
    return Sample(3, 1.0, encode_meta(SampleMeta(1.0, place)), memoryview(b""))


def scan(place: Pose7 | None) -> Scan:
    meta = SampleMeta(1.0, place, angle_min=-1.0, angle_increment=0.1, range_max=10.0)
    return Scan(np.ones(21, np.float32), meta, 1.0, 3)


def test_a_place_is_a_matrix() -> None:
    matrix = world_T_frame(meta_of(sample((1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0))))
    assert matrix[:3, 3].tolist() == [1.0, 2.0, 3.0]


def test_a_place_that_is_none_is_refused() -> None:
    with pytest.raises(MalformedMessage, match="a unit quaternion"):
        meta_of(sample((1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 3.0)))


def test_a_sample_without_a_place_is_one_but_nobody_takes_it_for_the_origin() -> None:
    meta = meta_of(sample(None))
    with pytest.raises(MalformedMessage, match="nobody knows where its sensor was"):
        world_T_frame(meta)


def test_a_scan_without_a_place_guards_no_base_and_makes_no_floor() -> None:
    here: Pose7 = (0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 1.0)
    assert len(seen(scan(here)).points) == 21
    assert Look.of(scan(here)) is not None
    with pytest.raises(MalformedMessage, match="nobody knows where its sensor was"):
        seen(scan(None))
    assert Look.of(scan(None)) is None
