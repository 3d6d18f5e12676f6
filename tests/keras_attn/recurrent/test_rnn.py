"""RNN over any cell: what it returns, and how it treats masks."""

import keras
import numpy as np
import pytest

from keras_attn.recurrent.gru_cell import GRUCell
from keras_attn.recurrent.lstm import LSTM
from keras_attn.recurrent.lstm_cell import LSTMCell
from keras_attn.recurrent.rnn import RNN
from tests.keras_attn.recurrent.layers import (
    MASK,
    STATES,
    B,
    D,
    T,
    U,
    X,
    assert_close,
    jittered,
    numpy,
)

KERAS_CELLS = {
    "simple": lambda: keras.layers.SimpleRNNCell(U),
    "lstm": lambda: keras.layers.LSTMCell(U),
    "gru": lambda: keras.layers.GRUCell(U),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("cell", KERAS_CELLS)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("go_backwards", [False, True])
@pytest.mark.parametrize("zero", [False, True])
def test_runs_the_cells_of_keras_as_keras_does(cell, masked, go_backwards, zero):
    arguments = {
        "return_sequences": True,
        "return_state": True,
        "go_backwards": go_backwards,
        "zero_output_for_mask": zero,
    }
    ours = jittered(RNN(KERAS_CELLS[cell](), **arguments), X)
    theirs = keras.layers.RNN(KERAS_CELLS[cell](), **arguments)
    theirs(X)
    theirs.set_weights(ours.get_weights())
    mask = MASK if masked else None
    assert_close(ours(X, mask=mask), numpy(theirs(X, mask=mask)))


@pytest.mark.parametrize("sequences", [False, True])
@pytest.mark.parametrize("state", [False, True])
def test_returned_values_and_their_symbolic_shapes(sequences, state):
    layer = RNN(LSTMCell(U), return_sequences=sequences, return_state=state)
    actual = layer(X)
    symbolic = layer(keras.Input((None, D)))
    output_shape = (B, T, U) if sequences else (B, U)
    if not state:
        actual, symbolic = [actual], [symbolic]
    shapes = [output_shape, (B, U), (B, U)] if state else [output_shape]
    assert [tuple(x.shape) for x in actual] == shapes
    unknown = [(None, None, U) if len(shape) == 3 else (None, U) for shape in shapes]
    assert [x.shape for x in symbolic] == unknown


@pytest.mark.parametrize("training", [False, True])
def test_zero_output_for_mask_spares_the_states(training):
    held = jittered(LSTM(U, return_sequences=True, return_state=True), X)
    zeroed = LSTM(U, return_sequences=True, return_state=True, zero_output_for_mask=True)
    zeroed.build(X.shape)
    zeroed.set_weights(held.get_weights())
    outputs, *states = numpy(held(X, mask=MASK, training=training))
    zeroed_outputs, *zeroed_states = numpy(zeroed(X, mask=MASK, training=training))
    np.testing.assert_array_equal(zeroed_outputs, np.where(MASK[..., None], outputs, 0))
    np.testing.assert_array_equal(zeroed_states, states)


@pytest.mark.parametrize("training", [False, True])
def test_what_is_masked_changes_nothing(training):
    layer = jittered(RNN(GRUCell(U), return_sequences=True), X)
    other = np.where(MASK[..., None], X, X + 100)
    expected = numpy(layer(X, mask=MASK, training=training))
    assert_close(layer(other, mask=MASK, training=training), expected, atol=0)
    assert not np.allclose(numpy(layer(other, training=training)), expected)


@pytest.mark.parametrize("with_state", [False, True])
def test_implicit_masks_are_read_and_passed_on_and_explicit_ones_win(with_state):
    ids = np.array([[3, 1, 4, 1, 5], [9, 2, 0, 0, 0], [2, 6, 5, 3, 0]], "int32")
    x = keras.layers.Embedding(11, D, mask_zero=True)(ids)
    plain = numpy(x)
    options = {"initial_state": STATES} if with_state else {}
    layer = jittered(LSTM(U, return_sequences=True), plain)
    output = layer(x, **options)
    assert_close(output, numpy(layer(plain, mask=ids != 0, **options)), atol=0)
    np.testing.assert_array_equal(numpy(output._keras_mask), ids != 0)
    other = np.arange(5) < np.array([[2], [5], [3]])
    assert_close(layer(x, mask=other, **options), numpy(layer(plain, mask=other, **options)), 0)


def test_single_state_may_be_given_bare():
    layer = jittered(RNN(GRUCell(U)), X)
    expected = numpy(layer(X, initial_state=[STATES[0]]))
    assert_close(layer(X, initial_state=STATES[0]), expected, atol=0)


def test_attention_scores_of_a_cell_that_does_not_attend():
    with pytest.raises(ValueError, match="requires a cell with attention"):
        RNN(LSTMCell(U))(X, return_attention_scores=True)


def test_config_restores_the_cell():
    layer = RNN(GRUCell(U, reset_after=True), return_state=True, go_backwards=True)
    again = RNN.from_config(layer.get_config())
    assert (again.cell.units, again.cell.reset_after) == (U, True)
    assert (again.return_sequences, again.return_state, again.go_backwards) == (False, True, True)


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="shapes are known on JAX")
def test_a_stateful_layer_refuses_a_shorter_last_batch():
    """Of 5 rows, the last batch has one row, for which the states of two rows would be used."""
    inputs = keras.Input(batch_shape=(2, None, 7))
    model = keras.Model(inputs, LSTM(3, stateful=True)(inputs))
    model.compile("sgd", "mse")
    x, y = np.ones((5, 4, 7), "float32"), np.ones((5, 3), "float32")
    for run in (lambda: model.fit(x, y, batch_size=2, verbose=0), lambda: model.predict(x, 2, 0)):
        with pytest.raises(Exception, match="Reshape|reshape"):
            run()
    assert model.predict(x[:4], 2, 0).shape == (4, 3)
