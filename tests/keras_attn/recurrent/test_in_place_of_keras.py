"""Our layers in a model made of Keras's: the same arguments, weights, files and outputs."""

import keras
import numpy as np
import pytest

from keras_attn import GRU, LSTM, RNN, Elman, ElmanCell, GRUCell, LSTMCell, SimpleRNN, SimpleRNNCell
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

OURS = {"SimpleRNN": SimpleRNN, "LSTM": LSTM, "GRU": GRU, "RNN": RNN}
both_ways = pytest.mark.parametrize("training", [False, True])


def swapped(layer):
    ours = OURS.get(type(layer).__name__, type(layer))
    return ours.from_config(layer.get_config())


def swap(model):
    actual = keras.models.clone_model(model, clone_function=swapped)
    assert {type(layer) for layer in actual.layers} & set(OURS.values())
    return actual


PENALTIES = {
    "kernel_regularizer": "l1",
    "recurrent_regularizer": keras.regularizers.L2(0.3),
    "activity_regularizer": "l2",
}
# Of each layer, the default, whose gradient is written by hand, and others.
OPTIONS = {
    "SimpleRNN": [{}, {"activation": "gelu"}, {"use_bias": False, "activation": "relu"}],
    "LSTM": [
        {},
        {"activation": "relu", "recurrent_activation": "hard_sigmoid"},
        {"use_bias": False, "unit_forget_bias": False},
        {"activation": None, "unroll": True},
    ],
    "GRU": [
        {},
        {"reset_after": False},
        {"activation": "elu", "recurrent_activation": "softsign"},
        {"use_bias": False},
        {"use_bias": False, "reset_after": False, "activation": "swish"},
    ],
}
CASES = [(name, options) for name, several in OPTIONS.items() for options in several]


@pytest.mark.quick(2)
@pytest.mark.parametrize(("name", "options"), CASES)
@both_ways
def test_equals_the_layer_of_keras(name, options, training):
    common = {"return_sequences": True, "return_state": True, **options, **PENALTIES}
    theirs = jittered(getattr(keras.layers, name)(U, **common), X)
    ours = swapped(theirs)
    ours.build(X.shape)
    ours.set_weights(theirs.get_weights())
    for given in ({}, {"mask": MASK}):
        expected = numpy(theirs(X, training=training, **given))
        assert_close(ours(X, training=training, **given), keras.tree.flatten(expected))
    assert len(ours.losses) == len(theirs.losses)
    np.testing.assert_allclose(ours.losses, theirs.losses, rtol=1e-5)


def model_of_keras():
    x = keras.Input((None, D))
    y, h, _ = keras.layers.LSTM(U, dropout=0.25, return_sequences=True, return_state=True)(x)
    y = keras.layers.GRU(U, return_sequences=True)(y, initial_state=h)
    y = keras.layers.SimpleRNN(U, return_sequences=True)(y)
    cells = [keras.layers.GRUCell(3), keras.layers.LSTMCell(4)]
    return keras.Model(x, keras.layers.RNN(cells)(y))


def test_a_model_is_cloned_and_takes_the_file_of_weights(tmp_path):
    theirs = model_of_keras()
    theirs.save_weights(tmp_path / "theirs.weights.h5")
    ours, again = swap(theirs), swap(theirs)
    ours.load_weights(tmp_path / "theirs.weights.h5")
    assert_close(ours(X), numpy(theirs(X)))
    again.set_weights(theirs.get_weights())
    assert_close(again(X), numpy(theirs(X)))
    ours.summary(print_fn=lambda *_, **__: None)
    for weight in ours.trainable_weights:
        weight.assign(weight + 0.1)
    ours.save_weights(tmp_path / "ours.weights.h5")
    theirs.load_weights(tmp_path / "ours.weights.h5")
    assert_close(ours(X), numpy(theirs(X)))


