"""What a user's program does with the genuine pylibfranka; run as a process of its own by the tests.

`python client_script.py SCENARIO ADDRESS…` prints JSON. It imports nothing of this project. A process of its
own, since pylibfranka never lets go of the interpreter, takes real-time priority, and may never return.
"""

import json
import math
import sys
from typing import Any

import pylibfranka as fci

DURATION_S = 0.3
IMPEDANCE = fci.ControllerMode.JointImpedance, fci.ControllerMode.CartesianImpedance


def connect(address: str) -> fci.Robot:
    return fci.Robot(address, fci.RealtimeConfig.kIgnore)


def swing(time_s: float) -> float:
    return (1 - math.cos(2 * math.pi * time_s / DURATION_S)) / 2


def loop(control: Any, law: Any, steps: int = 400, finish: bool = True) -> Any:
    """Answer so many states with `law(time, state)`."""
    time_s, state = 0.0, None
    for step in range(steps):
        state, period = control.readOnce()
        time_s += period.to_sec()
        command = law(time_s, state)
        command.motion_finished = finish and step == steps - 1
        control.writeOnce(command)
    return state


def still(time_s: float, state: Any) -> fci.Torques:
    return fci.Torques([0.0] * 7)


def caught(action: Any) -> str:
    try:
        action()
    except Exception as error:  # the test looks at whatever comes
        return f"{type(error).__name__}: {error}"
    return ""


def flags(errors: Any) -> list[str]:
    return [name for name in dir(errors) if not name.startswith("_") and getattr(errors, name)]


def modes(address: str) -> dict[str, Any]:
    """Each control mode there and back, with both internal controllers."""
    robot = connect(address)
    result: dict[str, Any] = {}
    robot.set_collision_behavior([40.0] * 7, [80.0] * 7, [60.0] * 6, [80.0] * 6)
    steps = round(DURATION_S * 1000) + 1

    def record(name: str, control: Any, law: Any) -> None:
        farthest = 0.0
        start = robot_start["O_T_EE"]

        def watched(time_s: float, state: Any) -> Any:
            nonlocal farthest
            farthest = max(farthest, math.dist(state.O_T_EE[12:15], start[12:15]))
            return law(time_s, state)

        loop(control, watched, steps)
        result[name] = {"farthest": farthest, "mode": str(robot.read_once().robot_mode)}

    for kind in IMPEDANCE:
        name = kind.name
        state = robot.read_once()
        q, pose = list(state.q_d), list(state.O_T_EE)
        robot_start = {"O_T_EE": pose}
        record(
            f"joint position, {name}",
            robot.start_joint_position_control(kind),
            lambda t, s, q=q: fci.JointPositions([value + 0.02 * swing(t) for value in q]),
        )
        record(
            f"joint velocity, {name}",
            robot.start_joint_velocity_control(kind),
            lambda t, s: fci.JointVelocities([0.15 * math.sin(2 * math.pi * t / DURATION_S)] * 7),
        )
        pose = list(robot.read_once().O_T_EE)
        record(
            f"Cartesian pose, {name}",
            robot.start_cartesian_pose_control(kind),
            lambda t, s, pose=pose: fci.CartesianPose([*pose[:13], pose[13] + 0.02 * swing(t), *pose[14:]]),
        )
        record(
            f"Cartesian velocity, {name}",
            robot.start_cartesian_velocity_control(kind),
            lambda t, s: fci.CartesianVelocities(
                [0, 0.1 * math.sin(2 * math.pi * t / DURATION_S), 0, 0, 0, 0]
            ),
        )
    q = list(robot.read_once().q)
    record(
        "torque",
        robot.start_torque_control(),
        lambda t, s: fci.Torques(
            [
                max(-5.0, min(5.0, 40 * (a + 0.05 * swing(t) - b) - 4 * c))
                for a, b, c in zip(q, s.q, s.dq, strict=True)
            ]
        ),
    )
    return result


def model(address: str) -> dict[str, Any]:
    """The downloaded model at the arm's posture, and at a velocity."""
    robot = connect(address)
    arm = robot.load_model()
    state = robot.read_once()
    result = {
        "q": list(state.q),
        "mass": list(arm.mass(state)),
        "gravity": list(arm.gravity(state)),
        "jacobian": list(arm.zero_jacobian(state)),
        "pose": list(state.O_T_EE),
    }
    state.dq = [0.5, -0.3, 0.2, 0.7, -0.4, 0.3, 0.6]
    return {**result, "dq": list(state.dq), "coriolis": list(arm.coriolis(state))}


