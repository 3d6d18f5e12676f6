"""Verification of an artifact in a process that can import neither this library nor Keras."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from export import manifest
from export.locate import locate
from export.metrics import compare_metrics, same_weights
from export.processes import ProcessFailed, run_in_worker
from export.protocol import ExportableTask
from export.report import Check, Report
from export.signing import check_signature
from export.tolerances import TOLERANCES

SECONDS = 1800.0


def verify(
    path: str | Path,
    task: ExportableTask | None = None,
    data: str | Path | None = None,
    max_drop: float | None = None,
    public_key: str | Path | None = None,
    timeout: float = SECONDS,
) -> Report:
    """Verifies an exported artifact again, on this machine, with the results stored beside it.

    A separate process checks

    - the sha256 of the artifact, of its probes and of the files beside it against the manifest,
    - its operators against those that are allowed.

    Only then does it load the artifact, with the runtime that serves it, and check

    - its signatures against the manifest,
    - every output on every probe (numbers, tokens, text, attention maps) against the live model's,
    - that rows alone give what they give in a batch, and that padding changes nothing, where the
      signature promises it,
    - that inputs of another rank are refused.

    All this proves that the artifact is whole and agrees with its probes. Only `public_key` proves
    who made it.

    Args:
        path: A LiteRT file, a bundle for LiteRT-LM, a folder of ONNX files, the folder of a
            SavedModel (its newest version is verified) or one version in it.
        task: The task that it was exported from: its weights must be those that the manifest names.
        data: A file to evaluate the task and the artifact on, with the task's metrics.
        max_drop: How much worse than the task the artifact may be in the first metric.
        public_key: A PEM file of an elliptic-curve key. Unless `manifest.json.sig`, as
            `model_signing sign key` writes it, is a signature of the manifest with this key,
            nothing else is checked. It requires `pip install 'keras-attn[sign]'`.
        timeout: Seconds that the process may take: an artifact may compute without an end.

    Returns:
        A `Report`; `report.passed` says whether every check passed.

    Raises:
        ValueError: If there is no artifact at `path`, or no valid manifest that lists it; or if the
            packages are missing that run it; or if `data` is given without `task`, or `max_drop`
            without `data`; or if `public_key` cannot be used.

    Example:
        >>> from export import verify
        >>> verify("served/en-de").passed       # doctest: +SKIP
        True
    """
    if data is not None and task is None:
        raise ValueError("data needs task: the artifact is compared with it.")
    if max_drop is not None and data is None:
        raise ValueError("max_drop needs data: it limits how much worse the artifact may be.")
    folder, name = locate(Path(path))
    content = manifest.content_of(folder)
    signed = [] if public_key is None else [check_signature(folder, content, Path(public_key))]
    if not all(each.passed for each in signed):
        return Report(folder / name, signed)
    report = check(folder, name, content=content, seconds=timeout)
    report = replace(report, checks=[*signed, *report.checks])
    if task is not None:
        report = replace(report, checks=[*report.checks, same_weights(task, report.manifest)])
    if data is not None and report.manifest["format"] == "litertlm":
        raise ValueError("a bundle for LiteRT-LM is compared by its answers: leave out data.")
    if task is None or data is None or not report.passed:
        return report
    return compare_metrics(report, task, data, max_drop)


def check(
    folder: Path,
    name: str,
    *,
    shown: Path | None = None,
    time: bool = False,
    content: bytes | None = None,
    seconds: float | None = None,
) -> Report:
    """Checks an artifact in a worker process, by `main` of export/worker/check.py.

    Args:
        folder: The folder that holds the artifact and its manifest.
        name: The name of the artifact.
        shown: The path to report, if it is to be moved later.
        time: Whether to measure how fast it is.
        content: The content of the manifest, if it was read before.
        seconds: The time that it may take; None if there is no limit, as for one's own model.
    """
    entry: dict[str, Any] = _entry(folder, name, content)
    shown = shown or folder / name
    job = {
        "folder": str(folder.resolve()),
        "name": name,
        "entry": entry,
        "time": time,
        # Those of the code, whatever the manifest says.
        "tolerances": {kind or "": each._asdict() for kind, each in TOLERANCES.items()},
    }
    try:
        answer = run_in_worker("check", job, seconds)
    except ProcessFailed as error:
        return Report(shown, [Check("worker process", False, str(error))], entry)
    measured = {"checks": answer["checks"], "operators": answer["operators"]}
    measured |= {name: answer[name] for name in ("timing", "tolerance") if answer.get(name)}
    checks = [Check(line["name"], line["passed"], line["detail"]) for line in answer["checks"]]
    return Report(shown, checks, {**entry, **measured})


def _entry(folder: Path, name: str, content: bytes | None) -> dict[str, Any]:
    entry = manifest.find(folder, name, content)
    if entry is None:  # it has changed since the artifact was located
        raise ValueError(f"{folder / manifest.FILE} does not list {name}.")
    return entry
