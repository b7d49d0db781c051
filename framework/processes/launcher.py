"""`ProcessLauncher`: children that are real processes on this machine (Linux).

How they are judged and restarted is in watchdog.py and supervise.py; what one process is made of, in
body.py.
"""

from __future__ import annotations

import random
from contextlib import AbstractAsyncContextManager

from framework.processes.adoption import AdoptedBody
from framework.processes.body import StartedBody
from framework.processes.spec import ProcessSpec
from framework.processes.supervise import AdoptionRecord, Body, ChildProcess, OnEvent, OnOutput, Sink


class ProcessLauncher:
    """Starts and adopts children.

    rng: where the jitter of the back-off comes from; seed it to repeat a run.
    on_output: called with the process's name and each line it prints, unless it prints too much.
    withheld: variables of the environment that children do not get: keys of others.

        async with launcher.launch(spec, on_event=print) as child:
            child.handle, child.pid
            child.send(b"...")
            lost = await child.lost()
    """

    def __init__(
        self,
        *,
        rng: random.Random | None = None,
        on_output: OnOutput | None = None,
        withheld: tuple[str, ...] = (),
    ) -> None:
        self._rng = rng or random.Random()
        self._on_output = on_output
        self._withheld = frozenset(withheld)

    def launch(
        self, spec: ProcessSpec, *, on_event: OnEvent | None = None
    ) -> AbstractAsyncContextManager[ChildProcess]:
        """Enter: started and ready, or ProcessStartFailed. Leave: stopped, its whole group gone."""
        return ChildProcess(spec, self._started_body, self._rng, on_event).running()

    def adopt(
        self, spec: ProcessSpec, record: AdoptionRecord, *, on_event: OnEvent | None = None
    ) -> AbstractAsyncContextManager[ChildProcess]:
        """Take over a living child; ProcessStartFailed if it is gone, refuses, or does not answer in
        `start_timeout_s`. Then `kill_leftover(record)` and `launch`. Restarts are fresh starts.
        """

        def adopted_body(spec: ProcessSpec, sink: Sink) -> Body:
            return AdoptedBody(spec, sink, lambda line: self._printed(spec.name, line), record)

        child = ChildProcess(spec, self._started_body, self._rng, on_event, first_body_of=adopted_body)
        return child.running()

    def _started_body(self, spec: ProcessSpec, sink: Sink) -> Body:
        return StartedBody(spec, sink, lambda line: self._printed(spec.name, line), self._withheld)

    def _printed(self, name: str, line: str) -> None:
        if self._on_output is not None:
            self._on_output(name, line)
