"""The masked softmax against NumPy float64, at the edges of its dtypes."""

import numpy as np
import pytest
from keras import ops

from keras_attn.functional.softmax import masked_softmax
from tests.gradients import value_and_gradient
from tests.oracles import attention as oracle

MASK = np.random.default_rng(3).random((3, 5, 7)) > 0.4
MASK[1, 2] = False  # a query that may look nowhere


def draw(scale=1.0):
    return (scale * np.random.default_rng(5).normal(size=(3, 5, 7))).astype("float32")


@pytest.mark.parametrize("scale", [1.0, 100.0, 1e4])
def test_numbers(scale):
    weights = ops.convert_to_numpy(masked_softmax(draw(scale), MASK))
    np.testing.assert_allclose(
        weights, oracle.normalize("softmax", draw(scale), MASK), rtol=1e-6, atol=1e-6
    )
    assert (weights[~MASK] == 0).all()


def test_without_a_mask_every_position_takes_part():
    weights = ops.convert_to_numpy(masked_softmax(draw()))
    np.testing.assert_allclose(weights, oracle.normalize("softmax", draw()), rtol=1e-6, atol=1e-6)


def test_along_another_axis():
    weights = ops.convert_to_numpy(masked_softmax(np.swapaxes(draw(), 0, 2), MASK.T, axis=0))
    expected = np.swapaxes(oracle.normalize("softmax", draw(), np.swapaxes(MASK.T, 0, 2)), 0, 2)
    np.testing.assert_allclose(weights, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_rounded_once(dtype):
    scores = ops.cast(draw(10.0), dtype)
    weights = masked_softmax(scores, MASK)
    assert weights.dtype == scores.dtype
    weights = ops.convert_to_numpy(ops.cast(weights, "float32"))
    expected = oracle.normalize("softmax", ops.convert_to_numpy(ops.cast(scores, "float32")), MASK)
    np.testing.assert_allclose(weights, expected, rtol=2**-8, atol=1e-6)
    assert (weights[1, 2] == 0).all()


def test_what_is_masked_changes_nothing():
    changed = np.where(MASK, draw(), 1e6).astype("float32")
    weights, again = masked_softmax(draw(), MASK), masked_softmax(changed, MASK)
    np.testing.assert_array_equal(ops.convert_to_numpy(weights), ops.convert_to_numpy(again))


def test_a_single_position_gets_all_the_weight():
    scores, mask = draw()[..., :1], MASK[..., :1]
    assert mask.any() and not mask.all()
    np.testing.assert_array_equal(ops.convert_to_numpy(masked_softmax(scores, mask)), mask)
    _, gradient = value_and_gradient(lambda x: ops.sum(masked_softmax(x, mask) * draw()), scores)
    assert (gradient == 0).all()


def test_gradient_is_the_softmax_s_and_zero_where_masked():
    probe = draw(2.0)[::-1]
    _, gradient = value_and_gradient(lambda x: ops.sum(masked_softmax(x, MASK) * probe), draw())
    weights = oracle.normalize("softmax", draw(), MASK)
    expected = weights * (probe - (weights * probe).sum(-1, keepdims=True))
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-6)
    assert (gradient[~MASK] == 0).all()
