"""Processor seconds and memory of reading tables of 100,000 rows.

    python -m benchmarks.reading
    python -m benchmarks.reading --rows 10000 --names csv series

Tables are written to a temporary folder from a fixed seed. Each is read in a process of its own,
three times; the seconds are those of the processor, the least of three, and the memory is by how
much the first reading raises the resident memory of the process, at its peak. Only for Linux.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from zoo.bench.machine import machine
from zoo.data.inspection import inspect
from zoo.data.readers.labels import read_labeled
from zoo.data.series.read import read_series

WORDS = ["a", "fine", "dull", "film", "plot", "actor", "the", "very", "long", "short"]
SERIES = 100
TIMES = 3


def main() -> None:
    """Prints a row for each table; as a child process, reads one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--names", nargs="+", choices=sorted(CASES), default=list(CASES))
    parser.add_argument("--read", nargs=2, help=argparse.SUPPRESS)  # name and path, in a child
    given = parser.parse_args()
    if given.read:
        print(json.dumps(measured(CASES[given.read[0]][1], given.read[1])))
        return
    facts = machine()
    print(f"{facts['processor']}, load {facts['load']:.0f}", end="\n\n")
    print("| data | seconds | MiB |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name in given.names:
            write, _, words = CASES[name]
            path = write(Path(folder), given.rows)
            command = [sys.executable, "-m", "benchmarks.reading", "--read", name, str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            seconds, memory = json.loads(done.stdout.splitlines()[-1])
            print(f"| {words} | {seconds:.2f} | {memory:.0f} |", flush=True)


def measured(read: Callable[[str], object], path: str) -> tuple[float, float]:
    """The least processor seconds of three readings, and the growth of the peak in MiB."""
    Path("/proc/self/clear_refs").write_text("5")  # Linux: the peak is counted anew from here
    before, seconds, peaks = _peak(), [], []
    for _ in range(TIMES):
        begin = time.process_time()
        read(path)
        seconds.append(time.process_time() - begin)
        peaks.append(_peak())
    return min(seconds), peaks[0] - before


def _peak() -> float:
    """The peak of the resident memory, in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


def _texts(rows: int) -> list[tuple[str, str]]:
    drawn = random.Random(0)
    return [(" ".join(drawn.choices(WORDS, k=8)), drawn.choice("ab")) for _ in range(rows)]


def csv_texts(folder: Path, rows: int) -> Path:
    """A table of texts with labels."""
    path = folder / "texts.csv"
    lines = ["text,label", *(f"{text},{label}" for text, label in _texts(rows))]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def jsonl_texts(folder: Path, rows: int) -> Path:
    """The same as JSON records."""
    path = folder / "texts.jsonl"
    lines = [json.dumps({"text": text, "label": label}) for text, label in _texts(rows)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def parquet_texts(folder: Path, rows: int) -> Path:
    """The same as Parquet."""
    import pyarrow
    from pyarrow import parquet

    texts, labels = zip(*_texts(rows), strict=True)
    path = folder / "texts.parquet"
    parquet.write_table(pyarrow.table({"text": texts, "label": labels}), path)
    return path


def many_series(folder: Path, rows: int) -> Path:
    """A hundred series of days."""
    return _series(folder / "days.csv", SERIES, rows // SERIES, timedelta(days=1))


def one_series(folder: Path, rows: int) -> Path:
    """One series of hours."""
    return _series(folder / "hours.csv", 1, rows, timedelta(hours=1))


def _series(path: Path, count: int, steps: int, step: timedelta) -> Path:
    drawn, start = random.Random(0), datetime(1990, 1, 1)
    lines = ["series,date,value"]
    for number in range(count):
        for step_number in range(steps):
            lines.append(f"s{number},{start + step_number * step},{drawn.random():.4f}")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


CASES: dict[str, tuple[Callable[[Path, int], Path], Callable[[str], object], str]] = {
    "csv": (csv_texts, read_labeled, "CSV, text and label"),
    "jsonl": (jsonl_texts, read_labeled, "JSONL"),
    "parquet": (parquet_texts, read_labeled, "Parquet"),
    "series": (many_series, read_series, "100 series of days"),
    "hours": (one_series, read_series, "one series of hours"),
    "inspect": (many_series, inspect, "`inspect`, series"),
}


if __name__ == "__main__":
    main()
