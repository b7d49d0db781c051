"""Control loops: from orders and measurements to torques. Pure: no clock, no input or output, no process.

    loop.py       `ControlLoopCore`: whose orders count, what stops, what became of a goal; for any mechanism
    mailbox.py    orders through shared memory, from the manager to the process that moves
    arm.py        `ArmController`, the mechanism of an arm: modes, reference, law, observer, limits in a tick
                  where to go: checks, aims, stream_aim, joint_aims, joint_stream, clock, trajectory,
                  posture_planning
                  how to get there: reference, pursuit, tool_space, joint_space, impedance, firmness, guiding
                  what became of it: judging, arrival; before it drives: warming
                  what is: state, observer, readings; all numbers: settings
                  what protects: limits, tool_speed, workspace, outliers, freshness; generations
    following.py  a person's hand that an arm or a base follows; clutch.py, feed_forward.py: what of it counts
    gripper.py    `GripperController`; goals.py: what it shares with hardware's fingers and the base
    base.py       `BaseController`; base_guard.py, protective_field.py: what its scanners forbid

The process that moves (the simulated world, or one process an arm on hardware) calls, every period:

    core.begin_turn(mailbox.read(), stop, now_s)   what is wanted, what must not be, what the hand does
    torque = mechanism.tick(...)                   what is done
    core.end_turn(now_s, fault)                    what has become of it
    ring.write(core.state())                       what is told
"""
