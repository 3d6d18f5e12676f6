"""Exports of a task to LiteRT in several precisions, with the size, speed and metric of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from export import measurements
from export.calibration import check_calibration, with_calibration
from export.conversion import convert
from export.extras import check_extra
from export.formats.litert import notes_shown
from export.intervals import PARTS, SHARES, of_parts, of_share
from export.placement import place
from export.precision import portable
from export.processes import run_in_worker, start_worker
from export.protocol import ExportableTask, ScoredInParts
from export.source import ExportSource, check_backend, read_source
from export.staging import Staging
from export.sweep_result import Sweep, open_sweep, recommend
from export.verification import check
from export.worker.artifact import load
from export.worker.precisions import PRECISIONS, SCOPES, Storage, check_storage

# The form of four bits with the smallest files also by scope.
DEFAULT = (*PRECISIONS, *(f"dynamic_int4-{scope}" for scope in list(SCOPES)[1:]))


def sweep(
    task: ExportableTask,
    folder: str | Path,
    *,
    data: str | Path,
    max_drop: float | None = None,
    precisions: Sequence[str] = DEFAULT,
    calibration: str | Path | None = None,
    text: str | None = None,
    progress: Callable[[str], None] | None = None,
    **generation: Any,
) -> Sweep:
    """Exports a task in several precisions, and measures size, speed, memory and the task's metric.

    Every file stays in the folder: each is an artifact that `export.verify` accepts. So do
    `sweep.json` with all numbers, `sweep.md` with a table and `sweep.png` with a plot. A sweep that
    was stopped goes on when it is called again: files that are finished are not made again.

    Args:
        task: The task.
        folder: The folder to write.
        data: The file to evaluate each file on, with the task's metrics.
        max_drop: The smallest file whose first metric is worse than that of the float32 file by at
            most this is recommended. None recommends nothing.
        precisions: Names of precisions, as for `quantize` of `export.litert`; with a scope behind a
            hyphen, such as "dynamic_int4-attention". By default all, and "dynamic_int4" by scope.
        calibration: A file whose rows give the ranges of "static_int8"; samples of the training
            data by default.
        text: How the files take text, as for `export.litert`.
        progress: Called with a line as each step begins.
        **generation: How to generate, such as `max_new_tokens`.

    Returns:
        A `Sweep`.

    Raises:
        ValueError: If an argument is invalid, a package is missing, or the folder holds a sweep of
            another model, or on other data.

    Example:
        >>> import export
        >>> result = export.sweep(task, "sweep", data="test.tsv", max_drop=0.5)  # doctest: +SKIP
        >>> result.recommended                                                   # doctest: +SKIP
        'dynamic_int8'
    """
    check_backend()
    check_extra("quantize")
    check_extra("report")
    kinds = [Storage(), *map(_storage, dict.fromkeys(precisions))]
    if not isinstance(task, ExportableTask):
        raise ValueError(f"A sweep needs a task; received {type(task).__name__}.")
    if not Path(data).exists():
        raise ValueError(f"There is no file {data} to evaluate on.")
    if calibration is not None:
        check_calibration(task, calibration, kinds)
    folder, say = Path(folder), progress or (lambda line: None)
    facts = {"text": text, "generation": generation}
    result = open_sweep(folder, task.model, data, calibration, facts)
    missing = [kind for kind in kinds if not result.is_finished(kind.name)]
    if missing:
        start_worker()  # while the graph is traced
        unroll = any(kind.is_calibrated for kind in kinds)
        with portable(task.model, unroll=unroll), Staging(folder / "sweep") as staging:
            say(f"convert to {len(missing)} files")
            source = read_source(task, text, generation, litert=True, samples=True)
            if calibration is not None:
                source = with_calibration(source, task, calibration)
            files = {staging.folder / kind.name / f"{kind.name}.tflite": kind for kind in missing}
            converted = convert(source, staging.folder, files)
            for number, (file, conversion) in enumerate(zip(files, converted, strict=True), 1):
                say(f"{number} of {len(files)}: {files[file].name}")
                row: dict[str, Any] = {"name": files[file].name}
                if conversion.passed:
                    row |= _measured(task, source, result, file, files[file], data)
                else:
                    row["refused"] = conversion.detail
                if "refused" in row and not files[file].quantize:
                    raise ValueError(f"The float32 file was refused: {row['refused']}")
                result.add(row)
    result.finish([kind.name for kind in kinds], max_drop, recommend(result.rows, max_drop))
    return result


def _storage(name: str) -> Storage:
    quantize, _, scope = name.partition("-")
    return check_storage(quantize, scope) if scope else check_storage(quantize)


def _measured(
    task: ExportableTask, source: ExportSource, result: Sweep, file: Path, kind: Storage, data: Any
) -> dict[str, Any]:
    """Verifies and evaluates a file, and moves it to its place. Returns its row."""
    path = result.folder / file.name
    report = check(file.parent, file.name, shown=path, time=True)
    if not report.passed:
        (first, *_) = report.failed
        return {"refused": f"{first.name}: {first.detail}"}
    measured = measurements.row(report, kind)
    row = {key: x for key, x in measured.items() if key != "file"}
    entry = report.manifest
    job = {
        "file": str(file.resolve()),
        "float32": str(result.file("float32").resolve()) if kind.quantize else None,
        "probes": str((file.parent / entry["probes"]).resolve()),
        "strings": entry["strings"],
    }
    row |= run_in_worker("memory_and_error", job)
    artifact = load(file, entry["strings"])
    with notes_shown(not kind.quantize):
        metrics = task.evaluate_artifact(artifact, data)
    row["metrics"] = {name: float(x) for name, x in metrics.items()}
    name = next(iter(metrics))
    row["parts"] = []
    if isinstance(task, ScoredInParts):
        with notes_shown(False):
            parts = task.scores_in_parts(artifact, data, PARTS)
        row["parts"] = [[rows, float(scores[name])] for rows, scores in parts]
    row |= _intervals(name, row, result.row("float32") if kind.quantize else row)
    place(file, path, {**entry, "checks": [vars(each) for each in report.checks]})
    return row


def _intervals(name: str, row: dict[str, Any], exact: dict[str, Any]) -> dict[str, Any]:
    """The interval of the first metric, and its drop from float32 with an interval."""
    value = row["metrics"][name]
    lost = measurements.loss(name, exact["metrics"][name], value)
    if len(row["parts"]) < PARTS:
        return {"interval": None, "drop": lost, "drop_interval": None}
    rows, scores = zip(*row["parts"], strict=True)
    pairs = zip(exact["parts"], row["parts"], strict=True)
    drops = [measurements.loss(name, one, other) for (_, one), (_, other) in pairs]
    own = of_share(value, sum(rows)) if name in SHARES else of_parts(value, scores, rows)
    ends = {"interval": list(own), "drop_interval": list(of_parts(lost, drops, rows))}
    return {**ends, "drop": lost}
