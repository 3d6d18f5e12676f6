"""Formats of each model: tables model x format, with size, latency and the task's metric.

`python -m tests.tasks.matrix --out FILE.md` exports the task of every case to every
format. Each case has a process of its own. What it found is kept in the folder, so that a run that
was stopped goes on. It fails if an artifact is not what its model is; what a format cannot hold is
a reason under the tables.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import export
from export.locate import locate
from export.verification import check
from export.worker.artifact import load
from tests.tasks import api, matrix_page
from tests.tasks.cases import CASES
from tests.tasks.harness import Subject

Export = Callable[[Any, Path], Any]


def _litert(**options: Any) -> tuple[str, Export]:
    return ".tflite", lambda task, path: export.litert(task, path, **options)


# Column -> the end of the path, and what exports.
FORMATS: dict[str, tuple[str, Export]] = {
    "SavedModel": ("", export.saved_model),
    "LiteRT ids": _litert(),
    "float16": _litert(quantize="float16"),
    "int8": _litert(quantize="int8"),
    "dynamic int4": _litert(quantize="dynamic_int4"),
    "static int8": _litert(quantize="static_int8"),
    "LiteRT bytes": _litert(text="bytes"),
    "bytes, int8": _litert(text="bytes", quantize="int8"),
    "ONNX ids": ("", export.onnx),
    "ONNX bytes": ("", lambda task, path: export.onnx(task, path, text="bytes")),
    "web page": ("", export.web),
    "MediaPipe": (".tflite", export.mediapipe),
}
OF_ONE_SHAPE = ("web page", "MediaPipe")  # which are not evaluated on batches
# Which verification refuses if a small model loses much.
LOSSY = ("float16", "int8", "dynamic int4", "static int8", "bytes, int8")
FAILED, REFUSED = "FAILED", "n/a"
PARTS = Path("build/export-matrix")


def measured(subject: Subject, column: str) -> dict[str, Any]:
    """Exports a task, and measures what was written."""
    end, export_to = FORMATS[column]
    path = subject.folder / f"{column.replace(' ', '-')}{end}"
    try:
        export_to(subject.served, path)
    except export.VerificationError as error:
        lacks = [each.name for each in error.report.failed] == ["conversion"]
        refused = lacks or column in LOSSY
        return {"state": REFUSED if refused else FAILED, "reason": str(error)}
    except ValueError as error:
        return {"state": REFUSED, "reason": str(error)}
    folder, name = locate(path)
    report = check(folder, name, time=True)
    actual = {
        "state": "ok" if report.passed else FAILED,
        "bytes": report.manifest["bytes"],
        "latency_ms": report.manifest["timing"]["latency_ms"],
    }
    if column not in OF_ONE_SHAPE:
        artifact = load(folder / name, report.manifest.get("strings", False))
        try:
            scores = subject.served.evaluate_artifact(artifact, subject.data_of_served)
        except RuntimeError as error:  # the runtime cannot compute what verification did not try
            return {**actual, "state": FAILED, "reason": str(error)}
        metric = next(iter(scores))
        actual["metric"] = [metric, float(scores[metric])]
    return actual


def measure(name: str, result: Path) -> None:
    """Measures all formats of a case, and writes them as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        subject = Subject(CASES[name], Path(folder) / name)
        task = subject.served
        metric, value = next(iter(api.evaluated_as_files_are(task, subject.data_of_served).items()))
        actual = {
            "model": task.settings.model,
            "parameters": task.model.count_params(),
            "metric": [metric, float(value)],
            "formats": {column: measured(subject, column) for column in FORMATS},
        }
    result.with_suffix(".part").write_text(json.dumps(actual, indent=1) + "\n", "utf-8")
    os.replace(result.with_suffix(".part"), result)


def main() -> int:
    """Measures the cases that are missing, and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="The file to write.")
    parser.add_argument(
        "--parts", type=Path, default=PARTS, help="The folder of what was measured."
    )
    parser.add_argument("--case", action="append", choices=CASES, help="Measure only this case.")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        measure(given.case[0], given.out)
        return 0
    given.parts.mkdir(parents=True, exist_ok=True)
    actual = {}
    for name in given.case or CASES:
        part = given.parts / f"{name}.json"
        if not part.exists():
            print(name, flush=True)
            command = [sys.executable, "-m", "tests.tasks.matrix", "--measure"]
            subprocess.run([*command, "--case", name, "--out", part], check=True)
        actual[name] = json.loads(part.read_text("utf-8"))
    missing = [name for name in CASES if name not in actual]
    given.out.write_text(matrix_page.markdown(actual, missing), "utf-8")
    cells = [cell for row in actual.values() for cell in row["formats"].values()]
    return int(any(cell["state"] == FAILED for cell in cells))


if __name__ == "__main__":
    sys.exit(main())
