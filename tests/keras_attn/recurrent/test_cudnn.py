"""The LSTM in cuDNN's kernel, on JAX: its masks, and the programs that XLA would get for a GPU."""

import re
from functools import partial
from types import SimpleNamespace

import keras
import numpy as np
import pytest

from keras_attn import GRU, LSTM, RNN, LSTMCell
from keras_attn import gpu as device
from keras_attn.recurrent import cudnn
from keras_attn.right_padding import right_padding

if keras.backend.backend() != "jax":
    pytest.skip("cuDNN's kernel is used on JAX only", allow_module_level=True)

import jax
from jax.experimental import rnn
from jax.interpreters import mlir
from jaxlib import gpu_rnn

B, T, D, U = 3, 5, 7, 11
AT_END = np.arange(T) < np.array([[5], [2], [0]])
HOLES = np.array([[1, 0, 1, 1, 0], [0, 1, 1, 1, 1], [0, 0, 0, 0, 0]], bool)


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def reference(x, h, c, weights, lengths):
    """What JAX says that cuDNN computes, with the weights as they are packed."""
    sizes = x.shape[-1], h.shape[-1], 1
    weights = rnn.unpack_lstm_weights(weights, *sizes, False)
    outputs, h, c = rnn.lstm_ref(x, h[None], c[None], *weights, lengths, *sizes, 0.0, False)
    return outputs, h[0], c[0]


@pytest.fixture
def gpu(monkeypatch):
    monkeypatch.setattr(device, "compute_capability", lambda: 9.0)


@pytest.fixture
def kernel(gpu, monkeypatch):
    monkeypatch.setattr(cudnn, "_call_kernel", reference)


def made(**options):
    layer = LSTM(U, return_sequences=True, return_state=True, **options)
    layer.build((B, T, D))
    layer.set_weights([0.4 * draw(*weight.shape, seed=i) for i, weight in enumerate(layer.weights)])
    return layer


def results(layer, mask, training):
    """Outputs, states and all gradients."""
    x, states = draw(B, T, D), [draw(B, U, seed=5), draw(B, U, seed=6)]
    upstream = draw(B, T, U, seed=3), draw(B, U, seed=7), draw(B, U, seed=8)

    def loss(weights, x, states):
        actual, _ = layer.stateless_call(weights, [], x, states, mask=mask, training=training)
        return sum((a * b).sum() for a, b in zip(actual, upstream, strict=True)), actual

    weights = [weight.value for weight in layer.trainable_variables]
    gradient = jax.jit(jax.grad(loss, (0, 1, 2), has_aux=True))
    return jax.tree.leaves(gradient(weights, x, states))


OPTIONS = [{}, {"use_bias": False, "go_backwards": True}, {"zero_output_for_mask": True}]


@pytest.mark.quick(2)
@pytest.mark.parametrize("mask", [None, AT_END, HOLES], ids=["none", "at end", "holes"])
@pytest.mark.parametrize("options", OPTIONS)
def test_outputs_states_and_gradients_are_those_of_the_loop(kernel, options, mask):
    for training in (False, True):
        pairs = [results(made(use_cudnn=use, **options), mask, training) for use in ("auto", False)]
        for actual, expected in zip(*pairs, strict=True):
            np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)


def test_masks_at_the_end_keep_the_kernel(gpu, monkeypatch):
    monkeypatch.setattr(
        cudnn, "_call_kernel", lambda *given: [x * np.nan for x in reference(*given)]
    )
    assert np.isnan(made()(draw(B, T, D), mask=AT_END)[0][:2]).all()
    assert np.isfinite(made()(draw(B, T, D), mask=HOLES)[0]).all()


def test_within_right_padding_sequences_are_still_reversed(kernel):
    x, options = draw(B, T, D), {"go_backwards": True}
    expected = made(use_cudnn=False, **options)(x, mask=AT_END)
    with right_padding():
        actual = made(**options)(x, mask=AT_END)
    for a, b in zip(actual, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def test_inputs_are_dropped_before_the_kernel(kernel, monkeypatch):
    layer = made(dropout=0.5, seed=3)
    kept = np.random.default_rng(2).random((B, D)) > 0.5
    monkeypatch.setattr(layer.cell, "_masks", lambda *_: [2.0 * kept])
    x = draw(B, T, D)
    actual, expected = layer(x, training=True)[0], made()(2 * kept[:, None] * x)[0]
    np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=1e-6)


