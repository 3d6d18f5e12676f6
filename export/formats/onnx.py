"""The export to ONNX files, which ONNX Runtime runs with the operators of ONNX alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras

from export import manifest
from export.extras import check_extra
from export.page import signature_page
from export.placement import place
from export.precision import portable
from export.processes import ProcessFailed, run_in_worker, start_worker
from export.protocol import ExportableTask
from export.report import Check, Report, accept
from export.sidecar_files import write_sidecar_files
from export.source import ExportSource, check_backend, read_source
from export.staging import Staging
from export.verification import check
from export.writing import write_saved_model


def onnx(
    task_or_model: ExportableTask | keras.Model,
    path: str | Path,
    *,
    text: str | None = None,
    **generation: Any,
) -> Report:
    """Exports a task or a Keras model to ONNX files in the folder `path`, and verifies them.

    The folder has a file for each signature, such as `serving_default.onnx`, with dynamic axes, the
    weights, and operators of ONNX only (opset 18). An output with the name of an input is called
    `output_<name>`, as ONNX needs a name for each tensor. A separate process that cannot import
    this library loads the files and compares them with the live model; only if every check passes
    is the folder moved into place. `manifest.json` beside it records what was checked.

    It requires `pip install 'keras-attn[onnx]'`.

    Args:
        task_or_model: A task (see `export.protocol.ExportableTask`), or a Keras model.
        path: The folder to write.
        text: How a task takes and returns text: "bytes" in UTF-8, with the tokenizer inside. None
            if it takes and returns token ids.
        **generation: How to generate, such as `max_new_tokens`, `beams` and `length_penalty`.

    Returns:
        A `Report` with the path, the checks and the entry of the manifest.

    Raises:
        ValueError: If an argument is invalid, `path` holds something other than an export, or a
            package is missing.
        VerificationError: If a check failed. Nothing is left but `<name>.report.json` beside
            `path`.

    Example:
        >>> import export
        >>> export.onnx(task, "en-de", text="bytes").passed     # doctest: +SKIP
        True
    """
    check_backend()
    check_extra("onnx")
    if text == "strings":
        raise ValueError(
            'ONNX lacks the operators of tensorflow-text: text must be "bytes", or None for token '
            "ids."
        )
    path = Path(path).resolve()  # where a link points, so that the link stays
    _check_place(path)
    is_task = isinstance(task_or_model, ExportableTask)
    model = task_or_model.model if is_task else task_or_model
    start_worker()  # while the graph is traced
    with portable(model), Staging(path) as staging:
        source = read_source(task_or_model, text, generation, litert=True)
        folder = staging.folder / "artifact" / path.name
        conversion = _convert(source, folder)
        accept(Report(path, [*source.checks, conversion]), path)
        report = check(folder.parent, path.name, shown=path, time=True)
        checks = [*source.checks, conversion, *report.checks]
        entry = {**report.manifest, "checks": [vars(each) for each in checks]}
        accept(Report(path, checks, entry), path)
        entry = place(folder, path, entry)
    return Report(path, checks, entry)


def _check_place(path: Path) -> None:
    """Raises a ValueError if what is at a path must not be replaced."""
    if path.exists() and not path.is_dir():
        raise ValueError(f"{path} is a file: ONNX files need a folder.")
    listed = manifest.read(path.parent)["artifacts"].get(path.name, {}).get("format")
    if path.is_dir() and any(path.iterdir()) and listed != "onnx":
        raise ValueError(f"{path} holds files that were not exported here: choose another folder.")


def _convert(source: ExportSource, folder: Path) -> Check:
    """Writes an ONNX file for each signature into a folder, with its probes and manifest.

    Args:
        source: What to convert.
        folder: The folder to make, in the staging folder.

    Returns:
        The check "conversion". If it failed, its detail names the operators that ONNX lacks.
    """
    names = [each.name for each in source.signatures]
    odd = next((name for name in names if Path(name).name != name), None)
    if odd:
        raise ValueError(f"Signature '{odd}' cannot be the name of a file.")
    folder.mkdir(parents=True)
    saved = folder.parent.with_name("saved_model")
    concrete = write_saved_model(source.signatures, saved)
    facts = {**source.facts(concrete), "format": "onnx"}
    axes = {
        name: {
            side: {key: tensor["axes"] for key, tensor in recorded[side].items()}
            for side in ("inputs", "outputs")
        }
        for name, recorded in facts["signatures"].items()
    }
    job = {"saved_model": str(saved.resolve()), "folder": str(folder.resolve()), "signatures": axes}
    try:
        answer = run_in_worker("convert_onnx", job)
    except ProcessFailed as error:
        return Check("conversion", False, str(error))
    if answer:
        return Check("conversion", False, answer["error"])
    page = signature_page(folder.name, facts, source.probes)
    write_sidecar_files(f"{folder.name}/", folder.parent, source.assets, page)
    entry = manifest.entry(folder, source.probes, **facts, beside={})
    manifest.write(folder.parent, {"artifacts": {folder.name: entry}})
    return Check("conversion", True, f"signatures: {len(concrete)}")
