"""Matrix products and head moves, by einsum in float64."""

import numpy as np
import pytest
from keras import ops

from keras_attn.functional.dense import dense
from keras_attn.functional.heads import merge_heads

RNG = np.random.default_rng(11)


def draw(*shape):
    return RNG.normal(size=shape).astype("float32")


@pytest.mark.parametrize(
    ("x_shape", "kernel_shape", "input_axes", "equation"),
    [
        ((3, 5, 11), (11, 2, 7), 1, "btd,dhk->bthk"),
        ((3, 5, 2, 7), (2, 7, 11), 2, "bthk,hkd->btd"),
        ((3, 11), (11, 13), 1, "bd,de->be"),
        ((3, 2, 5, 11), (11, 13), 1, "bhtd,de->bhte"),
    ],
)
def test_dense_is_the_product_over_all_input_axes(x_shape, kernel_shape, input_axes, equation):
    x, kernel = draw(*x_shape), draw(*kernel_shape)
    bias = draw(*kernel_shape[input_axes:])
    expected = np.einsum(equation, x.astype("float64"), kernel)
    got = dense(x, kernel, input_axes=input_axes)
    np.testing.assert_allclose(ops.convert_to_numpy(got), expected, atol=1e-5)
    got = dense(x, kernel, bias, input_axes)
    np.testing.assert_allclose(ops.convert_to_numpy(got), expected + bias, atol=1e-5)


def test_dense_of_an_empty_sequence_is_empty():
    assert tuple(dense(np.zeros((3, 0, 11), "float32"), draw(11, 2, 7)).shape) == (3, 0, 2, 7)


def test_merge_heads_keeps_each_head_together():
    x = draw(3, 2, 5, 7)
    expected = np.concatenate([x[:, 0], x[:, 1]], axis=-1)
    np.testing.assert_array_equal(ops.convert_to_numpy(merge_heads(x)), expected)
