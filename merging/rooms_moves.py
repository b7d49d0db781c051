"""Moves the files of resources/ onto their floors and rewrites what refers to them.

    python3 rooms_moves.py CLONE

May run again: on a clone in which the old places are still there, or after a merge, when only what came in from others
still says the old names. Mechanical: git mv, imports, dotted and slashed paths. Files that are not in the table go by their folder (FOLDERS).
Afterwards: `.venv/bin/ruff check --fix --select I` and `.venv/bin/ruff format` (the order of imports changes).
"""

import os
import posixpath
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
os.chdir(ROOT)

R = "resources"
FILES = {
    f"{R}/console/door.py": f"{R}/web/connections.py",
    f"{R}/children/following.py": f"{R}/children/newest_sample.py",
    f"{R}/fci/feeds.py": f"{R}/drivers/franka/handles.py",
    f"{R}/worlds/description.py": f"{R}/worlds/scene_description.py",
    f"{R}/fci_sim/standing.py": f"{R}/fci_sim/standstill.py",
    # drivers
    f"{R}/controllers/simulated.py": f"{R}/drivers/simulated/mechanism.py",
    f"{R}/arms/simulated_arm.py": f"{R}/drivers/simulated/arm_driver.py",
    f"{R}/grippers/simulated_gripper.py": f"{R}/drivers/simulated/gripper_driver.py",
    f"{R}/bases/simulated_base.py": f"{R}/drivers/simulated/base_driver.py",
    f"{R}/cameras/simulated_camera.py": f"{R}/drivers/simulated/camera_driver.py",
    f"{R}/lidars/simulated_lidar.py": f"{R}/drivers/simulated/lidar_driver.py",
    f"{R}/lidars/swept_lidar.py": f"{R}/drivers/swept_lidar.py",
    f"{R}/detectors/marker_detector.py": f"{R}/drivers/marker_detector.py",
    f"{R}/proposers/openai_server.py": f"{R}/drivers/openai_server.py",
    f"{R}/arms/fci_arm.py": f"{R}/drivers/franka/arm_driver.py",
    f"{R}/grippers/fci_gripper.py": f"{R}/drivers/franka/gripper_driver.py",
    f"{R}/children/fci_arm.py": f"{R}/drivers/franka/arm_child.py",
    f"{R}/children/fci_gripper.py": f"{R}/drivers/franka/gripper_child.py",
    f"{R}/children/fci_fingers.py": f"{R}/drivers/franka/fingers_child.py",
    f"{R}/cameras/realsense.py": f"{R}/drivers/realsense/driver.py",
    f"{R}/children/realsense.py": f"{R}/drivers/realsense/child.py",
    f"{R}/cameras/realsense_library.py": f"{R}/drivers/realsense/library.py",
    f"{R}/cameras/realsense_listing.py": f"{R}/drivers/realsense/listing.py",
    f"{R}/cameras/realsense_live.py": f"{R}/drivers/realsense/live_camera.py",
    f"{R}/cameras/realsense_pictures.py": f"{R}/drivers/realsense/pictures.py",
    f"{R}/cameras/realsense_recorder.py": f"{R}/drivers/realsense/recorder.py",
    f"{R}/cameras/realsense_recording.py": f"{R}/drivers/realsense/recorded_camera.py",
    f"{R}/cameras/realsense_recovery.py": f"{R}/drivers/realsense/recovery.py",
    f"{R}/cameras/realsense_simulated.py": f"{R}/drivers/realsense/simulated_camera.py",
    f"{R}/cameras/realsense_software.py": f"{R}/drivers/realsense/software_device.py",
    f"{R}/cameras/realsense_sources.py": f"{R}/drivers/realsense/sources.py",
    f"{R}/cameras/realsense_turn.py": f"{R}/drivers/realsense/start_turn.py",
    # web
    **{
        f"{R}/console/{name}.py": f"{R}/web/{name}.py"
        for name in (
            "admission",
            "encoding",
            "listening",
            "page_messages",
            "pinned",
            "port_holder",
            "protocol",
            "rate_limit",
            "samples",
            "sign_in",
            "static_files",
        )
    },
    **{f"{R}/operator/{name}.py": f"{R}/web/{name}.py" for name in ("addresses", "certificate", "places", "rate_limits", "sites")},
    f"{R}/console/typescript.py": "scripts/page_protocols.py",
    # what actions share
    f"{R}/types/driving.py": "actions/driving.py",
    f"{R}/types/driven_gripper.py": "actions/driven_gripper.py",
    f"{R}/types/confirming.py": "actions/confirming.py",
    # tests
    f"tests/{R}/test_drivers.py": f"tests/{R}/drivers/test_drivers.py",
    f"tests/{R}/console/test_door.py": f"tests/{R}/web/test_connections.py",
    f"tests/{R}/operator/test_certificate.py": f"tests/{R}/web/test_certificate.py",
    f"tests/{R}/operator/test_places.py": f"tests/{R}/web/test_places.py",
    f"tests/{R}/operator/test_sites.py": f"tests/{R}/web/test_sites.py",
    f"tests/{R}/fci/test_fci_arm_child.py": f"tests/{R}/drivers/franka/test_arm_child.py",
    f"tests/{R}/fci/test_fci_gripper_child.py": f"tests/{R}/drivers/franka/test_gripper_child.py",
    f"tests/{R}/cameras/test_realsense_child.py": f"tests/{R}/drivers/realsense/test_child.py",
    f"tests/{R}/cameras/test_realsense_driver.py": f"tests/{R}/drivers/realsense/test_driver.py",
    f"tests/{R}/cameras/test_realsense_live.py": f"tests/{R}/drivers/realsense/test_live_camera.py",
    f"tests/{R}/cameras/test_realsense_pictures.py": f"tests/{R}/drivers/realsense/test_pictures.py",
    f"tests/{R}/cameras/test_realsense_recordings.py": f"tests/{R}/drivers/realsense/test_recordings.py",
    f"tests/{R}/cameras/test_realsense_recovery.py": f"tests/{R}/drivers/realsense/test_recovery.py",
    f"tests/{R}/cameras/test_realsense_turn.py": f"tests/{R}/drivers/realsense/test_start_turn.py",
    # the page: what only the console's has
    **{
        f"{R}/console/page/src/{name}": f"{R}/web/page/src/console/{name}"
        for name in ("main.ts", "connection.ts", "session.ts", "style.css")
    },
}

