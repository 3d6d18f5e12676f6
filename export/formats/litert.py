"""The export to a LiteRT file that needs built-in operators only."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import keras

from export import manifest, measurements
from export.calibration import Calibration, check_calibration, with_arrays, with_calibration
from export.conversion import convert
from export.fixed import FixedSizes
from export.mediapipe_protocol import MediaPipeTask
from export.placement import place
from export.precision import portable
from export.processes import start_worker
from export.protocol import ExportableTask, ModelTokenizer, with_tokenizer
from export.report import Report, accept
from export.source import check_backend, read_source
from export.staging import Staging
from export.verification import check
from export.worker import digest
from export.worker.artifact import load
from export.worker.precisions import ALL, Storage, check_storage


def litert(
    task_or_model: ExportableTask | keras.Model,
    path: str | Path,
    *,
    quantize: str | None = None,
    quantize_scope: str = ALL,
    calibration: Calibration | None = None,
    text: str | None = None,
    tokenizer: ModelTokenizer | None = None,
    data: str | Path | None = None,
    max_drop: float | None = None,
    batch: int | None = None,
    length: int | None = None,
    text_size: int | None = None,
    **generation: Any,
) -> Report:
    """Exports a task or a Keras model to the LiteRT file `path`, and verifies it.

    The file holds all signatures with dynamic axes, one copy of the weights, and built-in operators
    only. A separate process that cannot import this library loads it and compares it with the live
    model; only if every check passes is it moved into place. `manifest.json` in its folder records
    what was checked.

    Args:
        task_or_model: A task (see `export.protocol.ExportableTask`), or a Keras model.
        path: The file to write, `*.tflite`.
        quantize: How to store the weights: None for float32, or a key of
            `export.worker.precisions.PRECISIONS`, such as "float16", "int8" or "dynamic_int4".
            "static_int8" also computes with integers. All but the first two need
            `pip install 'keras-attn[quantize]'`. The report of a quantized export also has a row
            for the float32 file.
        quantize_scope: Which weights that concerns: "all", "feed_forward", "attention" or
            "embeddings". All but the first need a precision named dynamic or weight_only.
        calibration: A file whose first rows give the ranges of "static_int8". By default they are
            those of samples of the training data. Of a Keras model, arrays of its inputs by name,
            of which up to 64 rows are taken.
        text: How the file takes and returns text, with the tokenizer inside: "bytes" in UTF-8, with
            built-in operators only, or "strings", with the operators of tensorflow-text. None if
            it takes token ids.
        tokenizer: Of a Keras model of ids, the tokenizer to put before it, such as
            `zoo.ExportableTokenizer`: the file then takes texts as bytes.
        data: A file to evaluate each exported file on, with the task's metrics.
        max_drop: Refuse a quantized file if the task's first metric gets worse by more than this.
        batch: The only batch size, for runtimes that take fixed shapes alone, such as GPUs, NPUs
            and browsers; 1 if just `length` is given. The file has int32 inputs for bool and int64.
        length: The only length, in tokens of texts. Shorter inputs must be padded to it with the
            value that the manifest names.
        text_size: The only number of bytes of a text with `text="bytes"`; 8 times the length by
            default. The file says of which texts it had to cut off the end.
        **generation: How to generate, such as `max_new_tokens`, `beams` and `length_penalty`.

    Returns:
        A `Report` with the path, the checks, the entry of the manifest and the measured files.

    Raises:
        ValueError: If an argument is invalid.
        VerificationError: If a check failed. Nothing is left but `<name>.report.json` beside
            `path`.

    Example:
        >>> import export
        >>> export.litert(task, "en-de.tflite", quantize="int8").passed     # doctest: +SKIP
        True
    """
    check_backend()
    path = Path(path)
    if tokenizer is not None:
        task_or_model = with_tokenizer(task_or_model, tokenizer)
        text = text or "bytes"
    storage = check_storage(quantize, quantize_scope)
    if path.suffix != ".tflite" or path.is_dir():
        raise ValueError(f"path must name a .tflite file; received {path}.")
    if max_drop is not None and (quantize is None or data is None):
        raise ValueError("max_drop needs quantize and data: it limits what quantization costs.")
    is_task = isinstance(task_or_model, ExportableTask)
    if quantize == "static_int8" and not is_task and calibration is None:
        raise ValueError(
            "static_int8 needs data to calibrate on, which a bare Keras model does not have: give "
            "calibration, arrays of its inputs by name."
        )
    if calibration is not None:
        check_calibration(task_or_model, calibration, [storage])
    if data is not None and not is_task:
        raise ValueError("data needs a task: a bare Keras model has no metric.")
    if data is not None and not Path(data).exists():
        raise ValueError(f"There is no file {data} to evaluate on.")
    fixed = None
    if any(size is not None for size in (batch, length, text_size)):
        fixed = FixedSizes(1 if batch is None else batch, length, text_size)
    if fixed and data is not None:
        raise ValueError("data needs a file of any shape: leave out batch, length and text_size.")
    manifest.read(path.parent)  # raises before the work if the folder has a manifest of other kind
    start_worker()  # while the graph is traced
    model = task_or_model.model if is_task else task_or_model
    with portable(model, _unrolls(task_or_model, model, quantize)), Staging(path) as staging:
        source = read_source(
            task_or_model,
            text,
            generation,
            litert=True,
            fixed=fixed,
            samples=quantize is not None,
        )
        if isinstance(calibration, str | Path):
            source = with_calibration(source, task_or_model, calibration)
        elif calibration is not None:
            source = with_arrays(source, calibration)
        kinds = [Storage(), storage] if quantize else [storage]  # the last is what was asked for
        files = {staging.folder / kind.name / path.name: kind for kind in kinds}
        *others, conversion = convert(source, staging.folder, files)
        failed = [each for each in (*others, conversion) if not each.passed]
        accept(Report(path, [*source.checks, *(failed[:1] or [conversion])]), path)
        rows: list[dict[str, Any]] = []
        for file, kind in files.items():
            report = check(file.parent, path.name, shown=path, time=True)
            accept(report, path)
            rows.append(measurements.row(report, kind))
            if data is not None:
                with notes_shown(kind.quantize is None):
                    metrics = task_or_model.evaluate_artifact(load(file, text == "strings"), data)
                rows[-1]["metrics"] = {key: float(value) for key, value in metrics.items()}
        checks = [*source.checks, conversion, *report.checks]
        if max_drop is not None:
            exact, quantized = (row["metrics"] for row in rows)
            checks.append(measurements.drop(exact, quantized, max_drop))
        entry = {**report.manifest, "checks": [vars(each) for each in checks], "files": rows}
        if data is not None:
            entry["sha256"] = {**entry["sha256"], "data": digest.sha256(data)}
        accept(Report(path, checks, entry, rows), path)
        entry = place(file, path, entry)
    return Report(path, checks, entry, rows)


def _unrolls(task_or_model: object, model: keras.Model, quantize: str | None) -> bool:
    """Whether the file has to do without loops."""
    if isinstance(task_or_model, MediaPipeTask):
        return True
    return quantize == "static_int8" and all(None not in x.shape[1:] for x in model.inputs)


@contextmanager
def notes_shown(shown: bool) -> Iterator[None]:
    """What a task logs about the data is the same for each file that is evaluated on it."""
    logger = logging.getLogger("keras_attn")
    level = logger.level
    if not shown:
        logger.setLevel(max(level, logging.ERROR))
    try:
        yield
    finally:
        logger.setLevel(level)
