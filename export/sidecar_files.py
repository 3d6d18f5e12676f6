"""The files beside an artifact: vocabulary, labels, and a page that says how to call it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from export.worker import digest

EXTRA = "assets.extra"  # in a SavedModel, the folder of files that TensorFlow leaves alone
PAGE = "SIGNATURES.md"


def write_sidecar_files(
    prefix: str, folder: Path, assets: Mapping[str, str], page: str
) -> dict[str, str]:
    """Writes the files that belong beside an artifact.

    Args:
        prefix: What their paths in `folder` begin with, such as "en-de.tflite.".
        folder: The folder that holds the artifact.
        assets: The content of each file by name.
        page: The content of `SIGNATURES.md`.

    Returns:
        The sha256 of each file by its path in `folder`.
    """
    written = {}
    for name, content in {PAGE: page, **assets}.items():
        path = folder / f"{prefix}{name}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode())
        written[f"{prefix}{name}"] = digest.sha256(path)
    return written