def test_a_stack_of_our_cells_takes_the_file_of_weights(tmp_path):
    def model(kind, *cells):
        return keras.Sequential([keras.Input((None, D)), kind([cell(U) for cell in cells])])

    layers = keras.layers
    theirs = model(layers.RNN, layers.GRUCell, layers.LSTMCell, layers.SimpleRNNCell)
    theirs.save_weights(tmp_path / "theirs.weights.h5")
    ours = model(RNN, GRUCell, LSTMCell, SimpleRNNCell)
    ours.load_weights(tmp_path / "theirs.weights.h5")
    assert_close(ours(X), numpy(theirs(X)))


@pytest.mark.parametrize("name", OPTIONS)
def test_keras_takes_our_config(name):
    ours = OURS[name](U, dropout=0.25, activity_regularizer="l1", return_state=True)
    theirs = getattr(keras.layers, name).from_config(ours.get_config())
    assert (theirs.units, theirs.dropout, theirs.return_state) == (U, 0.25, True)


@pytest.mark.parametrize("name", OPTIONS)
def test_shows_the_arguments_of_its_cell(name):
    options = {**PENALTIES, "dropout": 0.25, "recurrent_dropout": 0.5, "bias_constraint": "non_neg"}
    theirs = getattr(keras.layers, name)(U, **options)
    ours = swapped(theirs)
    shown = [key for key, kind in vars(type(theirs)).items() if isinstance(kind, property)]
    assert {"units", "activation", "dropout", "bias_constraint"} <= set(shown)
    for key in shown:
        mine, known = getattr(ours, key), getattr(theirs, key)
        assert mine == known or mine.get_config() == known.get_config(), key
    assert not hasattr(Elman(U), "reset_after") and LSTM(U).state_size == [U, U]
    assert [cell(U).state_size for cell in (ElmanCell, GRUCell)] == [U, U]


def stack(cells, **options):
    return [RNN([getattr(keras.layers, name)(n) for name, n in cells], **options)] + [
        kind([ours(n) for (_, n), ours in zip(cells, OUR_CELLS, strict=False)], **options)
        for kind in (RNN, keras.layers.RNN)
    ]


OUR_CELLS = (LSTMCell, GRUCell, ElmanCell)
CELLS = [("LSTMCell", 3), ("GRUCell", 4), ("SimpleRNNCell", U)]


@pytest.mark.quick(2)
@pytest.mark.parametrize("go_backwards", [False, True])
@pytest.mark.parametrize("masked", [False, True])
@both_ways
def test_a_stack_runs_as_in_keras(go_backwards, masked, training):
    options = {"return_sequences": True, "return_state": True, "go_backwards": go_backwards}
    theirs = keras.layers.RNN([getattr(keras.layers, name)(n) for name, n in CELLS], **options)
    jittered(theirs, X)
    given = {"mask": MASK if masked else None, "training": training}
    expected = keras.tree.flatten(numpy(theirs(X, **given)))
    for layer in stack(CELLS, **options):
        layer.build(X.shape)
        layer.set_weights(theirs.get_weights())
        actual = layer(X, **given)
        assert_close(actual, expected)
        first = keras.tree.flatten(actual)[1:]
        assert_close(
            layer(X, initial_state=keras.tree.map_structure(lambda s: s, actual[1:])),
            keras.tree.flatten(numpy(theirs(X, initial_state=[first[:2], first[2:3], first[3:]]))),
        )


def test_the_states_of_a_stack_are_nested_by_cell():
    layer = RNN([LSTMCell(3), GRUCell(4)], return_state=True)
    assert layer.state_size == [[3, 3], 4]
    shapes = [(None, 4), [(None, 3), (None, 3)], (None, 4)]
    actual = layer(keras.Input((None, D)))
    assert keras.tree.map_structure(lambda y: tuple(y.shape), list(actual)) == shapes
    actual = layer(X)
    assert keras.tree.map_structure(lambda y: (None, y.shape[1]), list(actual)) == shapes
    assert layer.compute_output_shape((2, None, D))[1] == [(2, 3), (2, 3)]


