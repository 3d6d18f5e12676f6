"""Attention in cuDNN's kernel, on JAX: its masks, and the programs that XLA would get for a GPU."""

import keras
import numpy as np
import pytest

from keras_attn import MultiHeadAttention
from keras_attn import gpu as device
from keras_attn.attention import cudnn, flash
from keras_attn.right_padding import is_promised, right_padding

if keras.backend.backend() != "jax":
    pytest.skip("cuDNN's kernel is used on JAX only", allow_module_level=True)

import jax
from jax._src.cudnn import fused_attention_stablehlo


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


B, T, S, D = 3, 5, 7, 11
AT_END = np.arange(S) < np.array([[7], [4], [0]])
HOLES = np.random.default_rng(7).random((B, S)) > 0.4
QUERIES = np.arange(T) < np.array([[5], [2], [3]])
ANY = np.random.default_rng(3).random((B, T, S)) > 0.5
ANY[1, 2] = False  # a query without keys
OF_HEADS = np.random.default_rng(5).random((B, 2, T, S)) > 0.5
MASKS = {
    "none": {},
    "causal": {"use_causal_mask": True},
    "padding": {"value_mask": AT_END},
    "causal padding": {"value_mask": AT_END, "use_causal_mask": True},
    "holes": {"value_mask": HOLES, "use_causal_mask": True},
    "queries": {"query_mask": QUERIES, "key_mask": AT_END},
    "any": {"attention_mask": ANY, "value_mask": AT_END, "query_mask": QUERIES},
    "of heads": {"attention_mask": OF_HEADS, "use_causal_mask": True},
}


@pytest.fixture
def kernel(monkeypatch):
    """What JAX computes where there is no cuDNN, with the same arguments."""
    monkeypatch.setattr(cudnn, "IMPLEMENTATION", "xla")
    monkeypatch.setattr(flash, "cudnn_suits", lambda *heads: True)


def layers(**options):
    """A layer with the kernel and one without, with the same weights."""
    actual = [MultiHeadAttention(2, 8, flash_attention=x, **options) for x in (True, False)]
    for layer in actual:
        layer(draw(B, T, D), draw(B, S, D))
    weights = [0.4 * draw(*weight.shape, seed=i) for i, weight in enumerate(actual[0].weights)]
    for layer in actual:
        layer.set_weights(weights)
    return actual


@pytest.mark.parametrize("masks", MASKS)
def test_outputs_and_gradients_are_those_without_the_kernel(kernel, masks):
    query, value = draw(B, T, D), draw(B, S, D, seed=2)
    upstream = draw(B, T, D, seed=3)

    def outputs(layer):
        def loss(query, value):
            actual = layer(query, value, **MASKS[masks])
            return (actual * upstream).sum(), actual

        gradients, actual = jax.jit(jax.grad(loss, (0, 1), has_aux=True))(query, value)
        return [actual, *gradients]

    for actual, expected in zip(*map(outputs, layers(num_key_value_heads=1)), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)


def test_padding_at_the_end_keeps_the_kernel(kernel, monkeypatch):
    monkeypatch.setattr(cudnn, "attend_in_blocks", lambda query, *_: query * np.nan)
    layer, _ = layers()
    query, value = draw(B, T, D), draw(B, S, D, seed=2)
    assert np.isfinite(layer(query, value, value_mask=AT_END)).all()
    assert np.isnan(layer(query, value, value_mask=HOLES)).all()


@pytest.mark.parametrize("masks", ["padding", "causal padding", "queries"])
def test_right_padding_computes_the_same_without_a_check(kernel, monkeypatch, masks):
    query, value = draw(B, T, D), draw(B, S, D, seed=2)
    layer, plain = layers()
    monkeypatch.setattr(keras.ops, "cond", None)
    with right_padding():
        actual = layer(query, value, **MASKS[masks])
    np.testing.assert_allclose(actual, plain(query, value, **MASKS[masks]), rtol=1e-5, atol=1e-5)


