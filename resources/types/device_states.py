"""How devices are: the states that managers, conditions, descriptions and pages tell apart."""

from __future__ import annotations

from enum import StrEnum


class DeviceState(StrEnum):
    """How a device is; the value is the word that people read."""

    FREE = "free"
    IN_USE = "in use"
    FAULT = "fault"  # it has to be recovered
    UNPLUGGED = "unplugged"
    RESTING = "resting"  # after a crash, or a start that failed
    UNAVAILABLE = "unavailable"

    @property
    def works(self) -> bool:
        """Whether it is of use now, or could be."""
        return self is DeviceState.FREE or self is DeviceState.IN_USE
