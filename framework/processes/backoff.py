"""How long to wait before the next restart, and when to give up. Follows a `RestartPolicy`; pure."""

from __future__ import annotations

import random
from collections import deque

from framework.processes.spec import RestartPolicy


class Backoff:
    """Counts restarts. `now` is monotonic seconds; the jitter comes from `rng`."""

    def __init__(self, policy: RestartPolicy | None, rng: random.Random) -> None:
        self.tries = 0  # in a row
        self._policy = policy or RestartPolicy()
        self._rng = rng
        self._recent: deque[float] = deque()

    def wait_s(self, now: float) -> float | None:
        """Seconds until the next attempt; None if there have been too many of late."""
        policy = self._policy
        while self._recent and now - self._recent[0] >= policy.within_s:
            self._recent.popleft()
        if len(self._recent) >= policy.most:
            return None
        wait_s = min(policy.longest_s, policy.first_s * 2.0 ** min(self.tries, 60))
        return wait_s * (1.0 + policy.jitter * self._rng.uniform(-1.0, 1.0))

    def restarted(self, now: float) -> None:
        """An attempt is being made."""
        self._recent.append(now)
        self.tries += 1

    def was_ready_for(self, seconds: float) -> None:
        """It was ready that long before it was lost; a stable time begins the back-off anew."""
        if seconds >= self._policy.stable_after_s:
            self.tries = 0

    def forget(self) -> None:
        """Somebody has mended the cause."""
        self.tries = 0
        self._recent.clear()