def test_a_stack_survives_its_config_and_file(tmp_path):
    x = keras.Input((None, D))
    model = keras.Model(x, RNN([LSTMCell(3), keras.layers.GRUCell(4)], return_state=True)(x))
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert_close(loaded(X), keras.tree.flatten(numpy(model(X))), atol=1e-6)


@pytest.mark.parametrize("name", OPTIONS)
def test_states_are_carried_from_batch_to_batch(name):
    options = {"stateful": True, "return_sequences": True}
    theirs = jittered(getattr(keras.layers, name)(U, **options), X)
    ours = swapped(theirs)
    ours.build(X.shape)
    ours.set_weights(theirs.get_weights())
    theirs.reset_states()
    batches = [numpy(layer(X)) for _ in range(3) for layer in (theirs, ours)]
    for expected, actual in zip(batches[::2], batches[1::2], strict=True):
        np.testing.assert_allclose(actual, expected, atol=1e-5)
    assert np.abs(batches[1] - batches[3]).max() > 1e-2
    assert_close(ours.states, keras.tree.flatten(numpy(theirs.states)))
    for reset in (ours.reset_state, ours.reset_states):
        reset()
        np.testing.assert_allclose(numpy(ours(X)), batches[1], atol=1e-5)
    with pytest.raises(ValueError, match=f"must have the batch size {B} that the stateful layer"):
        ours(X[:1])
    with pytest.raises(ValueError, match="stateful layer requires a fixed batch size"):
        OURS[name](U, stateful=True)(keras.Input((None, D)))


def test_states_are_carried_through_predict():
    """On JAX, too, where Keras's layer forgets them."""
    layers = [keras.layers.LSTM(U, stateful=True), LSTM(U, stateful=True)]
    models = [keras.Sequential([keras.Input(batch_shape=(B, T, D)), layer]) for layer in layers]
    models[1].set_weights(models[0].get_weights())
    expected = [numpy(layers[0](X)) for _ in range(2)]
    for value in expected:
        actual = models[1].predict(X, batch_size=B, verbose=0)
        np.testing.assert_allclose(actual, value, atol=1e-5)


def test_a_stateful_stack():
    layer = jittered(RNN([LSTMCell(3), GRUCell(4)], stateful=True), X)
    layer.reset_state()
    first, second = numpy(layer(X)), numpy(layer(X))
    layer.reset_state()
    np.testing.assert_array_equal(numpy(layer(X)), first)
    assert np.abs(first - second).max() > 1e-3
    assert [tuple(s.shape) for s in keras.tree.flatten(layer.states)] == [(B, 3), (B, 3), (B, 4)]
    assert len(layer.weights) == 6


@pytest.mark.quick(2)
@pytest.mark.parametrize("merge_mode", ["concat", "sum", "mul", "ave", None])
@pytest.mark.parametrize("name", ["LSTM", "GRU"])
def test_bidirectional_with_states(merge_mode, name):
    options = {"return_sequences": True, "return_state": True}
    pair = []
    for kind in (getattr(keras.layers, name), OURS[name]):
        backward = kind(U, go_backwards=True, activation="relu", **options)
        layer = keras.layers.Bidirectional(
            kind(U, **options), merge_mode=merge_mode, backward_layer=backward
        )
        pair.append(jittered(layer, X, by=0.1))
    pair[1].set_weights(pair[0].get_weights())
    states = STATES * (2 if name == "LSTM" else 1)
    for given in ({"mask": MASK}, {"initial_state": states}):
        expected = keras.tree.flatten(numpy(pair[0](X, **given)))
        assert_close(pair[1](X, **given), expected)
    shapes = [[tuple(y.shape) for y in layer(keras.Input((None, D)))] for layer in pair]
    assert shapes[0] == shapes[1]


