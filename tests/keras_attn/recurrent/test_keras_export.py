"""What `model.export` of Keras writes of a loop over time runs at any batch size and length."""

import keras
import numpy as np
import pytest

from keras_attn import GRU

pytestmark = [
    pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="exports from TensorFlow"),
    pytest.mark.filterwarnings("ignore:In the future `np.object`:FutureWarning"),  # of Keras
]


def test_onnx(tmp_path):
    """Lengths below, at and above one chunk of the loop; every layer: see the contract."""
    onnxruntime = pytest.importorskip("onnxruntime")
    inputs = keras.Input((None, 7), name="sequences")
    model = keras.Model(inputs, GRU(5, return_sequences=True)(inputs))
    rng = np.random.default_rng(0)
    examples = [rng.normal(size=(b, t, 7)).astype("float32") for b, t in ((3, 5), (1, 16), (2, 40))]
    expected = [model(x) for x in examples]
    model.export(tmp_path / "model.onnx", format="onnx", verbose=False)
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"))
    for x, outputs in zip(examples, expected, strict=True):
        (actual,) = session.run(None, {"sequences": x})
        np.testing.assert_allclose(actual, outputs, atol=1e-5)
