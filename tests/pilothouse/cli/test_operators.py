"""`pilothouse operators`: who is there, who may come back, and having one need a new code."""

from __future__ import annotations

import json
from pathlib import Path

from pilothouse.cli.operators import NOBODY
from resources.web.protocol import AwayOperator, OperatorLine, Operators
from tests.pilothouse.cli.serving import scripted


def test_they_are_listed_and_one_is_revoked(tmp_path: Path) -> None:
    with scripted(tmp_path) as installation:
        assert installation("operators").stdout.strip() == NOBODY
        installation.backend.operators_ = Operators(
            url="http://127.0.0.1:8301/#token=secret",
            sessions=(
                OperatorLine("1", "phone 1 (Anna)", "phone", True, True, "moving the phone"),
                OperatorLine("2", "desk 1", "desk", True),
            ),
            away=(AwayOperator("headset 1", "headset"),),
        )
        phone, desk, headset = installation("operators").stdout.splitlines()
        assert phone == "phone 1 (Anna)  drives; moving the phone"
        assert desk == "desk 1          watches"
        assert headset.startswith("headset 1       away")
        listed = installation("operators", "--json").stdout
        assert "secret" not in listed, "a list lets nobody in"
        assert json.loads(listed)["away"] == [{"name": "headset 1", "kind": "headset"}]
        assert installation("operators", "--revoke", "headset 1", "--who", "Eve").returncode == 0
        assert installation.backend.asked == ["Eve: end headset 1"]
