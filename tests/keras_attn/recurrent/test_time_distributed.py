"""The layer over steps: what it gives beside Keras's, its masks, and files of LiteRT."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn import GRU, LSTM, Elman, Jordan, SimpleRNN, TimeDistributed
from tests.litert import in_litert

MAKERS = {
    "LSTM": lambda: LSTM(4),
    "GRU": lambda: GRU(4),
    "SimpleRNN": lambda: SimpleRNN(4),
    "Elman": lambda: Elman(4, return_sequences=True),
    "Jordan": lambda: Jordan(4),
    "both ways": lambda: keras.layers.Bidirectional(LSTM(4, return_sequences=True)),
}
SHAPES = [(1, 1, 1, 3), (2, 3, 5, 3), (5, 2, 37, 3), (3, 7, 4, 3)]


def draw(*shape):
    return np.random.default_rng(shape).normal(size=shape).astype("float32")


@pytest.mark.thorough
@pytest.mark.parametrize("name", MAKERS)
def test_recurrent_layers_convert_to_litert_with_any_number_of_steps(name):
    """As Keras's own layer gives it, which maps the steps one by one."""
    import tensorflow as tf

    layer, shape = MAKERS[name](), (None, None, None, 3)
    ours, theirs = TimeDistributed(layer), keras.layers.TimeDistributed(layer)
    ours(ops.ones((1, 1, 1, 3)))
    spec = {"x": tf.TensorSpec(shape, "float32")}
    serve = in_litert(lambda x: ours(x), spec, layer.weights)
    for sizes in SHAPES:
        x = draw(*sizes)
        expected = np.asarray(theirs(x))
        np.testing.assert_allclose(serve(x=x), expected, atol=1e-6, err_msg=f"{sizes}")


def test_steps_of_unknown_number_in_a_functional_model():
    inputs = keras.Input((None, None, 3))
    model = keras.Model(inputs, TimeDistributed(LSTM(4, return_sequences=True))(inputs))
    assert model.output_shape == (None, None, None, 4)
    x = draw(2, 3, 5, 3)
    expected = np.stack([np.asarray(model.layers[1].layer(x[:, s])) for s in range(3)], axis=1)
    np.testing.assert_allclose(np.asarray(model(x)), expected, atol=1e-6)


def test_ids_and_their_implicit_mask():
    """The words of sentences, padded, to a state of each sentence that is there, to a document."""
    ids = np.array([[[1, 2, 0], [3, 0, 0], [0, 0, 0]], [[2, 0, 0], [0, 0, 0], [0, 0, 0]]])
    embedding = TimeDistributed(keras.layers.Embedding(5, 3, mask_zero=True))
    words = embedding(ids)
    np.testing.assert_array_equal(np.asarray(words._keras_mask), ids != 0)
    sentences = TimeDistributed(LSTM(4))(words)
    present = np.asarray(sentences._keras_mask)
    np.testing.assert_array_equal(present, (ids != 0).any(axis=2))
    np.testing.assert_allclose(np.asarray(sentences)[~present], 0)
    lstm = LSTM(4)
    document = lstm(sentences)
    np.testing.assert_allclose(document[1], lstm(sentences[1:, :1])[0], atol=1e-6)


def test_a_mask_of_whole_steps_is_passed_on():
    x, mask = draw(2, 3, 5), np.array([[True, True, False], [True, False, False]])
    y = TimeDistributed(keras.layers.Dense(4))(x, mask=mask)
    assert y.shape == (2, 3, 4)
    layer = TimeDistributed(keras.layers.Dense(4))
    np.testing.assert_array_equal(layer.compute_mask(x, mask), mask)


def test_several_outputs():
    lstm = LSTM(4, return_state=True)
    x = draw(2, 3, 5, 6)
    layer = TimeDistributed(lstm)
    outputs = layer(x)
    assert [tuple(y.shape) for y in outputs] == [(2, 3, 4)] * 3
    assert layer.compute_output_shape(x.shape) == ((2, 3, 4), (2, 3, 4), (2, 3, 4))
    for actual, expected in zip(outputs, lstm(x[:, 1]), strict=True):
        np.testing.assert_allclose(actual[:, 1], expected, atol=1e-6)


def test_wrong_shapes_are_named():
    layer = TimeDistributed(keras.layers.Dense(4))
    with pytest.raises(ValueError, match=r"inputs must have at least 3 axes .* \(2, 3\)"):
        layer(draw(2, 3))
    with pytest.raises(ValueError, match=r"mask must have the first axes .* \(2, 3\); .* \(2, 4\)"):
        layer(draw(2, 3, 5), mask=np.ones((2, 4), bool))
    with pytest.raises(ValueError, match="mask must have the first axes"):
        layer(draw(2, 3, 5), mask=np.ones(2, bool))
