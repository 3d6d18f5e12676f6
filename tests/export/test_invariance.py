"""Invariances measured on functions that have them, and on functions that break them."""

import numpy as np
import pytest

from export.worker.invariance import measure
from export.worker.probes import Probe

IDS = np.array([[4, 5, 6], [7, 8, 0], [9, 0, 0]])
SPEC = {"ids": {"dtype": "int64", "shape": [None, None]}}


def totals(inputs):
    return {"total": inputs["ids"].sum(axis=1).astype("float64")}


def mean_subtracted(inputs):
    total = totals(inputs)["total"]
    return {"total": total - total.mean()}


def width_added(inputs):
    return {"total": totals(inputs)["total"] + inputs["ids"].shape[1]}


def stops_when_all_have(inputs):
    """Each row counts down from its first id; the width is that of the longest row."""
    width = inputs["ids"][:, 0].max()
    return {"ids": np.maximum(inputs["ids"][:, :1] - np.arange(width), 0)}


@pytest.mark.parametrize("name", ["batch", "padding"])
@pytest.mark.parametrize("function", [totals, stops_when_all_have])
def test_an_invariant_function(name, function):
    found = measure(name, function, Probe({"ids": IDS}, {}), SPEC)

    assert found == (0.0, 1.0)


@pytest.mark.parametrize(
    ("name", "function"), [("batch", mean_subtracted), ("padding", width_added)]
)
def test_a_function_that_is_not(name, function):
    assert measure(name, function, Probe({"ids": IDS}, {}), SPEC).error > 0.1


def test_where_an_invariance_does_not_apply():
    fixed = {"ids": {"dtype": "int64", "shape": [None, 3]}}

    assert measure("batch", totals, Probe({"ids": IDS[:1]}, {}), SPEC) is None
    assert measure("padding", totals, Probe({"ids": IDS}, {}), fixed) is None
