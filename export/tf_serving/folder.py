"""The folder of a model with all files that TensorFlow Serving takes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from export.extras import check_extra
from export.report import Check
from export.sidecar_files import EXTRA
from export.tf_serving.batching import Batching
from export.tf_serving.container import NAMES, write_container
from export.tf_serving.warmup import write_requests
from export.worker import digest
from export.worker.probes import Probe

Entries = Mapping[str, Mapping[str, Any]]


def check_folder(path: Path, version: str, entries: Entries, serving: bool) -> None:
    """Raises a ValueError if the versions in a folder would not go together.

    Args:
        path: The folder of a model.
        version: The version to write.
        entries: The entries of the versions that are there.
        serving: Whether to write files for TensorFlow Serving.
    """
    served = [name for name, entry in entries.items() if entry["beside"].keys() & {*NAMES}]
    if not serving and set(served) - {version}:
        raise ValueError(
            f"{path} has files for TensorFlow Serving, which all versions in it have in common: "
            "export with serving=True."
        )
    if serving:
        check_extra("serving")
    known = {(name, entries[each]["beside"].get(name)) for each in served for name in NAMES}
    for name in NAMES if serving or served else ():
        file = path / name
        if file.exists() and (name, digest.sha256(file)) not in known:
            raise ValueError(
                f"{file} is not as an export wrote it, and would be replaced: move it elsewhere."
            )


def write_files(
    folder: Path,
    name: str,
    model: str,
    facts: Mapping[str, Any],
    probes: Mapping[str, list[Probe]],
    others: Entries,
) -> tuple[dict[str, str], Check]:
    """Writes the files of a version, and those that all versions have in common.

    Args:
        folder: The folder of the model.
        name: The name of the version, of which the SavedModel is there.
        model: The name of the model.
        facts: What the manifest says of the version.
        probes: Calls of each signature with their results.
        others: The entries of the other versions.

    Returns:
        The sha256 of each common file by its name; and how it will be served.
    """
    saved, extra = folder / name, folder / name / EXTRA
    batching = Batching.of(facts, probes)
    batching.write(saved, extra)
    count = write_requests(extra, model, facts, probes)
    versions = {each: entry for each, entry in others.items() if each.isdecimal()}
    common = write_container(folder, model, {**versions, name: facts})
    return common, Check(
        "TensorFlow Serving", True, f"warm-up: {count} requests; batches {batching}"
    )


def with_files(entries: Entries, common: Mapping[str, str]) -> dict[str, Any]:
    """Entries of other versions, with the sha256 of the common files as they are now."""
    return {
        version: {
            **entry,
            "beside": {name: common.get(name, known) for name, known in entry["beside"].items()},
        }
        for version, entry in entries.items()
    }


def remove_left(folder: Path, older: Mapping[str, Any] | None, beside: Mapping[str, str]) -> None:
    """Deletes the common files that only a replaced version had.

    Args:
        folder: The folder.
        older: The entry of the replaced version.
        beside: The files beside the new one.
    """
    for name in NAMES:
        if older and name in older["beside"] and name not in beside:
            (folder / name).unlink(missing_ok=True)
