"""Every benchmark runs, small: what it measures is told apart from what it cannot do any more."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import BENCHMARKS
from tests.browser import browsing
from tests.clients.serving import needs_packages

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "command",
    [
        *(pytest.param(["", name], marks=pytest.mark.long) for name in BENCHMARKS),
        pytest.param([".layers", "Dropout"], marks=pytest.mark.long),
        pytest.param([".startup"], marks=pytest.mark.long),
        pytest.param([".checkpoints"], marks=pytest.mark.long),
        pytest.param([".throughput"], marks=pytest.mark.long),
        pytest.param([".gpu"], marks=pytest.mark.long),
        pytest.param([".browser"], marks=[pytest.mark.long, browsing, needs_packages]),
    ],
)
def test_it_measures_us_and_writes_what_it_measured(tmp_path, command):
    module, *names = command
    out = tmp_path / "results.json"
    words = [sys.executable, "-m", f"benchmarks{module}", *names, "--quick", "--out", str(out)]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert ran.returncode == 0, ran.stderr[-3000:]
    written = json.loads(out.read_text())
    assert written["quick"] and written["results"]
    for result in written["results"]:
        assert all(each["median_ms"] > 0 for each in result["contenders"].values())
        assert result["name"] in ran.stdout
