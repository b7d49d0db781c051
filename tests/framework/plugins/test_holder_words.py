"""What a refusal says of who has something, in words for people."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from framework.errors import ResourceHeld
from framework.plugins.holder_words import who_has
from framework.registrar import ResourceRegistrar
from framework.status import Priority
from framework.testing import run
from framework.transport.local import LocalTransport
from tests.framework.plugins.stage import Arm, Feed


@pytest.mark.parametrize("holder", ["phone 1", "phone 1 (Anna)", "show the environment"])
@pytest.mark.parametrize("priority", [Priority.AUTONOMY, Priority.OPERATOR])
def test_who_has_it_is_told_by_the_whole_name_and_in_no_words_of_a_program(
    holder: str, priority: Priority
) -> None:
    async def scene() -> None:
        async with ResourceRegistrar("arms", LocalTransport()) as registrar:

            @registrar.provides(Arm)
            @asynccontextmanager
            async def arm(_: Arm) -> AsyncIterator[Feed]:
                yield Feed("left_arm", 1)

            async with registrar.request(Arm(), exclusive=True, priority=priority, who=holder):
                with pytest.raises(ResourceHeld) as refused:
                    async with registrar.request(Arm(), exclusive=True):
                        pass
            assert who_has(refused.value) == f"{holder} has Arm(side='left')"
            assert not any(word in refused.value.message for word in ("OPERATOR", "AUTONOMY", "wait=True"))

    run(scene)
