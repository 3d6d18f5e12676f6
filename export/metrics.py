"""The comparison of an artifact with its task, on data of the user."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from export import manifest, measurements
from export.protocol import ExportableTask
from export.report import Check, Report
from export.serving import open_artifact
from export.task_serving import open_task
from export.worker.artifact import Artifact


def same_weights(task: ExportableTask, entry: dict[str, Any]) -> Check:
    """Checks that an artifact has the weights of a task.

    Args:
        task: The task.
        entry: The entry of the artifact in the manifest.
    """
    digest, wanted = manifest.weights_sha256(task.model), entry["sha256"]["weights"]
    detail = digest[:12] if digest == wanted else f"{digest[:12]}, the manifest says {wanted[:12]}"
    return Check("sha256 weights of the task", digest == wanted, detail)


def compare_metrics(
    report: Report, task: ExportableTask, data: str | Path, max_drop: float | None
) -> Report:
    """Evaluates an artifact and its task with the task's metrics.

    Args:
        report: The report of the artifact, which passed all checks.
        task: The task.
        data: The file to evaluate both on.
        max_drop: How much worse than the task the artifact may be in the first metric.

    Returns:
        The report with a row for each, and the check of `max_drop`.
    """
    entry = report.manifest
    generation = {k: x for k, x in entry["config"].get("generation", {}).items() if k != "stream"}
    opened: Any = open_task(task, **generation)
    again: Any = open_artifact(report.path)
    if again.sha256 != entry["sha256"]["artifact"]:
        raise ValueError(f"{report.path} was changed while it was verified.")
    live = Artifact(opened.run, opened.facts)
    exact, own = (
        {name: float(x) for name, x in task.evaluate_artifact(each, data).items()}
        for each in (live, Artifact(again.run, again.facts))
    )
    rows = [{"file": "the task", "metrics": exact}, {"file": report.path.name, "metrics": own}]
    checks = list(report.checks)
    if max_drop is not None:
        checks.append(measurements.drop(exact, own, max_drop))
    return replace(report, checks=checks, files=rows)
