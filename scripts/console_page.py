"""The console's page: npm packages, and the Vite build of `resources/web/page` into `dist`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from scripts.progress import Progress, SetupFailed
from scripts.stamps import Stamp

STEPS = 2
WANTED_NODE = "Node 20 or newer"
GENERATED = frozenset({"node_modules", "dist"})


def ensure(progress: Progress, root: Path) -> None:
    """Install the npm packages and build the page, each only if its inputs changed.

    Raises SetupFailed if Node is missing or too old, or if a command fails.
    """
    progress.begin("npm packages")
    console = root / "resources" / "web" / "page"
    if not (console / "package.json").is_file():
        progress.end("no console yet")
        progress.begin("Console page")
        progress.end("no console yet")
        return

    packages = console / "node_modules"
    manifest = [console / "package.json", console / "package-lock.json", console / ".npmrc"]
    installed = Stamp(packages / ".setup.stamp", manifest)
    page = console.parent / "dist"
    built = Stamp(root / ".setup" / "page.stamp", [*manifest, *_sources(console)])

    if installed.is_current():
        progress.end("present")
    else:
        require_node(node_version())
        installed.remove()
        command = "ci" if (console / "package-lock.json").is_file() else "install"
        progress.run(["npm", command], doing="installing", log="npm", cwd=console)
        # `npm install` writes the lock file, so the inputs are read again.
        Stamp(packages / ".setup.stamp", manifest).write()
        built = Stamp(root / ".setup" / "page.stamp", [*manifest, *_sources(console)])
        progress.end("installed")

    progress.begin("Console page")
    if built.is_current() and (page / "index.html").is_file():
        progress.end("present")
        return
    require_node(node_version())
    built.remove()
    progress.run(["npm", "run", "build"], doing="building", log="page", cwd=console)
    if not (page / "index.html").is_file():
        raise SetupFailed(
            f"the build ended well but left no {page.relative_to(root)}/index.html; "
            "look at outDir in resources/web/page/vite.config.ts"
        )
    built.write()
    progress.end("built")


def node_version() -> str | None:
    """Return what `node --version` says, such as "v20.11.0", or None if there is no Node or no npm."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return None
    answer = subprocess.run(
        ["node", "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    return answer.stdout.strip() if answer.returncode == 0 else None


def require_node(version: str | None) -> None:
    """Raise SetupFailed unless `version` (as `node --version` prints it) can build the page."""
    if version is None:
        raise SetupFailed(f"building the page needs {WANTED_NODE} with npm; none was found. Install it")
    match = re.match(r"v(\d+)\.", version)
    if match is None or int(match[1]) < 20:  # what Vite runs on
        raise SetupFailed(
            f"building the page needs {WANTED_NODE} with npm; {shutil.which('node')} is {version}. "
            "Please install a newer one"
        )


def _sources(console: Path) -> Iterator[str | Path]:
    """Yield every source file of the page, with its place, in a fixed order."""
    for folder, folders, names in os.walk(console):
        folders[:] = sorted(set(folders) - GENERATED)
        for name in sorted(names):
            path = Path(folder, name)
            yield str(path.relative_to(console))
            yield path