def test_numbers_of_16_bits_are_computed_in_32(kernel):
    layer, exact = made(dtype="mixed_bfloat16"), made()
    actual, expected = layer(draw(B, T, D))[0], exact(draw(B, T, D))[0]
    assert actual.dtype == "bfloat16"
    np.testing.assert_allclose(actual.astype("float32"), expected, rtol=0.01, atol=0.01)


def program(layer, monkeypatch):
    """The program of a step of training for a GPU, as text."""
    # What JAX asks of its library for CUDA, which need not be there.
    library = SimpleNamespace(build_rnn_descriptor=lambda *_: b"")
    sizes = "compute_rnn_workspace_reserve_space_sizes"
    monkeypatch.setattr(gpu_rnn, sizes, lambda *_: (13, 17), raising=False)
    for primitive, rule in (
        (rnn.rnn_fwd_p, gpu_rnn._rnn_fwd_lowering),
        (rnn.rnn_bwd_p, gpu_rnn._rnn_bwd_lowering),
    ):
        mlir.register_lowering(primitive, partial(rule, library, "cu"), platform="cuda")
    layer.build((B, T, D))

    def loss(weights, x):
        actual, _ = layer.stateless_call(weights, [], x, training=True)
        return actual.astype("float32").sum()

    weights = [weight.value for weight in layer.trainable_variables]
    traced = jax.jit(jax.grad(loss)).trace(weights, draw(B, T, D))
    return traced.lower(lowering_platforms=("cuda",)).as_text()


@pytest.mark.parametrize(
    "layer",
    [
        lambda: LSTM(U),
        lambda: LSTM(U, dtype="mixed_bfloat16"),
        lambda: RNN(LSTMCell(U)),
        lambda: keras.layers.Bidirectional(LSTM(U)),
    ],
)
def test_a_step_calls_cudnn_forward_and_backward(gpu, monkeypatch, layer):
    layer = layer()
    text = program(layer, monkeypatch)
    count = 2 if isinstance(layer, keras.layers.Bidirectional) else 1
    assert text.count("@cudnn_rnn_ffi") == text.count("@cudnn_rnn_bwd_ffi") == count


def test_the_kernels_get_row_major_tensors(gpu, monkeypatch):
    """JAX leaves the layout to XLA: masked sequences had wrong gradients on an H100."""
    results, calls = {}, []
    for line in program(LSTM(U, return_sequences=True), monkeypatch).splitlines():
        actual = re.match(r"\s*(%\w+)(?::\d+)? = stablehlo.custom_call @(\w+)\(([^)]*)\)", line)
        if actual:
            name, target, operands = actual.groups()
            results[name] = target
            if target.startswith("cudnn"):
                calls.append([results.get(each.split("#")[0]) for each in operands.split(", ")])
    forward, backward = calls
    assert forward == [*4 * ["LayoutConstraint"], None]  # x, h, c, weights; lengths have one axis
    # The gradients of the outputs, and of the last states, which are zero; x, h, c, weights.
    assert backward[:7] == ["LayoutConstraint", None, None, *4 * ["LayoutConstraint"]]


@pytest.mark.parametrize(
    "layer",
    [
        lambda: LSTM(U, use_cudnn=False),
        lambda: LSTM(U, activation="relu"),
        lambda: LSTM(U, truncate=2),
        lambda: LSTM(U, unroll=True),
        lambda: GRU(U),
    ],
)
def test_what_the_kernel_does_not_compute(gpu, monkeypatch, layer):
    assert "cudnn" not in program(layer(), monkeypatch)


def test_without_steps_or_on_several_devices_there_is_no_kernel(gpu):
    assert cudnn.cudnn_suits("float32", T, B)
    assert not cudnn.cudnn_suits("float32", 0, B)
    mesh = keras.distribution.DeviceMesh((1,), ["batch"], keras.distribution.list_devices()[:1])
    with keras.distribution.DataParallel(device_mesh=mesh, auto_shard_dataset=False).scope():
        assert not cudnn.cudnn_suits("float32", T, B)
