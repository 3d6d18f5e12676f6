"""The time of nested events counts once."""

import pytest

from benchmarks.operators import kind, self_times

PICO = 10**12


def test_an_operator_does_not_count_what_runs_inside_of_it():
    events = [(0, 13, "Run"), (2, 5, "MatMul"), (3, 2, "Pack"), (7, 3, "MatMul"), (17, 1, "Run")]
    times = self_times((start * PICO, length * PICO, name) for start, length, name in events)

    assert times == {"Run": pytest.approx(13 - 5 - 3 + 1), "MatMul": 5 - 2 + 3, "Pack": 2}
    assert times.total() == 14


def test_operators_of_one_kind_are_added_up():
    assert kind("gpt/block_1/MatMul:MatMul") == "MatMul"
    assert kind("add_bitcast_fusion.17") == kind("add_bitcast_fusion_") == "add_bitcast_fusion"
