"""A rate limit for each of many: addresses, sessions. Forgets who came first when there are too many."""

from __future__ import annotations

from resources.web.rate_limit import RateLimit


class RateLimits:
    """`burst` at once, then `per_s` a second, for each of at most `most` names."""

    def __init__(self, per_s: float, burst: float, most: int) -> None:
        self._per_s = per_s
        self._burst = burst
        self._most = most
        self._of: dict[str, RateLimit] = {}

    def allows(self, name: str, now_s: float) -> bool:
        """Count one, and say whether it was within this name's limit."""
        limit = self._of.get(name)
        if limit is None:
            while len(self._of) >= self._most:
                del self._of[next(iter(self._of))]
            limit = self._of[name] = RateLimit(self._per_s, self._burst)
        return limit.allows(now_s)
