"""Interfaces that rclpy's wheels lack, generated from the definitions in `definitions`,
and our own, which an integrator's workspace builds.

Run by the Python that has rclpy (`python -m tests.ros_robot.interfaces`), as often as you like: what is there
for these definitions and this rclpy stays. It takes the generators that came with the wheels, and the
system's C and C++ compilers. The packages lie beside the environment (`.venv-ros/interfaces`), whose Python
finds them by a .pth file from then on.

A definition is a text as any ROS package has it, without comments, by the same names and types: its hash,
which tells ROS whether two sides mean the same, is the real package's. Of FollowJointTrajectory there are
two: this is the one up to Jazzy; since control_msgs 6.3 its feedback has an index more.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DEFINITIONS = (HERE / "definitions", HERE.parents[1] / "resources" / "ros")
"""Other people's, and ours: a folder a package."""

PREFIX = Path(sys.prefix)
HOME = PREFIX / "interfaces"
PTH = "pilothouse_interfaces.pth"

GENERATORS = ("rosidl_adapter", "rosidl_generator_c", "rosidl_generator_py", "rosidl_typesupport_fastrtps_c")
"""Of the wheels; their versions count for what is generated, too."""

TYPE_SUPPORTS = ("rosidl_typesupport_fastrtps_c", "rosidl_typesupport_introspection_c")
"""What Fast DDS sends messages with, and what it describes their types with; it finds both when it runs."""

_RUNTIMES = ("rosidl_runtime_c", "rosidl_typesupport", "rcutils", "fastcdr", "rmw")


class NotGenerated(Exception):
    """In words."""


def main() -> int:
    """Generate what is not there, and say where it is."""
    try:
        print(f"interfaces for ROS: {ensured()}")
    except NotGenerated as why:
        print(f"interfaces for ROS cannot be generated: {why}", file=sys.stderr)
        return 1
    return 0


def ensured() -> Path:
    """The folder to import them from. Raises NotGenerated."""
    folder = HOME / _key()
    if not folder.is_dir():
        HOME.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=HOME) as build:
            made = _generated(Path(build))
            try:
                made.rename(folder)
            except OSError:
                if not folder.is_dir():  # else somebody else was quicker
                    raise
    site = Path(sysconfig.get_paths()["purelib"])
    (site / PTH).write_text(f"{folder}\n")
    return folder


def _key() -> str:
    """What the result depends on, as a hash."""
    told = hashlib.sha256(Path(__file__).read_bytes())
    for name in GENERATORS:
        told.update(version(f"ros-{name.replace('_', '-')}").encode())
    for path in _definitions():
        told.update(path.relative_to(path.parents[2]).as_posix().encode() + path.read_bytes())
    return told.hexdigest()[:16]


def _definitions() -> list[Path]:
    kinds = ("msg", "srv", "action")
    return sorted(path for root in DEFINITIONS for kind in kinds for path in root.glob(f"*/{kind}/*.{kind}"))


def _generated(build: Path) -> Path:
    """All packages, compiled, in a folder there."""
    compilers = {suffix: _compiler(name) for suffix, name in ((".c", "cc"), (".cpp", "c++"))}
    out = build / "packages"
    for package in sorted({path.parts[-3] for path in _definitions()}):
        _Package(package, build / package, out / package, compilers).make()
    return out


