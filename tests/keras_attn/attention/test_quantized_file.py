"""A model whose attention was quantized gives the same outputs once saved and loaded."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn import MultiHeadAttention


@pytest.mark.filterwarnings("ignore:Layer .* does not have a `quantize` method:UserWarning")
@pytest.mark.parametrize("options", [{}, {"use_gate": True, "num_key_value_heads": 1}])
def test_outputs(tmp_path, options):
    inputs = keras.Input((None, 8))
    outputs = MultiHeadAttention(2, 4, **options)(inputs, inputs)
    model = keras.Model(inputs, outputs)
    x = np.random.default_rng(0).normal(size=(2, 3, 8)).astype("float32")
    before = ops.convert_to_numpy(model(x))
    model.quantize("int8")
    quantized = ops.convert_to_numpy(model(x))
    assert 0 < np.abs(quantized - before).max() < 0.1
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(ops.convert_to_numpy(loaded(x)), quantized)
    kernels = [w for w in loaded.weights if w.path.endswith("kernel")]
    assert {keras.backend.standardize_dtype(w.dtype) for w in kernels} == {"int8"}
