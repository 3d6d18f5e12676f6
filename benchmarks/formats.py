"""The models of the tasks' contract in each format: the greatest error, size and latency.

    python -m benchmarks.formats text_classifier causal_lm

They are trained, take token ids or other features, and are tiny: a latency is what a call costs.
"""

import sys
import tempfile
from pathlib import Path

import export
from tests.tasks.cases import CASES
from tests.tasks.harness import Subject

FORMATS = {"saved_model": "saved", "litert": "model.tflite", "onnx": "onnx"}


def greatest_error(report):
    """The greatest error of an output."""
    details = [check.detail.split() for check in report.checks if "invariant" not in check.name]
    return max((float(each[1].rstrip(",")) for each in details if each[:1] == ["error"]), default=0)


def row(name, folder):
    """A line of the table."""
    task, cells = Subject(CASES[name], folder / "subject").served, [f"`{name}`"]
    for kind, path in FORMATS.items():
        options = {"text": None} if kind == "saved_model" else {}
        report = getattr(export, kind)(task, folder / path, **options)
        timing = report.manifest["timing"]
        size = report.manifest["bytes"] / 1e3
        cells.append(f"{greatest_error(report):.0e}, {size:.0f} kB, {timing['latency_ms']:.2g} ms")
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    print(f"| task | {' | '.join(FORMATS)} |\n|{' --- |' * (1 + len(FORMATS))}")
    for each in sys.argv[1:] or [name for name, case in CASES.items() if not case.variant]:
        with tempfile.TemporaryDirectory() as folder:
            print(row(each, Path(folder)), flush=True)
