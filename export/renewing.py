"""Newer versions of an artifact that is being served: noticed by its files, and verified."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from export import manifest, signing
from export.serving import Opened, open_artifact
from export.verification import verify

Identity = tuple[tuple[str, int, int, int, int], ...]


def identity(path: str | Path, listed: bool = False) -> Identity:
    """What is another after any file of an artifact was replaced, or changed in place.

    Nothing is read: the number, the size and the times of each file.

    Args:
        path: A LiteRT file, the folder of a SavedModel or of ONNX files, or a link to one.
        listed: Whether the manifest and its signature count, too, which may lie beside it and be
            those of other artifacts.
    """
    whole = Path(path).resolve()
    files = []
    manifests = [whole.parent / name for name in (manifest.FILE, signing.FILE)] if listed else []
    for file in [whole, *manifests, *sorted(whole.rglob("*"))]:
        try:
            facts = os.stat(file, follow_symlinks=False)
        except OSError:
            continue  # it is being replaced
        if not stat.S_ISDIR(facts.st_mode):
            times = facts.st_mtime_ns, facts.st_ctime_ns
            files.append((str(file), facts.st_ino, facts.st_size, *times))
    return tuple(files)


def open_verified(path: str | Path, public_key: str | Path | None = None) -> Opened:
    """An artifact as `open_artifact`, which `export.verify` has verified.

    Raises:
        ValueError: If there is no artifact, it fails a check, or it was changed in between.
    """
    report = verify(path, public_key=public_key)
    if not report.passed:
        wrong = report.failed[0]
        raise ValueError(f"{path} must not be loaded: {wrong.name}: {wrong.detail}")
    opened = open_artifact(path, public_key)
    if opened.sha256 != report.manifest["sha256"]["artifact"]:
        raise ValueError(f"{path} was changed while it was verified")
    return opened
