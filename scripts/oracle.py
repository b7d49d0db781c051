"""Sets up `.venv-oracle`: Pinocchio beside what our arm models need, for `make test-oracle` and nothing else.

Pinocchio is several hundred megabytes and no dependency of ours, so the tests against it have an environment
of their own. Run by the system's Python (`python3 -m scripts.oracle`); `--pin` writes its versions down.
"""

from __future__ import annotations

import sys

from scripts.separate_environment import SeparateEnvironment, main

ORACLE = SeparateEnvironment(
    name="oracle",
    title="Oracle (Pinocchio)",
    installing="installing (a minute the first time)",
    packages=("pin", "mujoco", "numpy", "msgspec", "pytest"),
)


if __name__ == "__main__":
    sys.exit(main(ORACLE, __doc__))