def test_output_shapes():
    for name, states in (("SimpleRNN", 1), ("LSTM", 2), ("GRU", 1)):
        for options in ({}, {"return_sequences": True}, {"return_state": True}):
            theirs, ours = getattr(keras.layers, name)(U, **options), OURS[name](U, **options)
            state_shapes = [(B, U)] * states
            for shape in ((B, T, D), (None, None, D)):
                expected = theirs.compute_output_shape(shape, state_shapes)
                assert ours.compute_output_shape(shape, state_shapes) == expected


MISTAKES = {
    "sequences must have the shape .batch, steps, features.; received .3, 5.": (X[:, 0], {}),
    "sequences must have the 5 features": (X[..., :2], {}),
    "mask must have the shape .batch, steps.": (X, {"mask": MASK[:, :3]}),
    "mask must have the shape .batch, steps., as": (X, {"mask": MASK[0]}),
    "initial_state must be 2 tensors": (X, {"initial_state": STATES[:1]}),
    r"initial_state\[1\] must have the shape .batch, 7.; received .3, 2.": (
        X,
        {"initial_state": [STATES[0], STATES[1][:, :2]]},
    ),
    "memory requires a cell with attention": (X, {"memory": X}),
}


@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes_in_a_call(message):
    layer = LSTM(U)
    layer.build(X.shape)
    x, options = MISTAKES[message]
    with pytest.raises(ValueError, match=message):
        layer(x, **options)
    symbolic = keras.Input(batch_shape=x.shape)
    with pytest.raises(ValueError, match=message):
        layer(symbolic, **options)


@pytest.mark.parametrize("layer", [LSTM, GRU, Elman, LSTMCell, GRUCell, ElmanCell])
def test_mistakes_in_arguments(layer):
    for units in ("a", 0, 2.5, True, None):
        with pytest.raises(
            ValueError, match=f"units must be a positive integer; received {units!r}"
        ):
            layer(units)
    for rate in (-0.1, 1, "a"):
        for name in ("dropout", "recurrent_dropout"):
            with pytest.raises(ValueError, match=f"^{name} must be at least 0 and less than 1"):
                layer(U, **{name: rate})
    if "Cell" in layer.__name__:
        cell = layer(U)
        cell.build((B, D))
        with pytest.raises(
            ValueError, match="(inputs|sequence) must have the shape .batch, 5.; received .3, 2"
        ):
            cell(X[:, 0, :2], STATES)
    elif layer is not Elman:
        with pytest.raises(ValueError, match="use_cudnn must be 'auto', True or False; received 3"):
            layer(U, use_cudnn=3)


def test_what_keras_lacks_is_lacking_here():
    """LSTM and its kin have neither quantization nor LoRA in Keras."""
    layer = LSTM(U)
    layer.build(X.shape)
    with pytest.raises(NotImplementedError, match="Layer LSTM does not have a `quantize` method"):
        layer.quantize("int8")
    with pytest.raises(AttributeError, match="'LSTM' object has no attribute 'enable_lora'"):
        layer.enable_lora(2)


def test_a_bare_state_comes_back_bare():
    for cell, theirs in ((GRUCell, keras.layers.GRUCell), (ElmanCell, keras.layers.SimpleRNNCell)):
        ours, theirs = cell(U), theirs(U)
        theirs(X[:, 0], STATES[0])
        ours.build((B, D))
        ours.set_weights(theirs.get_weights())
        output, state = ours(X[:, 0], STATES[0])
        assert_close([output, state], numpy(theirs(X[:, 0], STATES[0])))


def test_arguments_by_position():
    ours, theirs = (
        kind(U, "relu", "hard_sigmoid", False, "ones").get_config()
        for kind in (LSTM, keras.layers.LSTM)
    )
    names = ("activation", "recurrent_activation", "use_bias", "kernel_initializer")
    assert [ours[name] for name in names] == [theirs[name] for name in names]