def test_the_promise_ends_with_the_block():
    """Programs that were compiled within the block are not used behind it, nor the reverse."""
    promised = []

    class Layer(keras.layers.Dense):
        def call(self, x):
            promised.append(is_promised())
            return super().call(x)

    model = keras.Sequential([keras.Input((3,)), Layer(1)])
    model.compile("sgd", "mse")
    x, y = draw(5, 3), draw(5, 1)

    def traced():
        promised.clear()
        model.fit(x, y, validation_data=(x, y), verbose=0)
        model.predict(x, verbose=0)
        return set(promised)

    assert traced() == {False}
    with right_padding(model):
        assert traced() == {True}
    assert traced() == {False}


@pytest.fixture
def gpu(monkeypatch):
    """Programs are compiled for a GPU with cuDNN 9.10, which need not be there."""
    monkeypatch.setattr(device, "compute_capability", lambda: 9.0)
    monkeypatch.setattr(fused_attention_stablehlo, "check_cudnn_version", lambda: 91000)


def program(layer, *inputs, **masks):
    """The program of a step of training for a GPU, as text."""

    others = [variable.value for variable in layer.non_trainable_variables]

    options = {"use_causal_mask": masks.pop("use_causal_mask", False), "training": True}

    def loss(weights, inputs, masks):
        actual, _ = layer.stateless_call(weights, others, *inputs, **masks, **options)
        return actual.astype("float32").sum()

    weights = [weight.value for weight in layer.trainable_variables]
    traced = jax.jit(jax.grad(loss)).trace(weights, inputs, masks)
    return traced.lower(lowering_platforms=("cuda",)).as_text()


@pytest.mark.parametrize(
    ("keys", "masks", "kind"),
    [
        (S, {"value_mask": AT_END}, "PADDING"),
        (S, {"value_mask": AT_END, "use_causal_mask": True}, "PADDING_CAUSAL"),
        (S, {}, "PADDING"),  # the kernel takes even numbers of keys
        (S - 1, {}, "NO_MASK"),
        (S, {"attention_mask": ANY}, "NO_MASK"),  # added to the scores
    ],
)
def test_a_step_calls_cudnn_forward_and_backward(gpu, keys, masks, kind):
    layer = MultiHeadAttention(2, 8, dtype="mixed_bfloat16")
    query, value = draw(B, T, D), draw(B, keys, D, seed=2)
    layer.build(query.shape, value.shape)
    calls = [x for x in program(layer, query, value, **masks).splitlines() if "@__cudnn" in x]
    bias = "ScaleBias" if "attention_mask" in masks else ""
    for call, name in zip(calls, ("Softmax", "SoftmaxBackward"), strict=True):
        assert f"@__cudnn$fmha{bias}{name}(" in call
        assert f"mask_type\\22: \\22{kind}\\22" in call


def test_within_right_padding_a_step_has_no_condition(gpu):
    layer = MultiHeadAttention(2, 8, dtype="mixed_bfloat16")
    query, value = draw(B, T, D), draw(B, S, D, seed=2)
    layer.build(query.shape, value.shape)
    assert "stablehlo.case" in program(layer, query, value, value_mask=AT_END)
    with right_padding():
        text = program(layer, query, value, value_mask=AT_END)
    assert "stablehlo.case" not in text
    assert text.count("@__cudnn$fmha") == 2


def without(layer):
    query, value = draw(B, T, D), draw(B, S, D, seed=2)
    layer.build(query.shape, value.shape)
    return "cudnn" not in program(layer, query, value)


@pytest.mark.parametrize(
    "options", [{"dtype": "float32"}, {"key_dim": 7}, {"value_dim": 16}, {"dropout": 0.1}]
)
def test_what_cudnn_cannot_compute_is_computed_without(gpu, options):
    assert without(MultiHeadAttention(2, **{"key_dim": 8, "dtype": "mixed_bfloat16"} | options))


def test_the_setting_of_keras_turns_it_off(gpu, monkeypatch):
    monkeypatch.setattr(keras.config, "is_flash_attention_enabled", lambda: False)
    assert without(MultiHeadAttention(2, 8, dtype="mixed_bfloat16"))