#: Folders with everything in them that FILES does not name. Longest first counts.
FOLDERS = {
    f"{R}/fci": f"{R}/drivers/franka",
    f"{R}/cameras": f"{R}/drivers/realsense",
    f"{R}/console/page/src/panels": f"{R}/web/page/src/console/panels",
    f"{R}/console/page/tests/panels": f"{R}/web/page/tests/console",
    f"{R}/console/page": f"{R}/web/page",
    f"tests/{R}/fci": f"tests/{R}/drivers/franka",
    f"tests/{R}/cameras": f"tests/{R}/drivers/realsense",
    f"tests/{R}/proposers": f"tests/{R}/drivers/openai_server",
}

#: Packages that are empty afterwards.
GONE = [f"{R}/{name}/__init__.py" for name in ("bases", "cameras", "grippers", "lidars", "proposers")]

#: Packages that are new: their module docstrings.
NEW = {
    f"{R}/drivers": '"""Drivers: what managers open, one device\'s driver in one folder, or file."""\n',
    f"{R}/drivers/simulated": '"""Drivers of simulated devices: what moves or measures in a simulated world."""\n',
    f"{R}/drivers/realsense": '"""Intel RealSense depth cameras: the driver and the process of each camera."""\n',
    f"{R}/web": '"""The web server that console and operator share, and the pages that it serves."""\n',
}

#: What was not tracked by git, but is there in a tree that was set up.
BUILT = {f"{R}/console/dist": f"{R}/web/dist", f"{R}/console/page/node_modules": f"{R}/web/page/node_modules"}


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


def moved(path: str) -> str:
    """Where a file is afterwards."""
    if path in FILES:
        return FILES[path]
    for folder in sorted(FOLDERS, key=len, reverse=True):
        if path.startswith(folder + "/"):
            return FOLDERS[folder] + path[len(folder) :]
    return path


def dotted(path: str) -> str:
    name = path[: -len(".py")].replace("/", ".")
    return name.removesuffix(".__init__")


files = [path for path in git("ls-files").splitlines() if os.path.exists(path)]
for old, new in BUILT.items():
    if os.path.exists(old):
        os.makedirs(os.path.dirname(new), exist_ok=True)
        os.rename(old, new)
after: dict[str, str] = {}  # new path -> old path
for path in files:
    if path in GONE:
        git("rm", "-q", "-f", path)
        continue
    new = moved(path)
    after[new] = path
    if new != path:
        os.makedirs(os.path.dirname(new), exist_ok=True)
        git("mv", "-f", path, new)
for package, text in NEW.items():
    if not os.path.exists(f"{package}/__init__.py"):
        Path(package, "__init__.py").write_text(text)
        git("add", f"{package}/__init__.py")


def former(path: str) -> str:
    """Where a file was."""
    back = {new: old for old, new in FILES.items()}
    if path in back:
        return back[path]
    for folder in sorted(FOLDERS, key=lambda each: len(FOLDERS[each]), reverse=True):
        if path.startswith(FOLDERS[folder] + "/"):
            return folder + path[len(FOLDERS[folder]) :]
    return path


