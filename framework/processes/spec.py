"""What to start and how to judge it: `ProcessSpec`, and the command lines of our own children.

All times are in seconds. Nothing here starts anything.
"""

from __future__ import annotations

import math
import sys

import msgspec

from framework.errors import ProcessError

EnvPairs = tuple[tuple[str, str], ...]


class RestartPolicy(msgspec.Struct, frozen=True):
    """When a child that was once ready is started again.

    Waits `first_s` before the first restart, doubling up to `longest_s`, each ± `jitter` (a
    fraction). `most` restarts within `within_s` are enough: a human is needed then. Having been
    ready for `stable_after_s` sets the wait back to `first_s`.
    """

    first_s: float = 0.2
    longest_s: float = 30.0
    jitter: float = 0.2
    most: int = 5
    within_s: float = 10.0
    stable_after_s: float = 10.0

    def __post_init__(self) -> None:
        times = (self.first_s, self.longest_s, self.within_s, self.stable_after_s)
        if not all(0 < time_s < math.inf for time_s in times):
            raise ProcessError(
                f"{self}: first_s, longest_s, within_s, stable_after_s must be above 0 and finite"
            )
        if not 0 <= self.jitter < 1 or self.most < 0:
            raise ProcessError(f"{self}: jitter must be at least 0 and below 1, most 0 or more")


class ProcessSpec(msgspec.Struct, frozen=True):
    """One child process: what to run, when it counts as ready, hung or stale, how it is stopped.

    argv: program and arguments; see `python_child` for children that speak our protocol.
    name: what errors and logs call it.
    env: set on top of the owner's environment. cwd: its folder; "" is the owner's.
    protocol: it speaks ours (ready, beats, commands). False runs any program under a guardian:
        ready once alive for `ready_after_s`, judged by its exit alone.
    start_timeout_s: from start until it says that it is ready.
    beat_s, hang_after_beats: it beats each `beat_s`, from a thread beside its main loop. After this many
        without a beat, or with a main loop that neither turns nor computes, it hangs.
    slow_after_s: it hangs too if its main loop computes, or gets no processor, for so long without a turn.
    blocks_s: for so long any call of its main loop may keep it from turning and beating: a vendor's library
        that waits for its device. Unless its process is stopped: that is a hang at once.
    stale_after_s: a stream older than this is a failure; None does not judge streams.
    stop_timeouts_s: how long SIGINT, then SIGTERM, may take before it is killed.
    safe_stop_s: how long its `safe_stop` may take where it cannot be asked politely.
    restart: what to do once it was ready and is lost; None leaves it lost.
    adopt_grace_s: how long it waits, safe, for a new owner once its owner is gone.
    collect_garbage: False freezes Python's collector once the child is ready (control loops).
    max_reports_per_s, max_garbage: more reports in a second, or more unreadable ones in a row,
        and it is out of its mind: killed and restarted.
    """

    argv: tuple[str, ...]
    name: str
    env: EnvPairs = ()
    cwd: str = ""
    protocol: bool = True
    start_timeout_s: float = 10.0
    ready_after_s: float = 0.2
    beat_s: float = 0.1
    hang_after_beats: float = 2.5
    slow_after_s: float = 2.0
    blocks_s: float = 0.0
    stale_after_s: float | None = None
    stop_timeouts_s: tuple[float, float] = (1.0, 1.0)
    safe_stop_s: float = 0.2
    restart: RestartPolicy | None = RestartPolicy()
    adopt_grace_s: float = 0.0
    collect_garbage: bool = True
    max_reports_per_s: int = 1000
    max_garbage: int = 16
    device: str = ""

    @property
    def hang_after_s(self) -> float:
        """The silence, in seconds, that counts as hanging."""
        return self.beat_s * self.hang_after_beats

    def __post_init__(self) -> None:
        if not self.argv or not self.argv[0]:
            raise ProcessError(f"process {self.name!r}: argv is empty; give the program and its arguments")
        if any("\0" in text for text in (*self.argv, self.cwd, *(x for pair in self.env for x in pair))):
            raise ProcessError(f"process {self.name!r}: argv, env and cwd must not contain a NUL character")
        wrong_names = [key for key, _ in self.env if not key or "=" in key]
        if wrong_names:
            raise ProcessError(f"process {self.name!r}: {wrong_names} cannot name environment variables")
        above_zero = {
            "start_timeout_s": self.start_timeout_s,
            "beat_s": self.beat_s,
            "hang_after_beats": self.hang_after_beats,
            "slow_after_s": self.slow_after_s,
            "stop_timeouts_s[0]": self.stop_timeouts_s[0],
            "stop_timeouts_s[1]": self.stop_timeouts_s[1],
            "max_reports_per_s": float(self.max_reports_per_s),
        }
        if self.stale_after_s is not None:
            above_zero["stale_after_s"] = self.stale_after_s
        at_least_zero = {
            "ready_after_s": self.ready_after_s,
            "safe_stop_s": self.safe_stop_s,
            "adopt_grace_s": self.adopt_grace_s,
            "max_garbage": float(self.max_garbage),
            "blocks_s": self.blocks_s,
        }
        for field, value in {**above_zero, **at_least_zero}.items():
            if not math.isfinite(value) or value < 0 or (value == 0 and field in above_zero):
                bound = "above 0" if field in above_zero else "0 or more"
                raise ProcessError(
                    f"process {self.name!r}: {field} is {value}; it must be {bound} and finite"
                )
        if self.adopt_grace_s and not self.protocol:
            raise ProcessError(
                f"process {self.name!r}: a foreign program (protocol=False) cannot be adopted; "
                "set adopt_grace_s=0, or wrap it in a child that speaks the protocol"
            )


def python_child(target: str, arguments: object = None, *, python: str = sys.executable) -> tuple[str, ...]:
    """The argv of a Python child of ours.

    target: "module:function" or "/folder/file.py:function"; the function takes a `Child` and, if it
        has a second parameter, the arguments, decoded to that parameter's annotated type.
    arguments: anything msgspec can encode as JSON; it stands readable in the command line.
    python: of another environment, in which `framework` can be imported, too.
    """
    encoded = () if arguments is None else (msgspec.json.encode(arguments).decode(),)
    return (python, "-P", "-m", "framework.processes.child", target, *encoded)
