"""Relative positions and the tables by distance, against NumPy, one pair at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

from keras_attn.position.distances import by_distance, by_key, distances
from keras_attn.position.relative import ShawPositions
from tests.gradients import value_and_gradient
from tests.oracles.position import shaw


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def build(max_distance, width=11, value_width=13):
    layer = ShawPositions(max_distance)
    layer.build((None, 2, None, width), None, (None, 2, None, value_width))
    layer.set_weights([draw(*w.shape, seed=i) for i, w in enumerate(layer.weights)])
    return layer


@settings(deadline=None, max_examples=15)
@given(queries=st.integers(0, 5), keys=st.integers(0, 5), seed=st.integers(0, 9))
def test_tables_by_distance(queries, keys, seed):
    x = draw(3, 2, queries, queries + keys + 1, seed=seed)
    got = ops.convert_to_numpy(by_key(ops.convert_to_tensor(x), queries, keys))
    assert got.shape == (3, 2, queries, keys)
    weights = draw(3, 2, queries, keys, seed=seed)
    back = ops.convert_to_numpy(by_distance(ops.convert_to_tensor(weights), queries, keys))
    assert back.shape == x.shape
    expected = np.zeros_like(x)
    for t in range(queries):
        for s in range(keys):
            np.testing.assert_array_equal(got[:, :, t, s], x[:, :, t, s - t + queries])
            expected[:, :, t, s - t + queries] = weights[:, :, t, s]
    np.testing.assert_array_equal(back, expected)


def test_distances_from_an_offset():
    got = ops.convert_to_numpy(distances(2, 3, ops.convert_to_tensor(4, "int32")))
    assert got.tolist() == [[-4, -3, -2], [-5, -4, -3]]


@pytest.mark.quick(2)
@pytest.mark.parametrize("max_distance", [1, 2, 23])
@pytest.mark.parametrize("start", [0, 3, 40])
@pytest.mark.parametrize("sizes", [(5, 7), (7, 5), (1, 7), (1, 1), (5, 0), (0, 5)])
def test_numbers(max_distance, start, sizes):
    queries, keys = sizes
    layer = build(max_distance)
    query, weights, value = draw(3, 2, queries, 11), draw(3, 2, *sizes), draw(3, 2, keys, 13)
    change, context = layer(query, weights, value, start_index=ops.convert_to_tensor(start))
    of_keys, of_values = (shaw(table, *sizes, start) for table in layer.get_weights())
    expected = np.einsum("bhtk,tsk->bhts", query, of_keys)
    np.testing.assert_allclose(ops.convert_to_numpy(change), expected, atol=1e-5)
    expected = weights @ value + np.einsum("bhts,tsv->bhtv", weights, of_values)
    np.testing.assert_allclose(ops.convert_to_numpy(context), expected, atol=1e-5)


@pytest.mark.parametrize("jit_compile", [False, True])
def test_gradients_of_the_tables_by_distance(jit_compile):
    """Of a sum of products with constants the gradient is those constants, moved back."""
    x, of_key = draw(3, 2, 5, 13), draw(3, 2, 5, 7, seed=2)
    _, gradient = value_and_gradient(lambda x: ops.sum(by_key(x, 5, 7) * of_key), x, jit_compile)
    moved = ops.convert_to_numpy(by_distance(ops.convert_to_tensor(of_key), 5, 7))
    np.testing.assert_allclose(gradient, moved, rtol=1e-6, atol=1e-6)


def test_max_distance_must_be_positive():
    with pytest.raises(ValueError, match="max_distance must be a positive integer.*0"):
        ShawPositions(0)
