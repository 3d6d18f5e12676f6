"""The default model of every task beside its baselines, on real data.

    python -m benchmarks.defaults DATA --out runs/defaults
    python -m benchmarks.defaults DATA --out runs/defaults --tasks text-classifier --rows 500

Every row is what `keras-attn train TASK --data ... --validation ... --out ...` and `evaluate` give,
without other options. Training data have at most `--rows` rows, drawn at random, so that all take
minutes on a small machine. DATA has the folders that `benchmarks.default_data` names. The table is
printed, and written to `table.md` in the folder of `--out`, with the commands; each task is added
when it is done.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.default_data import SOURCES
from benchmarks.default_files import Files, FilesOfTasks
from zoo.bench.machine import machine
from zoo.tasks.comparison import Comparison

PROGRAM = "import sys; from zoo.cli import main; sys.exit(main())"
HEADER = ("task", "data", "metric", "default", "baselines", "epochs", "seconds")


def main() -> None:
    """Trains and evaluates each task, and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder of data sets")
    parser.add_argument("--out", type=Path, required=True, help="folder of files, runs and table")
    parser.add_argument("--tasks", nargs="+", choices=sorted(SOURCES), default=list(SOURCES))
    parser.add_argument("--rows", type=int, default=1000, help="maximum number of training rows")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    facts = machine()
    lines = [f"{facts['processor']}, {facts['cores']} cores, load {facts['load']:.0f}", ""]
    lines += [_row(HEADER), _row(["---"] * len(HEADER))]
    print("\n".join(lines), flush=True)
    commands = []
    for task in given.tasks:
        for name, source in SOURCES[task].items():
            files = source(given.data, given.out / f"{task}-{name}", given.rows)
            run = given.out / f"{task}-{name}" / "run"
            command = ["train", task, *files.to_train, "--out", str(run)]
            rows = [_row(cells) for cells in _measured(task, name, files, command)]
            print("\n".join(rows), flush=True)
            lines += rows
            commands.append("    keras-attn " + " ".join(command))
            (given.out / "table.md").write_text("\n".join([*lines, "", *commands, ""]), "utf-8")


def _measured(
    task: str, name: str, files: Files | FilesOfTasks, command: list[str]
) -> list[list[str]]:
    """A row for the first metric that the model shares with baselines, or else for its first."""
    begin = time.perf_counter()
    _run([*command, "--json"])
    seconds = time.perf_counter() - begin
    run = Path(command[-1])
    evaluate = ["evaluate", str(run), *files.to_evaluate, "--json"]
    scores = json.loads(_run(evaluate))
    scores.pop("intervals", None)
    comparison = compared(scores)
    metric, value = next(iter(comparison.model.items()))
    baselines = {each: of[metric] for each, of in comparison.of_baselines().items() if metric in of}
    shown = ", ".join(f"{each} {score:.4g}" for each, score in baselines.items()) or "none"
    epochs = sum(1 for _ in (run / "history.csv").open()) - 1
    return [[task, name, metric, f"{value:.4g}", shown, str(epochs), f"{seconds:.0f}"]]


def compared(scores: dict[str, float]) -> Comparison:
    """The metrics that `evaluate --json` prints, with those of baselines apart.

    The model's metrics come first; the metrics of baselines end like one of them.

    Example:
        >>> compared({"accuracy": 0.9, "majority_accuracy": 0.5}).of_baselines()
        {'majority': {'accuracy': 0.5}}
    """
    model: dict[str, float] = {}
    for name, value in scores.items():
        if not any(name.endswith(f"_{metric}") for metric in model):
            model[name] = value
    others = {name: value for name, value in scores.items() if name not in model}
    shared = {
        metric: x for metric, x in model.items() if any(o.endswith(f"_{metric}") for o in others)
    }
    return Comparison(shared or model, others)


def _run(arguments: Sequence[str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"keras-attn {' '.join(arguments)} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
