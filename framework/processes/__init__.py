"""Child processes: started, watched, restarted, stopped, and never left behind.

    spec.py        what to start and how to judge it: `ProcessSpec`
    wire.py        what owner and child say to each other: messages, frames
    child_events.py  what the owner is told about a child: ready, lost, retrying, needs a human, …
    watchdog.py    the judge: a pure state machine, events and time in, effects out
    escalation.py  the watchdog's effects; the steps by which a process is brought to its end
    report_limits.py  how much a child may say, and how much of it unreadable
    backoff.py     how long to wait before the next restart
    supervise.py   the asyncio shell around the judge; `Launcher`, the interface managers use
    launcher.py    `ProcessLauncher`: real processes on Linux
    body.py        one life of a real process: its pidfd, its group, its descriptors
    channel.py     the owner's end of the channel: bounded, never blocking
    output.py      what a child prints: drained, its last lines kept, bounded
    adoption.py    taking over a child whose owner was killed
    child.py       what runs inside a child that speaks our protocol
    pulse.py       what a child's beats say of its main loop and its streams
    activity.py    what the threads of a process are doing, by the kernel's account
    lifeline.py    the child's end of the channel: no child outlives its owner
    guardian.py    what stands between an owner and a program that knows nothing of us

No registrar here: the process manager turns what is told into statuses. This
module imports nothing, because every child imports it on its way to being ready.
"""
