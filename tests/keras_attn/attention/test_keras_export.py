"""What `model.export` of Keras writes of attention with one head runs at any size."""

import keras
import numpy as np
import pytest

from keras_attn import LinearAttention, MultiHeadAttention

pytestmark = [
    pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="exports from TensorFlow"),
    pytest.mark.filterwarnings("ignore:In the future `np.object`:FutureWarning"),  # of Keras
]


LAYERS = {
    "one head": lambda: MultiHeadAttention(1, 5),
    "one head of keys and values": lambda: MultiHeadAttention(4, 5, num_key_value_heads=1),
    "linear": lambda: LinearAttention(1, 5),
}


@pytest.mark.parametrize("name", LAYERS)
def test_onnx(name, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    inputs = keras.Input((None, 7), name="x")
    model = keras.Model(inputs, LAYERS[name]()(inputs, inputs))
    rng = np.random.default_rng(0)
    examples = [rng.normal(size=(b, t, 7)).astype("float32") for b, t in ((3, 5), (1, 16), (2, 1))]
    expected = [model(x) for x in examples]
    model.export(tmp_path / "model.onnx", format="onnx", verbose=False)
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"))
    for x, outputs in zip(examples, expected, strict=True):
        (actual,) = session.run(None, {"x": x})
        np.testing.assert_allclose(actual, outputs, atol=1e-5)
