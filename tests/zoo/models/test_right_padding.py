"""What models compute within `right_padding()`, with kernels that take lengths instead of masks."""

import keras
import numpy as np
import pytest

from keras_attn import gpu
from keras_attn.attention import cudnn as of_attention
from keras_attn.attention import flash, multi_head
from keras_attn.recurrent import cudnn as of_lstm
from keras_attn.right_padding import right_padding
from zoo.registry import MODELS

if keras.backend.backend() != "jax":
    pytest.skip("cuDNN's kernels are used on JAX only", allow_module_level=True)

from tests.keras_attn.recurrent.test_cudnn import reference
from zoo.bench.models import random_inputs, smallest

ROWS, LENGTH = 3, 11
CAUSAL = {"gpt": "padding_mask", "bart": "target_mask", "transformer": "target_mask"}


@pytest.fixture
def kernels(monkeypatch):
    """What JAX computes where there is no cuDNN, with the same arguments."""
    monkeypatch.setattr(of_attention, "IMPLEMENTATION", "xla")
    monkeypatch.setattr(flash, "cudnn_suits", lambda *heads: True)
    monkeypatch.setattr(multi_head, "cudnn_suits", lambda *heads: True)
    monkeypatch.setattr(gpu, "compute_capability", lambda: 9.0)
    monkeypatch.setattr(of_lstm, "_call_kernel", reference)


def padded_inputs(model):
    """Random inputs of one whole sequence, one of half the length, and one of one position."""
    inputs = random_inputs(model, ROWS, LENGTH)
    for name, mask in inputs.items():
        if mask.dtype == bool:
            whole = mask.shape[-1]
            lengths = np.array([whole, whole // 2, 1]).reshape(-1, *(1,) * (mask.ndim - 1))
            inputs[name] = np.broadcast_to(np.arange(whole) < lengths, mask.shape)
    return inputs


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "name", ["rnn_seq2seq", "gpt", *sorted({*MODELS} - {"rnn_seq2seq", "gpt"})]
)
def test_a_model_computes_the_same_with_lengths(kernels, name):
    model = smallest(name)
    random, inputs = np.random.default_rng(1), padded_inputs(model)
    # First biases are zero, and would hide what is read of padding.
    for weight in model.weights:
        if weight.dtype == "float32":
            weight.assign_add(0.2 * random.normal(size=weight.shape))
    expected = model(inputs)
    with right_padding():
        actual = model(inputs)
    # Within the padding, causal attention may see anything.
    counted = inputs[CAUSAL[name]] if name in CAUSAL else slice(None)
    for a, b in zip(*map(keras.tree.flatten, (actual, expected)), strict=True):
        a, b = np.asarray(a)[counted], np.asarray(b)[counted]
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