def _compiler(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise NotGenerated(f"there is no compiler `{name}`: install one (Debian: g++), and call this again")
    return found


class _Package:
    """One package on its way from definitions to what can be imported. It may use the wheels' only."""

    def __init__(self, name: str, build: Path, out: Path, compilers: dict[str, str]) -> None:
        self.name = name
        self.build = build
        self.described = build.parent / "described" / name
        self.out = out
        self.compilers = compilers
        self.share = PREFIX / "share"
        self.idl: list[str] = []

    def make(self) -> None:
        """Everything. Raises NotGenerated."""
        for path in _definitions():
            if path.parts[-3] == self.name:
                (self.out / path.parts[-2]).mkdir(parents=True, exist_ok=True)
        self._translate()
        self._generate()
        self._compile()

    def _translate(self) -> None:
        from rosidl_adapter.action import convert_action_to_idl
        from rosidl_adapter.msg import convert_msg_to_idl
        from rosidl_adapter.srv import convert_srv_to_idl

        convert = {".msg": convert_msg_to_idl, ".srv": convert_srv_to_idl, ".action": convert_action_to_idl}
        for path in _definitions():
            if path.parts[-3] != self.name:
                continue
            folder = path.parents[1]
            inner = path.relative_to(folder)
            with redirect_stdout(StringIO()):  # which file it reads, and which it writes
                made = convert[path.suffix](folder, self.name, inner, self.build / inner.parent)
            self.idl.append(f"{self.build}:{made.relative_to(self.build).as_posix()}")

    def _generate(self) -> None:
        import rosidl_generator_c
        import rosidl_generator_py
        import rosidl_generator_type_description
        import rosidl_typesupport_c
        import rosidl_typesupport_fastrtps_c
        import rosidl_typesupport_introspection_c

        others = [f"{path.name}:{path}" for path in self.share.iterdir() if any(path.glob("*/*.json"))]
        with self._arguments("rosidl_generator_type_description", include_paths=others) as told:
            described = rosidl_generator_type_description.generate_type_hash(told)
        for path in described:  # as a package has them
            shutil.copy(path, self.out / path.relative_to(self.build))
        inner = [Path(idl.rpartition(":")[2]) for idl in self.idl]
        pairs = [f"{idl}:{self.build / idl.with_suffix('.json')}" for idl in inner]
        with self._arguments("rosidl_generator_c", type_description_tuples=pairs) as told:
            rosidl_generator_c.generate_c(told)
        with self._arguments("rosidl_typesupport_fastrtps_c") as told:
            rosidl_typesupport_fastrtps_c.generate_typesupport_fastrtps_c(told)
        with self._arguments("rosidl_typesupport_introspection_c", out=self.described) as told:
            rosidl_typesupport_introspection_c.generate_c(told)
        with self._arguments("rosidl_typesupport_c") as told:
            rosidl_typesupport_c.generate_c(told, list(TYPE_SUPPORTS))
        with self._arguments("rosidl_generator_py", out=self.out) as told:
            rosidl_generator_py.generate_py(told, ["rosidl_typesupport_c"])
        self._fill_in_headers()
        (self.out / "__init__.py").touch()

    def _fill_in_headers(self) -> None:
        """What is no template of the generators: ROS's CMake writes it."""
        for template in self.share.glob("*/resource/*_c__visibility_control.h.in"):
            text = template.read_text().replace("@PROJECT_NAME@", self.name)
            header = self.build / "msg" / template.name.removesuffix(".in")
            header.parent.mkdir(exist_ok=True)
            header.write_text(text.replace("@PROJECT_NAME_UPPER@", self.name.upper()))

    def _arguments(self, generator: str, *, out: Path | None = None, **more: Any) -> Any:
        from rosidl_cli.command.helpers import generator_arguments_file, legacy_generator_arguments

        out = out or self.build
        for idl in self.idl:
            (out / Path(idl.rpartition(":")[2]).parent).mkdir(parents=True, exist_ok=True)
        return generator_arguments_file(
            **legacy_generator_arguments(
                package_name=self.name,
                interface_files=self.idl,
                include_paths=[str(self.share)],
                templates_path=str(self.share / generator / "resource"),
                output_path=str(out),
            ),
            **more,
        )

    def _compile(self) -> None:
        """Two shared libraries: what describes the types; and all else, which Python imports.

        The middleware looks for its type supports by file names, and finds what is loaded already by such a
        name: so the libraries call themselves that, and the extension brings the other one along.
        """
        send, describe = (f"lib{self.name}__{support}.so" for support in TYPE_SUPPORTS)
        extension = f"{self.name}_s__rosidl_typesupport_c{sysconfig.get_config_var('EXT_SUFFIX')}"
        own = [*self.build.rglob("*.c"), *self.build.rglob("*.cpp"), *self.out.rglob("*.c")]
        self._link(describe, describe, [*self.described.rglob("*.c")])
        self._link(extension, send, own, self.out / describe)
        for left in [*self.out.rglob("*.c"), *self.out.rglob("*.o")]:
            left.unlink()

    def _link(self, file: str, name: str, sources: list[Path], *needed: Path) -> None:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(self._object, sources))
        place = PREFIX / "lib"
        _run(
            [self.compilers[".cpp"], "-shared", "-o", self.out / file, f"-Wl,-soname,{name}"]
            + ["-Wl,-rpath,$ORIGIN", f"-Wl,-rpath,{place}", "-Wl,--no-as-needed", *objects, *needed]
            + ["-Wl,--as-needed", "-Wl,--allow-shlib-undefined", f"-L{place}"]
            + [f"-l:{path.name}" for path in _libraries()]
        )

    def _object(self, source: Path) -> Path:
        import numpy

        made = source.with_suffix(f"{source.suffix}.o")
        headers = PREFIX / "include"
        includes = [
            self.build.parent,
            self.described.parent,
            headers,
            *headers.iterdir(),
            numpy.get_include(),
        ]
        includes.append(sysconfig.get_paths()["include"])
        _run(
            [self.compilers[source.suffix], "-c", "-O1", "-fPIC", "-w", "-o", made, source]
            + [f"-I{folder}" for folder in includes]
        )
        return made


def _libraries() -> Iterator[Path]:
    """Of the wheels: the runtimes, and other packages' generated code."""
    kinds = ("rosidl_generator_c", "rosidl_generator_py", "rosidl_typesupport_c", *TYPE_SUPPORTS)
    for path in (PREFIX / "lib").glob("lib*.so"):
        if path.stem.removeprefix("lib").startswith(_RUNTIMES) or path.stem.endswith(
            tuple(f"__{kind}" for kind in kinds)
        ):
            yield path


def _run(command: list[Any]) -> None:
    ran = subprocess.run(
        list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        raise NotGenerated(f"{command[0]} says: {ran.stderr.strip()[-2000:]}")


if __name__ == "__main__":
    sys.exit(main())
