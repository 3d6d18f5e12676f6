"""Export to a LiteRT file that needs built-in operators only, verified before it is there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from export import manifest, measurements
from export.conversion import convert, file_in
from export.precision import portable
from export.processes import start_worker
from export.report import Check, Report
from export.saved_model import accept
from export.signatures import Signature, task_signatures
from export.source import read_source
from export.staging import Staging
from export.tolerances import get_tolerance
from export.verify import check
from export.worker import digest


def litert(
    task_or_model: Any,
    path: str | Path,
    *,
    quantize: str | None = None,
    strings: bool = False,
    data: str | Path | None = None,
    max_drop: float | None = None,
    **generation: Any,
) -> Report:
    """Export a task or a Keras model to the LiteRT file `path`, proven equal to what it came from.

    The file holds its signatures with any batch and length, one copy of the weights, and built-in
    operators only. It is converted in a process of its own, checked in a fresh one, and moved into
    place when it passed; `manifest.json` in its folder says what was proven.

    Args:
        task_or_model: a task with its signatures, or a Keras model.
        path: the file, `….tflite`.
        quantize: None, "float16" or "int8": how weights are stored. The report then has a row for
            the float32 file and one for the quantized.
        strings: take text, with the tokenizer inside: the file needs tensorflow-text's operators.
        data: the user's evaluation file: each file is scored on it with the task's metric.
        max_drop: refuse a quantized file that loses more than this of the task's first metric.
        **generation: how to generate: `max_new_tokens`, `beams`, `length_penalty`.

    Returns:
        A `Report` with the path, the checks, the manifest's entry and the measured files.

    Raises:
        ValueError: an argument is not what it should be.
        VerificationError: a check failed. Nothing is left but `<name>.report.json` beside `path`.

    Example:
        >>> import export
        >>> export.litert(task, "en-de.tflite", quantize="int8").passed     # doctest: +SKIP
        True
    """
    path = Path(path)
    get_tolerance(quantize)
    if path.suffix != ".tflite" or path.is_dir():
        raise ValueError(f"path must name a .tflite file, got {path}.")
    if max_drop is not None and (quantize is None or data is None):
        raise ValueError("max_drop compares a quantized file on data: give quantize and data.")
    manifest.read(path.parent)  # raises before the work where the folder is something else's
    metric = None if data is None else _Metric(task_or_model, data, strings, generation)
    start_worker()  # while the graph is made
    model = getattr(task_or_model, "model", task_or_model)
    with portable(model), Staging(path) as staging:
        source = read_source(task_or_model, strings, generation, litert=True)
        kinds: list[str | None] = [None, quantize] if quantize else [None]
        conversion = convert(source, staging.folder, path.name, kinds)
        if not conversion.passed:
            accept(Report(path, [conversion]), path)
        rows: list[dict[str, Any]] = []
        for kind in kinds:
            file = file_in(staging.folder, path.name, kind)
            report = check(file.parent, path.name, shown=path, time=True)
            accept(report, path)
            rows.append(measurements.row(report, kind))
            if metric:
                rows[-1]["metrics"] = metric(file)
        checks = [conversion, *report.checks]
        if max_drop is not None:
            exact, quantized = (row["metrics"] for row in rows)
            checks.append(measurements.drop(exact, quantized, max_drop))
        report = Report(path, checks, _final(report.manifest, checks, rows, metric), rows)
        accept(report, path)
        _place(file, path, report.manifest)
    return report


class _Metric:
    """The task's metric on the user's file, as a function of an artifact."""

    def __init__(
        self, task: Any, data: str | Path, strings: bool, generation: dict[str, Any]
    ) -> None:
        if not hasattr(task, "score_predictions"):
            raise ValueError("data is scored by a task's metric: a bare model has none.")
        if not Path(data).is_file():
            raise ValueError(f"There is no file {data} to evaluate on.")
        signatures = {each.name: each for each in task_signatures(task, True, generation)}
        self.task, self.data, self.strings = task, Path(data), strings
        self.signature: Signature = signatures["serving_default"]
        if not strings and self.signature.stages is None:
            raise ValueError(
                "data needs the stages `before`, `core` and `after` of the task's serving_default "
                "to score a file that takes ids; strings=True does without them."
            )

    def __call__(self, file: Path) -> dict[str, float]:
        predict = measurements.predictor(file, self.signature, self.strings)
        return {key: float(x) for key, x in self.task.score_predictions(predict, self.data).items()}


def _final(
    entry: dict[str, Any], checks: list[Check], rows: list[dict[str, Any]], metric: _Metric | None
) -> dict[str, Any]:
    sha256 = dict(entry["sha256"])
    if metric:
        sha256["data"] = digest.sha256(metric.data)
    return {**entry, "sha256": sha256, "checks": [vars(each) for each in checks], "files": rows}


def _place(file: Path, path: Path, entry: dict[str, Any]) -> None:
    """Move a verified file and its probes into place, and add its entry to the manifest.

    The file itself moves in one step. Stopped between two steps, its folder holds a whole file
    that `verify` calls changed, as the manifest still speaks of the one before.
    """
    content = manifest.read(path.parent)
    content["artifacts"][path.name] = entry
    manifest.write(file.parent, content)
    probes = manifest.probes_file(path.name)
    os.replace(file.with_name(probes), path.with_name(probes))
    os.replace(file, path)
    os.replace(file.with_name(manifest.FILE), path.with_name(manifest.FILE))
