"""Attention in blocks: the plain form's numbers and gradients, without its square of weights."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.functional.blockwise import BLOCK, blockwise_attention
from keras_attn.functional.masks import causal_mask, merge_masks
from keras_attn.functional.softmax import masked_softmax
from tests.gradients import value_and_gradient
from tests.litert import in_litert
from tests.oracles import attention as oracle

NAMES = ("query", "key", "value")
LENGTHS = [(0, 3), (1, 1), (BLOCK, 3), (2 * BLOCK + 3, 11)]


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def masks(t, s):
    everything = np.random.default_rng(3).random((3, 2, t, s)) < 0.6
    everything[:, :, 0:1] = False  # a query that may look nowhere
    return {
        "none": None,
        "padding": np.arange(s) < np.array([s, 1, 0])[:, None, None, None],
        "all axes": everything,
    }


def inputs(t, s, seed=1):
    return draw(3, 2, t, 7, seed=seed), draw(3, 2, s, 7, seed=2), draw(3, 2, s, 5, seed=3)


def plain(query, key, value, mask=None, use_causal_mask=False):
    if use_causal_mask:
        mask = merge_masks(mask, ops.expand_dims(causal_mask(query.shape[2], key.shape[2]), 0))
    scores = ops.matmul(query * 7**-0.5, ops.swapaxes(key, -1, -2))
    return ops.matmul(masked_softmax(scores, mask), value)


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("mask", ["none", "padding", "all axes"])
@pytest.mark.parametrize("causal", [False, True])
def test_numbers(lengths, mask, causal):
    (query, key, value), mask = inputs(*lengths), masks(*lengths)[mask]
    actual = ops.convert_to_numpy(blockwise_attention(query, key, value, mask, causal))
    seen = np.array(True) if mask is None else mask
    if causal:
        seen = seen & oracle.causal(*lengths).astype(bool).reshape(lengths)
    seen = np.broadcast_to(seen, (3, 2, *lengths))
    table = np.einsum("bhtk,bhsk->bhts", query, key, dtype=np.float64) / np.sqrt(7)
    expected = oracle.normalize("softmax", table, seen) @ value
    np.testing.assert_allclose(actual, expected, atol=1e-5)


@pytest.mark.quick(2)
@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("mask", ["none", "padding", "all axes"])
@pytest.mark.parametrize("xla", [False, True])
def test_gradient_is_that_of_the_plain_form(which, mask, xla):
    lengths = (BLOCK + 5, 13)
    tensors, mask = list(inputs(*lengths)), masks(*lengths)[mask]
    probe = draw(3, 2, lengths[0], 5, seed=7)

    def loss(form):
        def of_one(x):
            given = [ops.convert_to_tensor(y) for y in tensors]
            given[which] = x
            return ops.sum(form(*given, mask, use_causal_mask=True) * probe)

        return of_one

    expected, actual = (
        value_and_gradient(loss(form), tensors[which], xla) for form in (plain, blockwise_attention)
    )
    np.testing.assert_allclose(actual[0], expected[0], rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(actual[1], expected[1], atol=2e-5)
    assert np.isfinite(actual[1]).all() and actual[1].any()


def test_another_scale():
    query, key, value = inputs(5, 7)
    actual = blockwise_attention(query, key, value, scale=1.0)
    expected = plain(query * 7**0.5, key, value)
    np.testing.assert_allclose(*map(ops.convert_to_numpy, (actual, expected)), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_stays_and_is_finite(dtype):
    query, key, value = (ops.cast(30 * x, dtype) for x in inputs(5, 7))
    actual = blockwise_attention(query, key, value, masks(5, 7)["all axes"])
    assert keras.backend.standardize_dtype(actual.dtype) == dtype
    actual = ops.convert_to_numpy(ops.cast(actual, "float32"))
    assert np.isfinite(actual).all() and (actual[:, :, 0] == 0).all() and actual[:, :, 1:].any()


def test_unknown_shapes():
    if keras.backend.backend() != "tensorflow":
        pytest.skip("JAX knows all shapes")
    import tensorflow as tf

    specs = [tf.TensorSpec((None, 2, None, w)) for w in (7, 7, 5)]
    mask_spec = tf.TensorSpec((None, 1, 1, None), tf.bool)
    call = tf.function(blockwise_attention, input_signature=[*specs, mask_spec])
    for lengths in [(5, 7), (BLOCK + 1, 3)]:
        mask = masks(*lengths)["padding"]
        expected = plain(*inputs(*lengths), mask)
        np.testing.assert_allclose(call(*inputs(*lengths), mask), expected, rtol=1e-6, atol=1e-6)


def test_a_file_needs_built_in_operators_only():
    if keras.backend.backend() != "tensorflow":
        pytest.skip("LiteRT files are made from TensorFlow")
    import tensorflow as tf

    specs = {n: tf.TensorSpec((None, 2, None, 5 if n == "value" else 7)) for n in NAMES}
    specs["mask"] = tf.TensorSpec((None, 1, 1, None), tf.bool)
    file = in_litert(lambda **x: blockwise_attention(**x, use_causal_mask=True), specs)
    for lengths in [(5, 7), (BLOCK + 1, 3)]:
        x = dict(zip(NAMES, inputs(*lengths), strict=True))
        x["mask"] = masks(*lengths)["padding"]
        np.testing.assert_allclose(file(**x), plain(**x, use_causal_mask=True), atol=1e-5)


def test_bad_arguments_name_themselves():
    with pytest.raises(ValueError, match=r"mask must have four axes; received the shape \(3, 7\)"):
        blockwise_attention(*inputs(5, 7), np.ones((3, 7), bool))
