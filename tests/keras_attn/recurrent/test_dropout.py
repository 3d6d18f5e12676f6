"""Dropout of the inputs and of the states: one mask per sequence, shared by all steps."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn import GRU, LSTM, RNN, Attention, AttentionCell, Elman, GRUCell, LSTMCell
from tests.keras_attn.recurrent.layers import (
    MASK,
    RNG,
    STATES,
    B,
    D,
    T,
    U,
    X,
    assert_close,
    check_gradient,
    jittered,
    numpy,
)
from tests.oracles import recurrent as oracle

LAYERS = {
    "elman": (Elman, oracle.elman, 1, 1, {}),
    "lstm": (LSTM, oracle.lstm, 4, 2, {}),
    "gru": (GRU, oracle.gru, 3, 1, {}),
    "gru reset before": (GRU, oracle.gru, 3, 1, {"reset_after": False}),
}
RATES = {
    "inputs": {"dropout": 0.5},
    "states": {"recurrent_dropout": 0.5},
    "both": {"dropout": 0.5, "recurrent_dropout": 0.25},
}


def whole(kind, **options):
    layer, _, _, _, more = LAYERS[kind]
    return jittered(layer(U, return_sequences=True, return_state=True, **more, **options), X)


def fixed_masks(layer):
    """Replaces what the cell draws by masks that are kept: of the inputs and of the states."""
    kept = {}

    def masks(rate, shape, count):
        width = int(shape[1])
        if width not in kept:
            keep = np.random.default_rng(width).random((count, B, width)) >= rate
            kept[width] = (keep / (1 - rate)).astype("float32")
        return list(map(ops.convert_to_tensor, kept[width]))

    layer.cell._masks = masks
    layer(X, training=True)
    return kept.get(D), kept.get(U)


@pytest.mark.quick(2)
@pytest.mark.parametrize("rates", RATES)
@pytest.mark.parametrize("kind", LAYERS)
def test_numbers_and_gradients(kind, rates):
    layer = whole(kind, **RATES[rates])
    of_inputs, of_states = fixed_masks(layer)
    _, formula, gates, count, more = LAYERS[kind]
    assert (of_inputs is None) == (rates == "states")
    assert (of_states is None) == (rates == "inputs")
    if rates == "inputs":  # one mask for all gates, as in Keras
        assert len(of_inputs) == 1
        of_inputs = np.repeat(of_inputs, gates, axis=0)

    def call(inputs):
        x, *states = inputs
        return layer(x, initial_state=states, mask=MASK, training=True)

    def reference(weights, inputs):
        x, *states = inputs
        return oracle.run(formula(*weights, masks=(of_inputs, of_states), **more), x, states, MASK)

    inputs = [X, *STATES[:count]]
    assert_close(call(inputs), keras.tree.flatten(reference(layer.get_weights(), inputs)))
    check_gradient(layer, inputs, call, reference, jit_compile=False)


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", LAYERS)
def test_nothing_is_dropped_out_of_training(kind):
    layer, plain = whole(kind, **RATES["both"]), whole(kind)
    layer.set_weights(plain.get_weights())
    assert_close(layer(X, mask=MASK), numpy(plain(X, mask=MASK)), atol=1e-6)


def test_the_share_that_is_dropped():
    """An identity shows the mask of the inputs, an accumulator that of the states."""
    units = 500
    options = {
        "activation": "linear",
        "use_bias": False,
        "return_sequences": True,
        "kernel_initializer": "identity",
    }
    x = np.ones((2, T, units), "float32")
    drop_inputs = Elman(units, recurrent_initializer="zeros", dropout=0.25, **options)
    actual = numpy(drop_inputs(x, training=True))
    np.testing.assert_array_equal(actual, actual[:, :1].repeat(T, axis=1))
    np.testing.assert_allclose(np.unique(actual), [0, 1 / 0.75], rtol=1e-6)
    assert abs((actual[:, 0] == 0).mean() - 0.25) < 0.04
    assert (actual[0] != actual[1]).any() and (numpy(drop_inputs(x, training=True)) != actual).any()

    drop_states = Elman(units, recurrent_initializer="identity", recurrent_dropout=0.4, **options)
    actual = numpy(drop_states(x, training=True))
    masks = (actual[:, 1:] - 1) / actual[:, :-1]
    np.testing.assert_allclose(masks, masks[:, :1].repeat(T - 1, axis=1), rtol=1e-5)
    assert abs((masks[:, 0] == 0).mean() - 0.4) < 0.04


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", LAYERS)
def test_the_seed_decides(kind):
    options = {**RATES["both"], "seed": 7}
    layers = [whole(kind, **options), whole(kind, **options), whole(kind, **options | {"seed": 8})]
    for layer in layers:
        layer.set_weights(layers[0].get_weights())
    same, again, other = (numpy(layer(X, training=True)[0]) for layer in layers)
    np.testing.assert_array_equal(same, again)
    assert np.abs(same - other).max() > 1e-3


def test_cells_inside_others_drop_too():
    memory = RNG.normal(size=(B, 11, 13)).astype("float32")
    attending = AttentionCell(GRUCell(U, **RATES["both"]), Attention(score="additive"))
    cells = (attending, {"memory": memory}), ([LSTMCell(U, dropout=0.5), GRUCell(3)], {})
    for cell, options in cells:
        layer = jittered(RNN(cell), X, **options)
        in_training = numpy(layer(X, training=True, **options))
        assert np.abs(in_training - numpy(layer(X, **options))).max() > 1e-3


@pytest.mark.quick(2)
@pytest.mark.parametrize("cell", ["SimpleRNNCell", "LSTMCell", "GRUCell"])
def test_cells_of_keras_draw_their_masks_once(cell):
    cell = getattr(keras.layers, cell)(U, dropout=0.5, recurrent_dropout=0.25, seed=3)
    layer = jittered(RNN(cell), X)
    actual = [numpy(layer(X, training=training)) for training in (True, True, False)]
    assert min(np.abs(actual[i] - actual[j]).max() for i, j in ((0, 1), (0, 2), (1, 2))) > 1e-3


@pytest.mark.thorough
def test_trains_compiled():
    x = keras.Input((None, D))
    y = LSTM(U, **RATES["both"], return_sequences=True)(x)
    model = keras.Model(x, GRU(U, dropout=0.5)(y))
    model.compile("sgd", "mse", jit_compile=True)
    history = model.fit(X, np.zeros((B, U)), epochs=2, verbose=0).history
    assert np.isfinite(history["loss"]).all()
