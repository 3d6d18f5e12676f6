"""What cuDNN computes on a GPU, beside our own loops and blocks; skipped where there is none.

    KERAS_BACKEND=jax JAX_PLATFORMS=cuda pytest tests/keras_attn/test_gpu.py

The tests named test_cudnn.py check the same without a GPU, in programs and in what JAX computes
instead of the kernels.
"""

import keras
import numpy as np
import pytest

from keras_attn import LSTM, MultiHeadAttention
from keras_attn.gpu import compute_capability
from keras_attn.right_padding import right_padding

if compute_capability() < 8:
    pytest.skip("needs JAX and a GPU with cuDNN's flash attention", allow_module_level=True)

import jax

B, T, S, D = 3, 37, 41, 48
U = 29


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def at_end(lengths, steps):
    return np.arange(steps) < np.array(lengths)[:, None]


AT_END = at_end([S, 17, 0], S)
HOLES = np.random.default_rng(7).random((B, S)) > 0.4
ANY = np.random.default_rng(3).random((B, T, S)) > 0.5
ANY[1, 2] = False  # a query without keys
MASKS = {
    "none": {},
    "causal": {"use_causal_mask": True},
    "padding": {"value_mask": AT_END},
    "causal padding": {"value_mask": AT_END, "use_causal_mask": True},
    "holes": {"value_mask": HOLES, "use_causal_mask": True},
    "queries": {"query_mask": at_end([T, 2, 23], T), "key_mask": AT_END},
    "any": {"attention_mask": ANY, "value_mask": AT_END},
}
RIGHT = ("padding", "causal padding", "queries")


def close(actual, expected, error):
    """Checks that the difference of two arrays is small in the Euclidean norm, for each pair."""
    for a, b in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        a, b = (np.asarray(each, "float64") for each in (a, b))
        assert np.linalg.norm(a - b) <= error * np.linalg.norm(b), (a.shape, np.linalg.norm(a - b))


@pytest.mark.parametrize("heads", [8, 2])
@pytest.mark.parametrize("masks", MASKS)
def test_attention_in_bfloat16(masks, heads):
    query, value, upstream = draw(B, T, D), draw(B, S, D, seed=2), draw(B, T, D, seed=3)
    sizes = {"num_heads": 8, "key_dim": 16, "num_key_value_heads": heads}
    options = {**sizes, "use_bias": False}  # the gradient of the bias of keys is zero
    half = MultiHeadAttention(**options, dtype="mixed_bfloat16")
    whole = MultiHeadAttention(**options, flash_attention=False, dtype="float32")
    for layer in (half, whole):
        layer.build(query.shape, value.shape)
    rounded = [0.3 * draw(*weight.shape, seed=i) for i, weight in enumerate(half.weights)]
    rounded = [np.asarray(keras.ops.cast(each, "bfloat16"), "float32") for each in rounded]

    def results(layer):
        layer.set_weights(rounded)
        others = [weight.value for weight in layer.non_trainable_variables]

        def loss(weights, query, value):
            actual, _ = layer.stateless_call(weights, others, query, value, **MASKS[masks])
            actual = actual.astype("float32")
            return (actual * upstream).sum(), actual

        weights = [weight.value for weight in layer.trainable_variables]
        program = jax.jit(jax.grad(loss, (0, 1, 2), has_aux=True)).lower(weights, query, value)
        assert ("__cudnn$fmha" in program.as_text()) == (layer is half)
        return program.compile()(weights, query, value)

    with jax.default_matmul_precision("highest"):
        expected = results(whole)
    close(results(half), expected, 0.02)
    if masks in RIGHT:
        with right_padding():
            close(results(half), expected, 0.02)


@pytest.mark.parametrize("mask", [None, AT_END, HOLES], ids=["none", "at end", "holes"])
@pytest.mark.parametrize("options", [{}, {"use_bias": False, "go_backwards": True}])
@pytest.mark.parametrize(("precision", "error"), [("highest", 1e-5), ("default", 5e-3)])
def test_lstm(options, mask, precision, error):
    x, upstream = draw(B, S, D), draw(B, S, U, seed=3)

    def results(use):
        layer = LSTM(U, return_sequences=True, use_cudnn=use, **options)
        layer.build(x.shape)
        layer.set_weights([0.3 * draw(*w.shape, seed=i) for i, w in enumerate(layer.weights)])

        def loss(weights, x):
            actual, _ = layer.stateless_call(weights, [], x, mask=mask, training=True)
            return (actual * upstream).sum(), actual

        weights = [weight.value for weight in layer.trainable_variables]
        program = jax.jit(jax.grad(loss, (0, 1), has_aux=True)).lower(weights, x)
        assert ("cudnn_rnn" in program.as_text()) == (use is not False)
        return program.compile()(weights, x)

    with jax.default_matmul_precision("highest"):
        expected = results(False)
    with jax.default_matmul_precision(precision):
        close(results("auto"), expected, error)
