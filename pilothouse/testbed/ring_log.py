"""Every sample of several rings, kept while something is measured. What they say is for who reads them."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from framework.transport.ring import RingReader, Sample

_LOOK_S: Final = 0.003


class RingLog:
    """Entered, it keeps every sample of several rings, in a thread of its own."""

    def __init__(self, rings: Mapping[str, Path]) -> None:
        self._rings = dict(rings)
        self._kept: dict[str, list[Sample]] = {name: [] for name in rings}
        self._readers: dict[str, RingReader] = {}
        self._ending = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._record, name="log of rings")

    def __enter__(self) -> Self:
        self._readers = {name: RingReader(path) for name, path in self._rings.items()}
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending.set()
        self._thread.join()
        for reader in self._readers.values():
            reader.close()

    def begin(self) -> None:
        """Forget what was kept."""
        with self._lock:
            for samples in self._kept.values():
                samples.clear()

    def samples(self, name: str) -> list[Sample]:
        """All that came since, in order."""
        with self._lock:
            return list(self._kept[name])

    def newest(self, name: str) -> Sample | None:
        """The last of them."""
        with self._lock:
            return self._kept[name][-1] if self._kept[name] else None

    def _record(self) -> None:
        seen = dict.fromkeys(self._readers, 0)
        while not self._ending.is_set():
            for name, reader in self._readers.items():
                sample = reader.latest(seen[name])
                if sample is not None:
                    seen[name] = sample.sequence
                    with self._lock:
                        self._kept[name].append(sample)
            time.sleep(_LOOK_S)