def setters(address: str) -> dict[str, Any]:
    """Each setter at rest, in motion, and with nonsense."""
    robot = connect(address)
    frame = [1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0.1, 1]
    all_of_them = {
        "collision": lambda: robot.set_collision_behavior([20.0] * 7, [30.0] * 7, [20.0] * 6, [30.0] * 6),
        "joint impedance": lambda: robot.set_joint_impedance([500.0] * 7),
        "Cartesian impedance": lambda: robot.set_cartesian_impedance([500.0] * 3 + [50.0] * 3),
        "EE": lambda: robot.set_EE(frame),
        "K": lambda: robot.set_K(frame),
        "load": lambda: robot.set_load(0.3, [0, 0, 0.1], [0.001, 0, 0, 0, 0.001, 0, 0, 0, 0.001]),
    }
    result: dict[str, Any] = {"rest": {name: caught(call) for name, call in all_of_them.items()}}
    state = robot.read_once()
    result["state"] = [state.F_T_EE[14], state.EE_T_K[14], state.m_load, state.m_total]
    result["nonsense"] = caught(lambda: robot.set_joint_impedance([-1.0] * 7))
    control = robot.start_torque_control()
    control.readOnce()
    result["motion"] = {name: caught(call) for name, call in all_of_them.items()}
    result["second start"] = caught(robot.start_torque_control)
    robot.stop()
    result["stopped"] = caught(control.readOnce)
    del control
    result["mode"] = str(robot.read_once().robot_mode)
    return result


def loads_at_once(address: str) -> list[float]:
    """Set a load and look at once: what was set, less what is told."""
    robot = connect(address)
    off = []
    for grams in range(10, 200, 5):
        robot.set_load(grams / 1000, [0, 0, 0.1], [0.001, 0, 0, 0, 0.001, 0, 0, 0, 0.001])
        off.append(abs(robot.read_once().m_load - grams / 1000))
    return off


def reflexes(address: str) -> dict[str, Any]:
    """Motions that a real arm would not make; after each it is recovered and made to move again."""
    robot = connect(address)
    result: dict[str, Any] = {}

    def attempt(name: str, action: Any) -> None:
        error = caught(action)
        state = robot.read_once()
        errors = [flags(state.current_errors), flags(state.last_motion_errors)]
        refused = caught(robot.start_torque_control)
        robot.automatic_error_recovery()
        state = robot.read_once()
        result[name] = {
            "error": error,
            "flags": errors,
            "refused": refused,
            "recovered": [str(state.robot_mode), flags(state.current_errors)],
        }

    def torque_jump() -> None:
        loop(
            robot.start_torque_control(), lambda t, s: fci.Torques([2.0 if t > 0.01 else 0.0] + [0.0] * 6), 50
        )

    def position_jump() -> None:
        q = list(robot.read_once().q_d)
        control = robot.start_joint_position_control(IMPEDANCE[0])
        loop(control, lambda t, s: fci.JointPositions([q[0] + (0.001 if t > 0.01 else 0), *q[1:]]), 50)

    def pose_jump() -> None:
        pose = list(robot.read_once().O_T_EE)
        control = robot.start_cartesian_pose_control(IMPEDANCE[0])
        loop(
            control,
            lambda t, s: fci.CartesianPose([*pose[:12], pose[12] + (0.05 if t > 0.01 else 0), *pose[13:]]),
            50,
        )

    def unfinished() -> None:
        q = list(robot.read_once().q_d)
        control = robot.start_joint_position_control(IMPEDANCE[0])
        loop(control, lambda t, s: fci.JointPositions([q[0] + t**3, *q[1:]]), 200)

    attempt("torque jump", torque_jump)
    attempt("position jump", position_jump)
    attempt("pose jump", pose_jump)
    attempt("finished in flight", unfinished)
    loop(robot.start_torque_control(), still, 20)
    result["mode"] = str(robot.read_once().robot_mode)
    return result


def flag_order(address: str) -> list[Any]:
    """Forty-one motions, each aborted by the next fault; the flags as pylibfranka names them."""
    robot = connect(address)
    found = []
    for _ in range(41):
        error = caught(lambda: loop(robot.start_torque_control(), still, 50))
        state = robot.read_once()
        found.append([flags(state.current_errors), flags(state.last_motion_errors), error])
        robot.automatic_error_recovery()
    return found


