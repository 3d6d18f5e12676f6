"""The export to a SavedModel in the layout that TF Serving reads."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import keras

from export import manifest
from export.page import signature_page
from export.precision import portable
from export.processes import start_worker
from export.protocol import ExportableTask
from export.report import Report, accept
from export.sidecar_files import EXTRA, write_sidecar_files
from export.source import check_backend, read_source
from export.staging import Staging, copy_rest, replace
from export.tf_serving.container import model_name
from export.tf_serving.folder import check_folder, remove_left, with_files, write_files
from export.verification import check
from export.writing import write_saved_model
from export.xla import compiled


def saved_model(
    task_or_model: ExportableTask | keras.Model,
    path: str | Path,
    *,
    version: int = 1,
    xla: bool = False,
    text: str | None = "strings",
    serving: bool = False,
    **generation: Any,
) -> Report:
    """Exports a task or a Keras model to the SavedModel `path/<version>/`, and verifies it.

    The SavedModel is built in a folder beside `path`. A separate process that cannot import this
    library loads it and compares it with the live model; only if every check passes is it moved
    into place, in one step. Other versions under `path` are kept. `path/manifest.json` records
    what was checked.

    Args:
        task_or_model: A task (see `export.protocol.ExportableTask`), or a Keras model, whose inputs
            and outputs become the signature `serving_default`.
        path: The folder that a server is pointed to.
        version: The number of the version.
        xla: Whether to compile the numeric stage of each signature with XLA, for a few sizes of
            each dynamic axis. On a CPU, TF Serving refuses such functions unless it is started with
            `--xla_cpu_compilation_enabled`.
        text: How `serving_default` of a task takes and returns text: as "strings", or as "bytes" in
            UTF-8. None if it takes and returns token ids.
        serving: Whether to also write what TensorFlow Serving takes: a warm-up, a configuration of
            batches, `models.config`, `Dockerfile` and `compose.yaml`, and requests to try. It
            requires `pip install 'keras-attn[serving]'`.
        **generation: How to generate, such as `max_new_tokens`, `beams` and `length_penalty`.

    Returns:
        A `Report` with the path, the checks and the entry of the manifest.

    Raises:
        ValueError: If an argument is invalid, `path` holds something other than exports, or a
            package is missing.
        VerificationError: If a check failed. Nothing is left but `<name>.report.json` beside
            `path`.

    Example:
        >>> import export
        >>> export.saved_model(task, "served/en-de").passed     # doctest: +SKIP
        True
    """
    check_backend()
    path = Path(path)
    if not isinstance(version, int) or version < 1:
        raise ValueError(f"version must be a positive integer; received {version!r}.")
    if path.exists() and not path.is_dir():
        raise ValueError(f"{path} is a file: a SavedModel needs a folder.")
    entries = manifest.read(path)["artifacts"]
    if path.is_dir() and any(path.iterdir()) and not entries:
        raise ValueError(f"{path} holds files that were not exported here: choose another folder.")
    check_folder(path, str(version), entries, serving)
    is_task = isinstance(task_or_model, ExportableTask)
    model = task_or_model.model if is_task else task_or_model
    target = path.resolve()  # where a link points, so that the link stays
    start_worker()  # while the graph is traced
    with portable(model), Staging(target) as staging:
        folder, name = staging.folder / "artifact", str(version)
        source = read_source(task_or_model, text if is_task else None, generation)
        infer = compiled(source.signatures) if xla else {}
        if xla and not infer:
            raise ValueError("xla=True: every signature computes with text, which XLA cannot.")
        concrete = write_saved_model(source.signatures, folder / name, infer)
        facts = {**source.facts(concrete), "format": "saved_model", "xla": xla}
        page = signature_page(name, facts, source.probes)
        beside = write_sidecar_files(f"{name}/{EXTRA}/", folder, source.assets, page)
        others = manifest.read(path)["artifacts"]
        older, checks = others.pop(name, None), [*source.checks]
        if serving:
            own = model_name(target)
            common, written_check = write_files(folder, name, own, facts, source.probes, others)
            beside |= common
            others = with_files(others, common)
            checks.append(written_check)
        entry = manifest.entry(
            folder / name,
            source.probes,
            **facts,
            beside=beside,
        )
        manifest.write(folder, {"artifacts": {name: entry}})
        report = check(folder, name, shown=path / name, time=True)
        report = dataclasses.replace(report, checks=[*checks, *report.checks])
        accept(report, path)
        manifest.write(folder, {"artifacts": {**others, name: report.manifest}})
        if path.is_dir():
            copy_rest(target, folder)
            remove_left(folder, older, beside)
        replace(folder, target)
    return report
