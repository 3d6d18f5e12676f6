"""`manifest.json`: a description of each artifact in a folder, and the checks of it.

The folder of a SavedModel has an entry for each version (`"1"`), any other folder one for each
LiteRT file, and each folder of ONNX files, in it. A verification needs the artifact, its entry and
its probes.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from export.entry import check_entry
from export.worker import digest, files
from export.worker.probes import Probe, save_probes

if TYPE_CHECKING:
    import keras

FILE = "manifest.json"
OWN_DIGEST = "sha256"
LARGEST = 2**26  # bytes of a manifest that is read
LIBRARIES = (
    *("keras-attn", "keras", "tensorflow", "tensorflow-text", "ai-edge-litert", "numpy"),
    *("onnx", "onnxruntime", "tf2onnx", "tensorflow-serving-api"),
    *("ai-edge-quantizer", "litert-lm-api", "litert-lm-builder"),
)


def read(folder: Path) -> dict[str, Any]:
    """The manifest of `folder`; an empty one if there is none.

    Raises:
        ValueError: If the `manifest.json` of `folder` is of another kind, an entry lacks a part, or
            a value was changed after it was written.
    """
    return parse(folder, content_of(folder))


def content_of(folder: Path) -> bytes:
    """The content of the manifest of `folder`; nothing if there is none.

    Raises:
        ValueError: If it is not a regular file, or is too large.
    """
    try:
        return files.read(folder / FILE, LARGEST)
    except FileNotFoundError:
        return b""
    except ValueError as error:
        raise ValueError(f"{folder / FILE} is not a manifest: {error}.") from None


def parse(folder: Path, content_read: bytes) -> dict[str, Any]:
    """The manifest of `folder` from its content, as `read`."""
    path = folder / FILE
    if not content_read:
        return {"artifacts": {}}
    try:
        content = json.loads(content_read.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not readable as JSON: {error}.") from error
    if not isinstance(content, dict) or not isinstance(content.get("artifacts"), dict):
        raise ValueError(f"{path} is not a manifest of exported artifacts.")
    for name, entry in content["artifacts"].items():
        try:
            check_entry(entry)
        except ValueError as error:
            raise ValueError(f"{path}: of the artifact '{name}', {error}") from None
    if content.get(OWN_DIGEST) != _sha256(content["artifacts"]):
        raise ValueError(
            f"{path} was changed after it was written (its sha256 is another): restore it, or "
            "export again."
        )
    return {"artifacts": content["artifacts"]}


def write(folder: Path, content: dict[str, Any]) -> None:
    """Writes the manifest of `folder`, with the sha256 of its values."""
    content = {**content, OWN_DIGEST: _sha256(content["artifacts"])}
    (folder / FILE).write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "utf-8")


def _sha256(artifacts: dict[str, Any]) -> str:
    """The sha256 of the entries, whatever the layout of the file."""
    return hashlib.sha256(json.dumps(artifacts, sort_keys=True).encode()).hexdigest()


def find(folder: Path, name: str, content: bytes | None = None) -> dict[str, Any] | None:
    """The entry of the artifact `name` in `folder`; None if there is none.

    Args:
        folder: The folder.
        name: The name of the artifact.
        content: The content of the manifest, if it was read before.

    If an export was stopped while its file took the place of an older one, it is the entry of the
    file that is there. If both are equal, it is the new one, whose files beside it have names of
    their own.
    """
    entries = parse(folder, content_of(folder) if content is None else content)["artifacts"]
    current = entries.get(name)
    older = current.pop("replaces", None) if current else None
    if older and digest.sha256(folder / name) != current["sha256"]["artifact"]:
        return older
    return current


def entry(artifact: Path, probes: Mapping[str, list[Probe]], **facts: Any) -> dict[str, Any]:
    """Writes the probes of a finished artifact beside it, and returns its entry.

    Args:
        artifact: The file or folder.
        probes: By signature, calls with their results.
        **facts: What else to record.

    Returns:
        The facts, with date, versions, size, sha256 and the name of the file of probes.
    """
    file = artifact.with_name(f"{artifact.name}.probes.npz")
    save_probes(file, probes)
    sha256 = {
        "artifact": digest.sha256(artifact),
        "probes": digest.sha256(file),
        **facts.pop("sha256"),
    }
    return {
        "probes": file.name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "bytes": digest.size(artifact),
        **facts,
        "sha256": sha256,
    }


def versions() -> dict[str, str]:
    """The versions of Python and of the libraries that made an artifact."""
    numbers = {"python": platform.python_version()}
    for library in LIBRARIES:
        try:
            numbers[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            continue
    return numbers


def weights_sha256(model: keras.Model) -> str:
    """The sha256 of a model's weights, with their shapes and dtypes, in Keras's order.

    Low-rank updates are merged into the kernels, as in the artifact.
    """
    from keras_attn.low_rank import merged_updates  # Keras, which reading a manifest leaves out

    total = hashlib.sha256()
    with merged_updates(model):
        for weight in model.weights:
            array = np.ascontiguousarray(weight.numpy())
            total.update(f"{array.dtype} {array.shape}".encode() + b"\0" + array.tobytes())
    return total.hexdigest()