def torques(address: str) -> dict[str, Any]:
    """Torque control that follows a sine."""
    robot = connect(address)
    q = list(robot.read_once().q)

    def law(t: float, s: Any) -> fci.Torques:
        goal = [value + 0.1 * swing(t) for value in q]
        return fci.Torques(
            [max(-8.0, min(8.0, 60 * (a - b) - 6 * c)) for a, b, c in zip(goal, s.q, s.dq, strict=True)]
        )

    error = caught(lambda: loop(robot.start_torque_control(), law))
    last = caught(lambda: loop(robot.start_torque_control(), still, 10)) if error else ""
    return {"error": error, "then": last}


def rest(address: str) -> dict[str, Any]:
    """Torque control that asks for nothing: what faults do to it, and to the call after it."""
    robot = connect(address)
    robot.automatic_error_recovery()  # from whatever was before
    nans = 0

    def law(t: float, s: Any) -> fci.Torques:
        nonlocal nans
        nans += any(math.isnan(value) for value in s.q)
        return still(t, s)

    error = caught(lambda: loop(robot.start_torque_control(), law))
    mode = ""

    def look() -> None:
        nonlocal mode
        mode = str(robot.read_once().robot_mode)

    return {"error": error, "nans": nans, "next": caught(look), "mode": mode}


def refused(address: str) -> dict[str, Any]:
    """Nothing but connecting."""
    return {"error": caught(lambda: connect(address))}


def contact(address: str) -> dict[str, Any]:
    """Down onto the table, softly, and what is felt there."""
    robot = connect(address)
    robot.set_collision_behavior([80.0] * 7, [80.0] * 7, [80.0] * 6, [80.0] * 6)
    robot.set_cartesian_impedance([300.0] * 3 + [30.0] * 3)
    pose = list(robot.read_once().O_T_EE)
    control = robot.start_cartesian_pose_control(IMPEDANCE[1])

    def law(t: float, s: Any) -> fci.CartesianPose:
        share = min(t / 1.5, 1.0)
        down = 0.12 * share * share * (3 - 2 * share)
        return fci.CartesianPose([*pose[:14], pose[14] - down, *pose[15:]])

    state = loop(control, law, 2000)
    depth = pose[14] - state.O_T_EE[14]
    return {"depth": depth, "force": list(state.O_F_ext_hat_K), "contact": list(state.cartesian_contact)}


def targets(address: str) -> dict[str, Any]:
    """The asynchronous handler: a target, reached; then a stop."""
    robot = connect(address)
    handler_type = fci.AsyncPositionControlHandler
    q = list(robot.read_once().q)
    configured = handler_type.configure(robot, handler_type.Configuration([1.0] * 7, 0.01))
    handler = configured.handler
    first = handler.get_target_feedback().status.name
    target = handler_type.JointPositionTarget([value + 0.05 for value in q])
    accepted = handler.set_joint_position_target(target).was_successful
    seen = []
    for _ in range(5000):
        feedback = handler.get_target_feedback()
        seen.append(feedback.status.name)
        if seen[-1] != "kExecuting":
            break
    handler.stop_control()
    state = robot.read_once()
    return {
        "first": first,
        "accepted": accepted,
        "last": seen[-1],
        "mode": str(state.robot_mode),
        "moved": [now - before for now, before in zip(state.q, q, strict=True)],
    }


def gripper(address: str) -> dict[str, Any]:
    """Open, close, grasp something of 30 mm, grasp nothing of 60 mm, and what cannot be."""
    hand = fci.Gripper(address)
    result: dict[str, Any] = {"version": hand.server_version(), "homing": hand.homing()}
    result["move"] = hand.move(0.05, 0.1), hand.read_once().width
    result["grasp"] = hand.grasp(0.03, 0.1, 30.0), hand.read_once().is_grasped
    result["stop"] = hand.stop(), hand.read_once().is_grasped
    result["wrong"] = hand.move(0.08, 0.1), hand.grasp(0.06, 0.1, 30.0), hand.read_once().is_grasped
    result["nonsense"] = caught(lambda: hand.move(0.5, 0.1))
    return result


def both(first: str, second: str) -> dict[str, Any]:
    """Two arms from one process, in turn."""
    robots = connect(first), connect(second)
    controls = [robot.start_torque_control() for robot in robots]
    for step in range(200):
        for number, control in enumerate(controls):
            control.readOnce()
            command = fci.Torques([0.5 * number * math.sin(0.05 * step)] + [0.0] * 6)
            command.motion_finished = step == 199
            control.writeOnce(command)
    return {"q": [robot.read_once().q[0] for robot in robots]}


if __name__ == "__main__":
    print("\n" + json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
