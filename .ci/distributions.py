"""The source distribution and the wheel, built from the files that Git tracks."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOPS = ("keras_attn", "zoo", "export")
BUILD = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"


def tracked(*paths: str) -> list[str]:
    """The files that Git tracks below paths of the repository, or all of them."""
    command = ["git", "ls-files", "-z", "--", *paths]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted(filter(None, done.stdout.split("\0")))


def build(to: Path, work: Path) -> tuple[Path, Path]:
    """Builds both into a folder, the wheel from the source distribution, and returns their paths.

    The setuptools of this environment builds them, without a download. The sources are copied,
    since building leaves files in their folder, and reads those that an earlier one left.

    Args:
        to: The folder, which is emptied.
        work: An empty folder for the copy.
    """
    for name in tracked():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, work / name)
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    date = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    environment = {**os.environ, "SOURCE_DATE_EPOCH": date.stdout.strip()}
    _run([sys.executable, "-c", BUILD, str(to)], work, environment)
    (source,) = to.glob("*.tar.gz")
    options = ["--no-deps", "--no-build-isolation", "--wheel-dir", str(to)]
    _run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", *options, str(source)], work, environment
    )
    (wheel,) = to.glob("*.whl")
    return source, wheel


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def differences(source: Path, wheel: Path, packaged: list[str]) -> list[str]:
    """What one of the two has too much or too little, a line for each file.

    Args:
        source: The source distribution.
        wheel: The wheel.
        packaged: The files of the packages.
    """
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = {name for name in archive.namelist() if ".dist-info/" not in name}
    with tarfile.open(source) as archive:
        files = [each.name.split("/", 1)[1] for each in archive.getmembers() if each.isfile()]
    in_source = {name for name in files if name.split("/")[0] in TOPS}
    stray = {name.split("/")[0] for name in files if "/" in name} - {*TOPS, "keras_attn.egg-info"}
    wanted = {*packaged}
    return [
        *(f"{wheel.name} lacks {name}" for name in sorted(wanted - in_wheel)),
        *(f"{wheel.name} should not have {name}" for name in sorted(in_wheel - wanted)),
        *(f"{source.name} lacks {name}" for name in sorted(wanted - in_source)),
        *(f"{source.name} should not have {name}" for name in sorted((in_source - wanted) | stray)),
    ]
