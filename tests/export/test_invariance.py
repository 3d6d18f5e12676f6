"""Invariances measured on functions that have them, and on functions that break them."""

import numpy as np
import pytest

from export.worker.axes import Spec
from export.worker.invariance import measure
from export.worker.probes import Probe

IDS = np.array([[4, 5, 6], [7, 8, 0], [9, 0, 0]])
SPEC = {"ids": Spec(("batch", "length"), 0)}
OUTPUTS = {"total": Spec(("batch",)), "ids": Spec(("batch", None), 0)}


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
    actual = measure(name, function, Probe({"ids": IDS}, {}), SPEC, OUTPUTS)

    assert actual == (0.0, 1.0)


@pytest.mark.parametrize(
    ("name", "function"), [("batch", mean_subtracted), ("padding", width_added)]
)
def test_a_function_that_is_not(name, function):
    assert measure(name, function, Probe({"ids": IDS}, {}), SPEC, OUTPUTS).error > 0.1


def test_where_an_invariance_does_not_apply():
    probe = Probe({"ids": IDS}, {})

    assert measure("batch", totals, Probe({"ids": IDS[:1]}, {}), SPEC) is None
    assert measure("padding", totals, probe, {"ids": Spec(("batch", 3))}) is None
    assert measure("padding", totals, probe, {"ids": Spec(("batch", "length"))}) is None
    assert measure("batch", totals, probe, {"ids": Spec(("nodes", "length"))}) is None


def test_padding_is_the_declared_value_and_of_all_that_share_the_axis():
    seen = []

    def record(inputs):
        seen.append({name: array.copy() for name, array in inputs.items()})
        return {"total": inputs["ids"][:, :2].sum(axis=1)}

    specs = {
        "ids": Spec(("batch", "length"), 50256),
        "mask": Spec(("batch", "length"), False),
        "pairs": Spec(("batch", "length", "length"), -1.0),
        "nodes": Spec(("nodes", 2), 0.0),
        "edges": Spec((2, "edges")),
        "weights": Spec(("nodes", "edges")),
        "degrees": Spec(("nodes",), 0),
    }
    shapes = {name: (3, 3, 3)[: len(spec.axes)] for name, spec in specs.items()}
    shapes |= {"nodes": (5, 2), "edges": (2, 7), "weights": (5, 7), "degrees": (5,)}
    inputs = {name: np.ones(shape) for name, shape in shapes.items()}
    inputs |= {"ids": IDS, "mask": np.ones((3, 3), bool)}

    assert measure("padding", record, Probe(inputs, {}), specs, {}) == (0.0, 1.0)

    _, wide = seen
    np.testing.assert_array_equal(wide["ids"][:, 3:], np.full((3, 3), 50256))
    np.testing.assert_array_equal(wide["mask"][:, 3:], np.zeros((3, 3), bool))
    assert wide["pairs"].shape == (3, 6, 6) and wide["pairs"].sum() == 27 - 3 * 27
    # Of the nodes one tensor does not say what they may be padded with.
    assert {name: wide[name].shape for name in ("nodes", "edges", "weights", "degrees")} == {
        "nodes": (5, 2),
        "edges": (2, 7),
        "weights": (5, 7),
        "degrees": (5,),
    }


def test_outputs_are_cut_back_along_the_axes_they_follow():
    def tags(inputs):
        return {"tags": inputs["ids"] * 2}

    def shorter(inputs):
        return {"tags": inputs["ids"][:, : inputs["ids"].shape[1] // 2]}

    follows, own = {"tags": Spec(("batch", "length"))}, {"tags": Spec(("batch", None), 0)}
    probe = Probe({"ids": np.where(IDS == 0, 1, IDS)}, {})

    assert measure("padding", tags, probe, SPEC, follows) == (0.0, 1.0)
    # Something that grows with the padding is no size of its own.
    assert measure("padding", shorter, probe, SPEC, own).agreement == 0
