"""What models compute within `right_padding()`, with kernels that take lengths instead of masks."""

import keras
import numpy as np
import pytest

from keras_attn.attention import cudnn as of_attention
from keras_attn.attention import flash, multi_head
from keras_attn.recurrent import cudnn as of_lstm
from keras_attn.right_padding import right_padding
from zoo.registry import MODELS

if keras.backend.backend() != "jax":
    pytest.skip("cuDNN's kernels are used on JAX only", allow_module_level=True)

from benchmarks.gpu import smallest
from tests.keras_attn.recurrent.test_cudnn import reference

ROWS, LENGTH = 3, 11


@pytest.fixture
def kernels(monkeypatch):
    """What JAX computes where there is no cuDNN, with the same arguments."""
    monkeypatch.setattr(of_attention, "IMPLEMENTATION", "xla")
    monkeypatch.setattr(flash, "cudnn_suits", lambda *heads: True)
    monkeypatch.setattr(multi_head, "cudnn_suits", lambda *heads: True)
    monkeypatch.setattr(of_lstm, "compute_capability", lambda: 9.0)
    monkeypatch.setattr(of_lstm, "_call_kernel", reference)


def inputs_of(model):
    """Random inputs; each mask has a whole row, a part and one position, on the left."""
    random, inputs = np.random.default_rng(1), {}
    for each in model.inputs:
        shape = [each.shape[0] or ROWS, *(size or LENGTH for size in each.shape[1:])]
        if each.dtype == "bool":
            lengths = np.array([shape[-1], shape[-1] // 2, 1])
            mask = np.arange(shape[-1]) < lengths.reshape(-1, *(1,) * (len(shape) - 1))
            inputs[each.name] = np.broadcast_to(mask, shape)
        elif each.dtype.startswith("int"):
            inputs[each.name] = random.integers(1, 3, shape).astype(each.dtype)
        else:
            inputs[each.name] = random.random(shape).astype(each.dtype)
    return inputs


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "name", ["rnn_seq2seq", "gpt", *sorted({*MODELS} - {"rnn_seq2seq", "gpt"})]
)
def test_a_model_computes_the_same_with_lengths(kernels, name):
    model = smallest(name)
    random, inputs = np.random.default_rng(0), inputs_of(model)
    # First biases are zero, and would hide what is read of padding.
    for weight in model.weights:
        if weight.dtype == "float32":
            weight.assign_add(0.2 * random.normal(size=weight.shape))
    expected = model(inputs)
    with right_padding():
        found = model(inputs)
    for a, b in zip(*map(keras.tree.flatten, (found, expected)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
