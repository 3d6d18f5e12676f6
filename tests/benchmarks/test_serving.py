"""The benchmark of servers runs, and its percentiles are those of the latencies."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.servers import Answer
from benchmarks.serving import CALLERS, numbers

ROOT = Path(__file__).parents[2]


def test_percentiles_are_of_all_turns_and_the_rate_is_of_the_best():
    turns = [(2.0, [Answer(n, 200, b"", n / 1e3) for n in range(51)]), (1.0, [])]
    turns[1][1].extend(Answer(n, 200, b"", n / 1e3) for n in range(51, 101))
    actual = numbers(turns)
    assert actual == pytest.approx({"p50_ms": 50, "p99_ms": 99, "rate": 50, "requests": 101})


@pytest.mark.long
def test_it_measures_every_server(tmp_path):
    out = tmp_path / "serving.json"
    options = ["classifier", "--turns", "1", "--seconds", "0.2", "--out", str(out)]
    command = [sys.executable, "-m", "benchmarks.serving", *options]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr[-3000:]
    rows = json.loads(out.read_text())["rows"]
    assert len(rows) == 6 * len(CALLERS)
    assert all(0 < row["p50_ms"] <= row["p99_ms"] and row["rate"] > 0 for row in rows)
