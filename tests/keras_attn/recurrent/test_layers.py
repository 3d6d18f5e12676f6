"""Every recurrent layer against NumPy float64, against Keras's own, and inside Bidirectional."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.recurrent.elman_cell import ElmanCell
from keras_attn.recurrent.gru_cell import GRUCell
from keras_attn.recurrent.jordan import Jordan, JordanCell
from keras_attn.recurrent.lstm import LSTM
from keras_attn.recurrent.lstm_cell import LSTMCell
from keras_attn.recurrent.orthogonal import OrthogonalCell
from keras_attn.recurrent.rnn import RNN
from tests.keras_attn.recurrent.layers import (
    KINDS,
    MASK,
    STATES,
    B,
    D,
    T,
    U,
    X,
    assert_close,
    check_gradient,
    every_kind,
    jittered,
    numpy,
    states_of,
)
from tests.oracles import recurrent as oracle

both_ways = pytest.mark.parametrize("training", [False, True])


def whole(kind, **options):
    return KINDS[kind].ours(U, return_sequences=True, return_state=True, **options)


@pytest.mark.quick(2)
@every_kind
@both_ways
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("go_backwards", [False, True])
def test_numbers(kind, training, masked, go_backwards):
    layer = jittered(whole(kind, go_backwards=go_backwards), X)
    mask = MASK if masked else None
    outputs, *states = layer(X, initial_state=states_of(kind), mask=mask, training=training)
    step = KINDS[kind].oracle(*layer.get_weights())
    expected = oracle.run(step, X, states_of(kind), mask, go_backwards)
    assert_close([outputs, states], expected)
    if masked:  # where nothing came, the state is the first and there is no output
        assert (numpy(outputs)[0] == 0).all()
        np.testing.assert_allclose(numpy(states)[0][0], states_of(kind)[0][0])


@pytest.mark.quick(2)
@every_kind
@both_ways
def test_last_output_is_the_last_of_the_sequence(kind, training):
    layer, last = jittered(whole(kind), X), KINDS[kind].ours(U)
    last.build(X.shape)
    last.set_weights(layer.get_weights())
    for mask in (None, MASK):
        outputs, *_ = layer(X, mask=mask, training=training)
        assert_close(last(X, mask=mask, training=training), numpy(outputs)[:, -1], atol=1e-6)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("kind", "jit_compile"),
    # What XLA makes of each layer's own step is a check of the contract.
    [*((kind, False) for kind in KINDS), ("orthogonal", True), ("lstm", True)],
)
@both_ways
def test_gradients(kind, training, jit_compile):
    layer = jittered(whole(kind), X)

    def call(inputs):
        x, *states = inputs
        return layer(x, initial_state=states, mask=MASK, training=training)

    def formula(weights, inputs):
        x, *states = inputs
        return oracle.run(KINDS[kind].oracle(*weights), x, states, MASK)

    check_gradient(layer, [X, *states_of(kind)], call, formula, jit_compile)


@every_kind
def test_the_cell_takes_one_step_of_the_layer(kind):
    layer = jittered(whole(kind), X)
    outputs, *_ = layer(X, initial_state=states_of(kind))
    output, states = layer.cell(X[:, 0], states_of(kind))
    assert_close(output, numpy(outputs)[:, 0])
    projected = layer.cell.project_inputs(X)
    output, _ = layer.cell.recur([x[:, 1] for x in projected], states)
    assert_close(output, numpy(outputs)[:, 1])


# Jordan's loop also holds its output's product, and an orthogonal matrix is made by products.
@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="reads TensorFlow's graph")
@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"jordan", "orthogonal"}))
def test_no_input_is_projected_inside_the_loop(kind):
    import tensorflow as tf

    layer = jittered(whole(kind), X)
    call = tf.function(layer, autograph=False)
    graph = call.get_concrete_function(tf.TensorSpec((None, None, D))).graph.as_graph_def()
    loop = [node for each in graph.library.function for node in each.node_def]
    outside, inside = (sum(node.op == "MatMul" for node in nodes) for nodes in (graph.node, loop))
    # A product for each gate: of the whole input outside, of the state inside.
    gates = layer.cell.kernel.shape[-1] // U
    assert (outside, inside) == (gates, gates)


@pytest.mark.quick(2)
@every_kind
@both_ways
def test_takes_the_weights_of_keras(kind, training):
    layer = jittered(whole(kind), X)
    theirs = KINDS[kind].theirs(U, return_sequences=True, return_state=True)
    theirs(X)
    assert [w.shape for w in theirs.weights] == [w.shape for w in layer.weights]
    theirs.set_weights(layer.get_weights())
    assert_close(layer(X, training=training), numpy(theirs(X)))
    assert_close(layer(X, mask=MASK, training=training), numpy(theirs(X, mask=MASK)))


def test_the_forget_gate_starts_open():
    layer = LSTM(U)
    layer.build((B, T, D))
    np.testing.assert_array_equal(numpy(layer.cell.bias), np.repeat([0, 1, 0, 0], U))
    plain = LSTM(U, unit_forget_bias=False)
    plain.build((B, T, D))
    assert (numpy(plain.cell.bias) == 0).all()


@pytest.mark.thorough
@every_kind
@both_ways
def test_bidirectional_is_that_of_keras(kind, training):
    layers = [
        keras.layers.Bidirectional(layer(U, return_sequences=True))
        for layer in (KINDS[kind].ours, KINDS[kind].theirs)
    ]
    jittered(layers[0], X)
    layers[1](X)
    layers[1].set_weights(layers[0].get_weights())
    for mask in (None, MASK):
        expected = numpy(layers[1](X, mask=mask))
        assert_close(layers[0](X, mask=mask, training=training), expected)


@every_kind
def test_stacked_and_bidirectional_model_with_implicit_masks_survives_its_file(kind, tmp_path):
    ours = KINDS[kind].ours
    ids = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(11, D, mask_zero=True)(ids)
    x = keras.layers.Bidirectional(ours(U, return_sequences=True))(x)
    model = keras.Model(ids, ours(U)(x))
    rows = np.array([[3, 1, 4, 1, 5], [9, 2, 0, 0, 0]], "int32")
    output = numpy(model(rows))
    np.testing.assert_allclose(output[1], numpy(model(rows[1:, :2]))[0], rtol=1e-6, atol=1e-6)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(numpy(loaded(rows)), output, rtol=1e-6, atol=1e-6)


@pytest.mark.quick(2)
@every_kind
@both_ways
@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_half_precision(kind, training, policy):
    layer = jittered(whole(kind, dtype=policy), X)
    outputs, *states = layer(X, mask=MASK, training=training)
    expected, _ = oracle.run(
        KINDS[kind].oracle(*layer.get_weights()), X, np.zeros_like(states_of(kind)), MASK
    )
    for tensor in (outputs, *states):
        assert keras.backend.standardize_dtype(tensor.dtype) == layer.compute_dtype
    assert_close(ops.cast(outputs, "float32"), expected, atol=0.1)


@pytest.mark.parametrize("cell", [LSTMCell, GRUCell, ElmanCell, JordanCell, OrthogonalCell])
def test_units_must_be_positive(cell):
    with pytest.raises(ValueError, match="units must be a positive integer; received 0"):
        cell(0)


ACTIVATIONS = [
    *((ElmanCell, oracle.elman, name) for name in ("tanh", "sigmoid", "relu", "linear")),
    *((OrthogonalCell, oracle.orthogonal, name) for name in ("modrelu", "relu", "linear")),
]


@both_ways
@pytest.mark.parametrize(("cell", "formula", "activation"), ACTIVATIONS)
def test_every_activation(cell, formula, activation, training):
    layer = RNN(cell(U, activation=activation), return_sequences=True, return_state=True)
    layer = jittered(layer, X, by=0.1)
    if activation == "modrelu":
        layer.cell.bias.assign(layer.cell.bias - 0.7)  # far enough for some to come out zero

    def call(inputs):
        x, state = inputs
        return layer(x, initial_state=[state], mask=MASK, training=training)

    def reference(weights, inputs):
        x, state = inputs
        return oracle.run(formula(*weights, activation=activation), x, [state], MASK)

    check_gradient(layer, [X, STATES[0]], call, reference, jit_compile=False)


@both_ways
@pytest.mark.parametrize(
    "activations",
    [("relu", "sigmoid"), ("linear", "relu"), ("tanh", "softmax"), ("softsign", "softmax")],
)
def test_jordan_is_as_wide_as_its_output(training, activations):
    hidden, output = activations
    options = {"activation": hidden, "output_activation": output}
    layer = Jordan(U, output_units=2, return_sequences=True, return_state=True, **options)
    layer, state = jittered(layer, X, by=0.1), STATES[0][:, :2]

    def call(inputs):
        x, state = inputs
        return layer(x, initial_state=[state], mask=MASK, training=training)

    def reference(weights, inputs):
        x, state = inputs
        return oracle.run(oracle.jordan(*weights, **options), x, [state], MASK)

    check_gradient(layer, [X, state], call, reference, jit_compile=False)
    shapes = [tuple(w.shape) for w in layer.weights]
    assert shapes == [(D, U), (2, U), (U,), (U, 2), (2,)]


@pytest.mark.parametrize("by_hand", [True, False])
def test_functions_as_activations_of_jordan(by_hand):
    """A function without a hand-written gradient is differentiated by the backend."""
    functions = [keras.activations.tanh, keras.activations.softmax]
    if not by_hand:
        functions = [lambda z: ops.tanh(z), lambda z: ops.softmax(z)]
    layer = Jordan(U, activation=functions[0], output_activation=functions[1])
    assert layer.cell.by_hand == by_hand
    named = Jordan(U, activation="tanh", output_activation="softmax")
    layer, named = jittered(layer, X), jittered(named, X)
    named.set_weights(layer.get_weights())
    np.testing.assert_allclose(numpy(layer(X)), numpy(named(X)), atol=1e-6)
    np.testing.assert_allclose(numpy(layer(X)).sum(axis=-1), 1, atol=1e-6)
    if by_hand:
        again = Jordan.from_config(layer.get_config())
        assert again.cell.output_activation is keras.activations.softmax


def test_unknown_activations():
    with pytest.raises(ValueError, match="recurrent_activation must be an activation of Keras"):
        LSTMCell(U, recurrent_activation="none")
    with pytest.raises(ValueError, match="activation must be an .* function; received 'none'"):
        ElmanCell(U, activation="none")
    with pytest.raises(ValueError, match="output_activation must be an activation of Keras"):
        JordanCell(U, output_activation="modrelu")
    with pytest.raises(ValueError, match="one of tanh, sigmoid, relu, linear, softmax, modrelu"):
        OrthogonalCell(U, activation="gelu")
    with pytest.raises(ValueError, match="output_units must be a positive integer or None"):
        JordanCell(U, output_units=0)
