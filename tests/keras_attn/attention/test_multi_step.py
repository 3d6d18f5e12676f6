"""Multi-step attention against NumPy float64."""

import numpy as np
import pytest
from keras import ops

from keras_attn.attention.multi_step import MultiStepAttention
from tests.oracles import other_attention as oracle

MASK = np.array([[1, 1, 0, 1, 0, 0, 1], [0] * 7, [1] * 7], bool)


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


INPUTS = (draw(3, 5, 11), draw(3, 5, 2, seed=2), draw(3, 7, 2, seed=3), draw(3, 7, 2, seed=4))


def built(scale=False):
    layer = MultiStepAttention(scale)
    layer.build(*((None, None, x.shape[-1]) for x in INPUTS))
    layer.set_weights([draw(*w.shape, seed=i) for i, w in enumerate(layer.weights)])
    return layer


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("mask", [None, MASK])
def test_numbers(scale, mask):
    layer = built(scale)
    assert [tuple(w.shape) for w in layer.weights] == [(11, 2), (2,), (2, 11), (11,)]
    output, weights = layer(*INPUTS, memory_mask=mask, return_attention_scores=True)
    expected = oracle.multi_step(layer.get_weights(), *INPUTS, mask, scale)
    np.testing.assert_allclose(ops.convert_to_numpy(output), expected[0], atol=2e-5)
    np.testing.assert_allclose(ops.convert_to_numpy(weights), expected[1], atol=1e-5)
    if mask is not None:  # nothing to see: the output bias
        at_nothing = ops.convert_to_numpy(output)[1]
        np.testing.assert_allclose(
            at_nothing, np.tile(layer.get_weights()[3], (5, 1)), rtol=1e-6, atol=5e-6
        )


def test_by_hand():
    layer = MultiStepAttention()
    one = np.ones((1, 1, 1), "float32")
    layer(one, one, one, one)
    layer.set_weights([np.array(w) for w in ([[np.log(3)]], [0], [[1]], [0])])
    memory, embedding = np.array([[[0], [1]]], "float32"), np.array([[[4], [8]]], "float32")
    output = layer(one, 0 * one, memory, embedding)  # weights 1/4 and 3/4 of 4 and 9
    np.testing.assert_allclose(ops.convert_to_numpy(output), [[[7.75]]], atol=1e-5)


def test_scaled_outputs_of_evenly_spread_attention_keep_their_variance():
    layer = MultiStepAttention(scale=True)
    target, source = draw(3, 5, 31), draw(3, 1009, 31, seed=2)
    layer(target, 0 * target, source, source)
    kernels = [np.zeros((31, 31)), np.zeros(31), np.eye(31), np.zeros(31)]
    layer.set_weights(kernels)
    output = layer(target, 0 * target, source, draw(3, 1009, 31, seed=3))
    assert 0.7 < ops.convert_to_numpy(output)[:, 0].std() < 1.3


def test_the_masks_of_memory_and_embedding_hold_together():
    layer, other = built(), MASK[[2, 2, 0]]
    output = layer(*INPUTS, memory_mask=MASK, source_embedding_mask=other)
    expected = oracle.multi_step(layer.get_weights(), *INPUTS, MASK & other)[0]
    np.testing.assert_allclose(ops.convert_to_numpy(output), expected, atol=2e-5)


@pytest.mark.parametrize("scale", [False, True])
def test_no_source_gives_the_output_bias(scale):
    layer, empty = built(scale), np.zeros((3, 0, 2), "float32")
    output = ops.convert_to_numpy(layer(*INPUTS[:2], empty, empty))
    np.testing.assert_allclose(
        output, np.tile(layer.get_weights()[3], (3, 5, 1)), rtol=1e-6, atol=5e-6
    )


def test_bad_inputs_name_themselves():
    with pytest.raises(
        ValueError, match=r"memory must .* \(B, S, E\) with B=3, E=2; received float32 \(3, 7, 3\)"
    ):
        MultiStepAttention()(INPUTS[0], INPUTS[1], draw(3, 7, 3), INPUTS[3])
