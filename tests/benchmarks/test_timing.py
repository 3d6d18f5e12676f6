"""What the benchmarks make of times: medians, rates, ratios, a table and a file."""

import json
import sys

import pytest

from benchmarks import command
from zoo.bench.timing import Result, best, compare, take_turns

SECONDS = {"ours": [0.5, 0.2, 0.25], "peer": [0.75, 0.5, 9.0]}


def results(quick):
    ratios = compare(SECONDS, {"peer / ours": ("peer", "ours"), "torch / ours": ("torch", "ours")})
    yield Result(f"quick {quick}", SECONDS, ratios, work=30, unit="tokens")


def test_a_ratio_above_one_says_that_ours_is_faster_by_the_median_turn():
    assert compare(SECONDS, {"ratio": ("peer", "ours")}) == {"ratio": 3.0}


def test_an_absent_peer_has_no_ratio():
    assert compare(SECONDS, {"ratio": ("torch", "ours")}) == {}


def test_the_best_is_the_fastest_that_took_part():
    assert best(SECONDS, "peer", "ours", "torch") == "ours"


def test_contenders_alternate_after_two_warm_ups_each():
    order = []
    contenders = {name: lambda name=name: order.append(name) for name in "ab"}
    seconds = take_turns(contenders, turns=3)
    assert "".join(order) == "aabb" + "ab" * 3
    assert {name: len(turns) for name, turns in seconds.items()} == {"a": 3, "b": 3}


def test_the_command_prints_and_writes_the_same_numbers(tmp_path, monkeypatch, capsys):
    file = tmp_path / "results.json"
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--quick", "--out", str(file)])
    command.main({"one": results}, "One.")
    report = json.loads(file.read_text())
    (result,) = report["results"]
    assert result["contenders"]["peer"]["median_ms"] == 750.0
    assert result["contenders"]["peer"]["tokens_per_second"] == 40.0
    assert result["ratios"] == {"peer / ours": 3.0}
    assert report["quick"] is True and report["machine"]["cores"] >= 1
    assert "keras" in report["machine"]["libraries"]
    shown = capsys.readouterr().out
    assert "quick True" in shown and "750.0 ms" in shown and "3.00 x" in shown


def test_an_unknown_benchmark_is_refused_with_the_choices(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["benchmarks", "nothing"])
    with pytest.raises(SystemExit):
        command.main({"one": results, "two": results}, "Two.")
    assert "unknown nothing; choose from one, two" in capsys.readouterr().err
