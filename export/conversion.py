"""Convert a source to LiteRT files in a staging folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from export import manifest
from export.beside import write_beside
from export.metadata import add_metadata
from export.page import signature_page
from export.processes import ProcessFailed, run_in_worker
from export.report import Check
from export.source import Source
from export.worker.probes import save_probes
from export.writing import write_saved_model


def convert(source: Source, folder: Path, name: str, kinds: list[str | None]) -> Check:
    """Writes a LiteRT file `folder/<kind>/<name>` for each kind, with its probes and manifest.

    Args:
        source: What to convert.
        folder: The staging folder.
        name: The name of the file.
        kinds: The kinds of quantization; None is float32.

    Returns:
        The check "conversion". If it failed, its detail names the operators that LiteRT lacks.
    """
    saved = folder / "saved_model"
    concrete = write_saved_model(source.signatures, saved)
    files = {file_in(folder, name, kind): kind for kind in kinds}
    for file in files:
        file.parent.mkdir()
    job: dict[str, Any] = {
        "saved_model": str(saved.resolve()),
        "signatures": {name: list(each.structured_outputs) for name, each in concrete.items()},
        "files": {str(file.resolve()): kind for file, kind in files.items()},
        "strings": source.strings(concrete),
        "probes": str((folder / "samples.npz").resolve()),
        "float_layers": list(getattr(source.model, "float_layers", ())),
    }
    if "static_int8" in kinds:
        save_probes(job["probes"], source.probes)
    try:
        answer = run_in_worker("convert", job)
    except ProcessFailed as error:
        return Check("conversion", False, str(error))
    if answer:
        refused = ", ".join(answer["refused"])
        detail = f"LiteRT has no operator for: {refused}" if refused else answer["error"]
        return Check("conversion", False, detail)
    if source.metadata:
        try:
            for file in files:
                add_metadata(file, source.metadata)
        except ValueError as error:
            return Check("conversion", False, str(error))
    facts = source.facts(concrete)
    for file, kind in files.items():
        own = {**facts, "sha256": dict(facts["sha256"]), "format": "litert", "quantize": kind}
        page = signature_page(name, own, source.probes)
        beside = write_beside(f"{name}.", file.parent, source.assets, page)
        entry = manifest.entry(
            file,
            source.probes,
            **own,
            beside=beside,
        )
        manifest.write(file.parent, {"artifacts": {name: entry}})
    return Check("conversion", True, f"signatures: {len(concrete)}")


def file_in(folder: Path, name: str, kind: str | None) -> Path:
    """Where the file of one kind of quantization is built."""
    return folder / (kind or "float32") / name
