"""`manifest.json`: what each artifact of a folder is, and what was proven of it.

The folder of a SavedModel has one entry for each version (`"1"`), a folder of LiteRT files one
for each file. The entry of an artifact is all that a verification needs, beside its probes.
"""

from __future__ import annotations

import hashlib
import json
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import keras
import numpy as np

from export.worker import digest

FILE = "manifest.json"
LIBRARIES = ("keras-attn", "keras", "tensorflow", "tensorflow-text", "ai-edge-litert", "numpy")


def read(folder: Path) -> dict[str, Any]:
    """The manifest of `folder`; an empty one where there is none.

    Raises:
        ValueError: `folder` holds a `manifest.json` of something else.
    """
    path = folder / FILE
    if not path.exists():
        return {"artifacts": {}}
    try:
        content = json.loads(path.read_text())
    except ValueError as error:
        raise ValueError(f"{path} is not readable as JSON: {error}.") from error
    if not isinstance(content, dict) or not isinstance(content.get("artifacts"), dict):
        raise ValueError(f"{path} is not a manifest of exported artifacts.")
    return content


def write(folder: Path, content: dict[str, Any]) -> None:
    """Write the manifest of `folder`."""
    (folder / FILE).write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def probes_file(name: str) -> str:
    """The name of the file with an artifact's probes, beside the artifact."""
    return f"{name}.probes.npz"


def entry(artifact: Path, **facts: Any) -> dict[str, Any]:
    """The entry of a finished artifact: its facts, with date, versions, size and sha256."""
    sha256 = {
        "artifact": digest.sha256(artifact),
        "probes": digest.sha256(artifact.with_name(probes_file(artifact.name))),
        **facts.pop("sha256"),
    }
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "bytes": digest.size(artifact),
        **facts,
        "sha256": sha256,
    }


def versions() -> dict[str, str]:
    """The versions of Python and of the libraries that made an artifact."""
    found = {"python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            continue
    return found


def weights_sha256(model: keras.Model | None) -> str | None:
    """The sha256 of a model's weights, with their shapes and dtypes, in Keras's order."""
    if model is None:
        return None
    total = hashlib.sha256()
    for weight in model.weights:
        array = np.ascontiguousarray(weight.numpy())
        total.update(f"{array.dtype} {array.shape}".encode() + b"\0" + array.tobytes())
    return total.hexdigest()
