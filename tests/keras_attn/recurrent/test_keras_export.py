"""What `model.export` of Keras writes of a loop over time runs at any batch size and length."""

import keras
import numpy as np
import pytest

from keras_attn import GRU, LSTM, RNN, ElmanCell, LSTMCell, SimpleRNN

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


STATEFUL = {
    "LSTM": lambda: LSTM(5, stateful=True),
    "GRU": lambda: GRU(5, stateful=True, return_sequences=True),
    "SimpleRNN": lambda: SimpleRNN(5, stateful=True),
    "stack": lambda: RNN([LSTMCell(5), ElmanCell(3)], stateful=True),
    "Bidirectional": lambda: keras.layers.Bidirectional(LSTM(5, stateful=True)),
}


def carrying(layer):
    inputs = keras.Input(batch_shape=(1, 11, 7), name="sequences")
    model = keras.Model(inputs, layer(inputs))
    x = np.random.default_rng(1).normal(size=(1, 11, 7)).astype("float32")
    model(x)  # Keras exports no model that was not called
    layer.reset_states()
    return model, x


@pytest.mark.parametrize("name", STATEFUL)
def test_onnx_of_a_stateful_layer_is_refused(tmp_path, name):
    """Its variables would be constants: the second call would begin like the first."""
    pytest.importorskip("onnxruntime")
    model, _ = carrying(STATEFUL[name]())
    with pytest.raises(ValueError, match="stateful layer cannot be exported to ONNX"):
        model.export(tmp_path / "model.onnx", format="onnx", verbose=False)
    assert not (tmp_path / "model.onnx").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["LSTM", "GRU", "SimpleRNN"])
def test_other_exports_of_a_stateful_layer_carry_states(tmp_path, name):
    import tensorflow as tf
    from ai_edge_litert.interpreter import Interpreter

    layer = STATEFUL[name]()
    model, x = carrying(layer)
    model.export(tmp_path / "model", format="tf_saved_model", verbose=False)
    model.export(f"{tmp_path}/model.tflite", format="litert", verbose=False)
    layer.reset_states()
    expected = [np.asarray(model(x)) for _ in range(3)]
    assert np.abs(expected[0] - expected[1]).max() > 1e-3
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    litert = Interpreter(str(tmp_path / "model.tflite"))
    litert.allocate_tensors()
    for value in expected:
        np.testing.assert_allclose(loaded.serve(x), value, atol=1e-5)
        litert.set_tensor(litert.get_input_details()[0]["index"], x)
        litert.invoke()
        actual = litert.get_tensor(litert.get_output_details()[0]["index"])
        np.testing.assert_allclose(actual, value, atol=1e-5)