pairs = dict(FILES)
for new in after:
    pairs.setdefault(former(new), new)
pairs = {old: new for old, new in pairs.items() if old != new and os.path.exists(new)}
modules = {dotted(old): dotted(new) for old, new in pairs.items() if old.endswith(".py") and "/page/" not in old and not old.endswith("__init__.py")}
slashed = dict(pairs)
slashed |= {folder: new for folder, new in FOLDERS.items() if folder != f"{R}/cameras"} | BUILT
dots = {folder.replace("/", "."): new.replace("/", ".") for folder, new in FOLDERS.items() if "page" not in folder}
dots[f"{R}.cameras"] = f"{R}.cameras"  # split: by hand

MODULE = re.compile(r"(?<![\w./])(" + "|".join(re.escape(name) for name in sorted(modules, key=len, reverse=True)) + r")(?![\w])")
PACKAGE = re.compile(r"(?<![\w./])(" + "|".join(re.escape(name) for name in sorted(dots, key=len, reverse=True)) + r")(?![\w.])")
PATH = re.compile(r"(?<![\w.])(" + "|".join(re.escape(name) for name in sorted(slashed, key=len, reverse=True)) + r")(?![\w])")
#: Names that went to another module than the rest of theirs: (module as it is now, name) -> module.
NAMES = {
    ("resources.children.specs", "realsense_spec"): "resources.drivers.realsense.specs",
    ("resources.children.specs", "START_TURN_S"): "resources.drivers.realsense.specs",
    ("resources.children.specs", "fci_arm_spec"): "resources.drivers.franka.specs",
    ("resources.children.specs", "fci_gripper_spec"): "resources.drivers.franka.specs",
    ("resources.children.arguments", "RealSenseArguments"): "resources.drivers.realsense.arguments",
    ("resources.console.commands", "MEANT_S"): "resources.web.page_messages",
    ("resources.types.people", "have_done"): "actions.people",
}
FROM = re.compile(r"^(?P<indent>[ \t]*)from (?P<package>(?:resources|tests)[\w.]*) import (?P<names>\([^)]*\)|[^\n(]+)$", re.MULTILINE)


def from_package(match: "re.Match[str]") -> str:
    """`from package import module, …`, where modules went elsewhere."""
    package = match["package"]
    names = [name.strip() for name in match["names"].strip("()").replace("\n", " ").split(",") if name.strip()]
    where: dict[str, list[str]] = {}
    for name in names:
        plain, _, alias = name.partition(" as ")
        if (package, plain) in NAMES:
            where.setdefault(NAMES[package, plain], []).append(name)
            continue
        new = modules.get(f"{package}.{plain}")
        if new is None:
            where.setdefault(package, []).append(name)
            continue
        home, _, new_name = new.rpartition(".")
        alias = alias or (plain if plain != new_name else "")
        where.setdefault(home, []).append(f"{new_name} as {alias}" if alias else new_name)
    if where == {package: names}:
        return match[0]
    return "\n".join(f"{match['indent']}from {home} import {', '.join(found)}" for home, found in where.items())


def python_text(text: str) -> str:
    text = FROM.sub(from_package, text)
    text = MODULE.sub(lambda match: modules[match[1]], text)
    return PACKAGE.sub(lambda match: dots[match[1]], text)


RELATIVE = re.compile(r"""(?P<head>(?:\bfrom|\bimport|@import|new URL\()\s*\(?\s*)(?P<quote>["'])(?P<path>\.{1,2}/[^"']+)(?P=quote)""")


def typescript_text(text: str, old: str, new: str) -> str:
    def one(match: "re.Match[str]") -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(old), match["path"]))
        found = next((each for each in (target, f"{target}.ts", f"{target}.css") if each in files), None)
        if found is None:
            return match[0]
        there = moved(found)
        if found != target:
            there = there[: -len(found) + len(target)]
        way = posixpath.relpath(there, posixpath.dirname(new))
        return f"{match['head']}{match['quote']}{way if way.startswith('.') else './' + way}{match['quote']}"

    return RELATIVE.sub(one, text)


for new, old in after.items():
    if not os.path.isfile(new):
        continue
    if old.startswith("CHANGELOG") or not os.path.isfile(new) or os.path.islink(new):
        continue
    try:
        text = Path(new).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        continue
    was = text
    if old.endswith((".ts", ".css")):
        text = typescript_text(text, old, new)
    text = python_text(text) if old.endswith(".py") else PACKAGE.sub(lambda m: dots[m[1]], MODULE.sub(lambda m: modules[m[1]], text))
    text = PATH.sub(lambda match: slashed[match[1]], text)
    if text != was:
        Path(new).write_text(text, encoding="utf-8")
