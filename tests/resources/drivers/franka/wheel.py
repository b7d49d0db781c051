"""The one condition under which tests with the genuine pylibfranka are left out."""

from __future__ import annotations

import pytest

from resources.drivers.franka.library import MODULE, NO_WHEEL, has_wheel, why_missing

# .ci/run tells these two apart: the first is in order, the second is not.
REASON = f"{MODULE} is not installed" if has_wheel() else NO_WHEEL

needs_pylibfranka = pytest.mark.skipif(bool(why_missing()), reason=REASON)
