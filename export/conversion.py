"""The conversion of a source to LiteRT files in a staging folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from export import manifest
from export.metadata import add_metadata
from export.page import signature_page
from export.precision import float_layers
from export.processes import ProcessFailed, run_in_worker
from export.report import Check
from export.sidecar_files import write_sidecar_files
from export.source import ExportSource
from export.worker.precisions import Storage
from export.worker.probes import save_probes
from export.writing import write_saved_model


def convert(source: ExportSource, folder: Path, files: Mapping[Path, Storage]) -> list[Check]:
    """Writes LiteRT files, each with its probes and a manifest in a new folder of its own.

    A worker process converts them, by `main` of export/worker/convert.py.

    Args:
        source: What to convert.
        folder: The staging folder.
        files: How the files store their weights.

    Returns:
        The check "conversion" of each file. If it failed, its detail names the operators that
        LiteRT lacks.
    """
    saved = folder / "saved_model"
    concrete = write_saved_model(source.signatures, saved)
    for file in files:
        file.parent.mkdir()
    job: dict[str, Any] = {
        "saved_model": str(saved.resolve()),
        "signatures": {name: list(each.structured_outputs) for name, each in concrete.items()},
        "files": {str(file.resolve()): list(kind) for file, kind in files.items()},
        "strings": source.strings(concrete),
        "probes": str((folder / "samples.npz").resolve()),
        "float_layers": float_layers(source.model),
    }
    if any(kind.is_calibrated for kind in files.values()):
        save_probes(job["probes"], source.calibration or source.probes)
    try:
        answer = run_in_worker("convert", job)
    except ProcessFailed as error:
        return [Check("conversion", False, str(error))] * len(files)
    facts, checks = source.facts(concrete), []
    for file, kind in files.items():
        failed = answer.get(str(file.resolve()))
        if failed:
            detail = _without_operators(failed["refused"]) or failed["error"]
            checks.append(Check("conversion", False, detail))
            continue
        if source.metadata:
            try:
                add_metadata(file, source.metadata)
            except ValueError as error:
                checks.append(Check("conversion", False, str(error)))
                continue
        checks.append(Check("conversion", True, f"signatures: {len(concrete)}"))
        own = {**facts, "sha256": dict(facts["sha256"]), "format": "litert"}
        own |= {"quantize": kind.quantize, "quantize_scope": kind.scope}
        page = signature_page(file.name, own, source.probes)
        beside = write_sidecar_files(f"{file.name}.", file.parent, source.assets, page)
        entry = manifest.entry(
            file,
            source.probes,
            **own,
            beside=beside,
        )
        manifest.write(file.parent, {"artifacts": {file.name: entry}})
    return checks


def _without_operators(refused: list[str]) -> str:
    """What LiteRT has no operators for, and what to use instead, where that is known."""
    if not refused:
        return ""
    detail = f"LiteRT has no operator for: {', '.join(refused)}"
    if any("/pfor/" in operator for operator in refused):  # TensorFlow's name of a mapped loop
        detail += (
            "; a recurrent layer is mapped over an axis of unknown size, as "
            "keras.layers.TimeDistributed does: use keras_attn.TimeDistributed"
        )
    return detail
