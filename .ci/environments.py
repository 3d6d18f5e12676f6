"""Environments that have a wheel, what it asks for, and nothing else."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def linked(folder: Path, wheel: Path, extras: str) -> Path:
    """An environment with links to packages of this one, and the wheel; the path of its Python.

    TensorFlow alone takes a minute to install, and no time to link. What a wheel asks for says its
    own metadata, and those of the packages: one that nobody asks for is not there.

    Args:
        folder: Where the environment is made.
        wheel: The wheel.
        extras: Names of its extras, with commas between.
    """
    python = _empty(folder)
    (target,) = folder.glob("lib/python3*/site-packages")
    install = [sys.executable, "-m", "pip", "--python", str(python)]
    _run([*install, "install", "--quiet", "--no-deps", str(wheel)])
    (own,) = Distribution.discover(path=[str(target)], name="keras-attn")
    for each in closure(own.requires or [], {*extras.split(",")}):
        link(each, target)
    _run([*install, "check"])
    return python


def fresh(folder: Path, wheel: Path, extras: str, interpreter: str) -> Path:
    """An environment that pip installed, as a user's is; the path of its Python.

    Args:
        folder: Where the environment is made.
        wheel: The wheel.
        extras: Names of its extras, with commas between.
        interpreter: The Python to make it with, such as "python3.13".
    """
    python = _empty(folder, interpreter)
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    _run([*pip, "install", "--quiet", f"{wheel}[{extras}]"])
    return python


def _empty(folder: Path, interpreter: str = sys.executable) -> Path:
    _run([interpreter, "-m", "venv", "--without-pip", str(folder)])
    return folder / "bin" / "python"


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def closure(requires: Iterable[str], extras: set[str]) -> list[Distribution]:
    """The installed packages that requirements ask for, and those ask for, and so on.

    Args:
        requires: The requirements of the package itself, with its extras as markers.
        extras: The extras that are asked for. An extra of the package that names another of its
            extras is not followed.

    Raises:
        PackageNotFoundError: A package is not installed.
    """
    found: dict[str, Distribution] = {}
    todo = [(each, extras) for each in requires]
    seen = set()
    while todo:
        line, active = todo.pop()
        need = Requirement(line)
        applies = need.marker is None or any(
            need.marker.evaluate({"extra": extra}) for extra in {"", *active}
        )
        key = canonicalize_name(need.name), frozenset(need.extras)
        if not applies or key in seen:
            continue
        seen.add(key)
        found[key[0]] = distribution(need.name)
        todo += [(each, {*need.extras}) for each in found[key[0]].requires or []]
    return [found[name] for name in sorted(found)]


def link(package: Distribution, target: Path) -> None:
    """Puts the files of an installed package into a folder, as links, or copies on another disk.

    Args:
        package: The package.
        target: The folder `site-packages` of another environment; programs are left out.
    """
    for file in package.files or []:
        if ".." in file.parts or file.is_absolute() or "__pycache__" in file.parts:
            continue
        source, to = Path(str(package.locate_file(file))), target / file
        if not source.exists() or to.exists():
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source, to)
        except OSError:
            shutil.copy2(source, to)
