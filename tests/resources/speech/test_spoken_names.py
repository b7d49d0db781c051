"""Which class of a language model a name belongs to that became known after it was made."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from framework.errors import SoundError
from resources.speech.spoken_names import classed, read_names
from resources.types.speech import SpokenName

CLASSES = {
    "name_devices": ("devices",),
    "name_devices_views": ("devices", "views"),
    "name_places": ("places",),
}


def test_a_name_goes_where_it_is_known_as_most_of_the_same_kinds() -> None:
    found = classed(
        [
            SpokenName(("table",), ("places",)),
            SpokenName(("front", "camera"), ("devices",)),
            SpokenName(("cloud",), ("devices", "views")),
            SpokenName(("map",), ("views",)),  # no class is for views alone
            SpokenName(("bob",), ("people",)),  # nor for people at all
        ],
        CLASSES,
    )
    assert found == {
        "name_devices": (("front", "camera"),),
        "name_devices_views": (("cloud",), ("map",)),
        "name_places": (("table",),),
    }


def test_what_is_no_file_of_names_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "names.json"
    with pytest.raises(SoundError, match=r"names.json"):
        read_names(file)
    file.write_text('[{"words": 3}]')
    with pytest.raises(SoundError, match="cannot be read"):
        read_names(file)
    file.write_bytes(msgspec.json.encode((SpokenName(("cup",), ("things",)),)))
    assert read_names(file) == (SpokenName(("cup",), ("things",)),)
