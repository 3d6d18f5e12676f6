"""A decoder that attends: teacher-forced in one loop, and step by step."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.attention.attention import Attention
from keras_attn.recurrent.attention_cell import AttentionCell
from keras_attn.recurrent.gru import GRU
from keras_attn.recurrent.gru_cell import GRUCell
from keras_attn.recurrent.lstm_cell import LSTMCell
from keras_attn.recurrent.rnn import RNN
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
from tests.oracles.hashing import hash_of

S, M, OUT = 11, 13, 17
MEMORY = RNG.normal(size=(B, S, M)).astype("float32")
MEMORY_MASK = RNG.random((B, S)) > 0.4
MEMORY_MASK[1] = False  # a memory of nothing
FED = RNG.normal(size=(B, OUT)).astype("float32")
CELLS = {"lstm": (LSTMCell, oracle.lstm, 2), "gru": (GRUCell, oracle.gru, 1)}
ORDERS = ["luong", "bahdanau"]
FORMS = [{}, {"gate": True}, {"deep_output": True}, {"gate": True, "deep_output": True}]
MASKS = {"mask": MASK, "memory_mask": MEMORY_MASK}


def decoder(cell, order, **options):
    units = D if "deep_output" in options else OUT
    attention = Attention(score="additive")
    cell = AttentionCell(CELLS[cell][0](U), attention, order, units=units, **options)
    layer = RNN(cell, return_sequences=True, return_state=True)
    return jittered(layer, X, memory=MEMORY)


def first_states(cell, **options):
    return [*STATES[: CELLS[cell][2]], FED[:, :D] if "deep_output" in options else FED]


def formula(cell, order, weights, x, memory, states, **options):
    step = oracle.attending(
        CELLS[cell][1], weights, memory, MEMORY_MASK, order, "additive", **options
    )
    return oracle.run(step, x, states, MASK)


@pytest.mark.quick(2)
@pytest.mark.parametrize("options", FORMS)
@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("order", ORDERS)
def test_numbers(cell, order, options):
    layer, states = decoder(cell, order, **options), first_states(cell, **options)
    actual = layer(X, states, memory=MEMORY, return_attention_scores=True, **MASKS)
    output, last, maps = formula(cell, order, layer.get_weights(), X, MEMORY, states, **options)
    assert_close(actual, [output, *last, maps])
    assert (numpy(actual[-1])[1] == 0).all() and (maps[2] > 0).any()


@pytest.mark.thorough(5)
@pytest.mark.parametrize("options", [FORMS[0], FORMS[-1]])
@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("jit_compile", [False, True])
def test_gradients(cell, order, jit_compile, options):
    layer = decoder(cell, order, **options)

    def call(inputs):
        x, memory, *states = inputs
        return layer(x, states, memory=memory, return_attention_scores=True, training=True, **MASKS)

    def reference(weights, inputs):
        x, memory, *states = inputs
        return formula(cell, order, weights, x, memory, states, **options)

    inputs = [X, MEMORY, *first_states(cell, **options)]
    check_gradient(layer, inputs, call, reference, jit_compile)


@pytest.mark.parametrize("order", ORDERS)
def test_asking_for_maps_changes_no_output(order):
    layer = decoder("gru", order)
    *with_maps, maps = numpy(layer(X, memory=MEMORY, return_attention_scores=True, **MASKS))
    assert maps.shape == (B, T, S)
    assert_close(layer(X, memory=MEMORY, **MASKS), with_maps, atol=0)


@pytest.mark.quick(2)
@pytest.mark.parametrize("options", [FORMS[0], FORMS[-1]])
@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("order", ORDERS)
def test_single_steps_in_a_while_loop_give_the_whole_sequence(cell, order, options):
    layer, states = decoder(cell, order, **options), first_states(cell, **options)
    expected, *last = numpy(layer(X, states, memory=MEMORY, memory_mask=MEMORY_MASK))
    constants = layer.cell.begin(MEMORY, MEMORY_MASK)
    projected = layer.cell.project_inputs(X)

    def body(t, states, outputs):
        inputs = [ops.take(x, t, axis=1) for x in projected]
        output, states = layer.cell.recur(inputs, list(states), constants=constants)
        outputs = ops.slice_update(outputs, (0, t, 0), ops.expand_dims(output, 1))
        return t + 1, tuple(states), outputs

    _, states, outputs = ops.while_loop(
        lambda t, *_: t < T,
        body,
        (0, tuple(ops.convert_to_tensor(s) for s in states), ops.zeros_like(expected)),
    )
    assert_close([outputs, *states], [expected, *last])


def test_prepared_constants_serve_in_place_of_the_memory():
    layer = decoder("gru", "luong")
    expected = numpy(layer(X, memory=MEMORY, memory_mask=MEMORY_MASK))
    constants = layer.cell.begin(MEMORY, MEMORY_MASK)
    assert_close(layer(X, constants=constants), expected, atol=0)
    assert all(value.shape[0] == B for value in constants.values())


def test_implicit_mask_of_the_memory_is_read():
    ids = np.array([[3, 1, 4, 1, 5], [9, 2, 0, 0, 0], [2, 6, 5, 3, 0]], "int32")
    memory = keras.layers.Embedding(11, M, mask_zero=True)(ids)
    layer = decoder("gru", "luong")
    expected = numpy(layer(X, memory=numpy(memory), memory_mask=ids != 0))
    assert_close(layer(X, memory=memory), expected, atol=0)


def test_symbolic_shapes_with_unknown_lengths():
    layer = decoder("lstm", "bahdanau")
    memory, x = keras.Input((None, M)), keras.Input((None, D))
    shapes = [y.shape for y in layer(x, memory=memory, return_attention_scores=True)]
    assert shapes == [(None, None, OUT), (None, U), (None, U), (None, OUT), (None, None, None)]


def test_survives_its_file(tmp_path):
    memory, x = keras.Input((None, M)), keras.Input((None, D))
    layer = decoder("lstm", "bahdanau")
    model = keras.Model([x, memory], layer(x, memory=memory))
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert_close(loaded([X, MEMORY]), numpy(model([X, MEMORY])), atol=1e-6)
    assert loaded.layers[-1].cell.order == "bahdanau"


def test_an_open_gate_changes_nothing():
    plain, gated = decoder("gru", "bahdanau"), decoder("gru", "bahdanau", gate=True)
    feed, output, *others = plain.get_weights()
    gated.set_weights([feed, output, np.zeros((U, 1)), np.full(1, 99.0), *others])
    expected = numpy(plain(X, memory=MEMORY))
    assert_close(gated(X, memory=MEMORY), expected)
    gated.set_weights([feed, output, np.zeros((U, 1)), np.full(1, -99.0), *others])
    nothing = numpy(plain(X, memory=np.zeros_like(MEMORY)))
    assert_close(gated(X, memory=MEMORY), nothing)


def dropping(order, rate=0.5, seed=7, **options):
    cell = AttentionCell(GRUCell(U), Attention(score="additive", dropout=rate, seed=seed), order)
    return jittered(RNN(cell, return_sequences=True, **options), X, memory=MEMORY)


@pytest.mark.thorough
@pytest.mark.parametrize("order", ORDERS)
def test_attention_dropout_acts_in_training_only(order):
    plain = dropping(order, rate=0.0)
    at_inference = numpy(plain(X, memory=MEMORY, training=False))
    assert_close(plain(X, memory=MEMORY, training=True), at_inference, atol=1e-6)
    actual = [dropping(order, seed=seed) for seed in (7, 7, 8)]
    for layer in actual:
        layer.set_weights(plain.get_weights())
        assert_close(layer(X, memory=MEMORY, training=False), at_inference, atol=1e-6)
    same, again, other = (numpy(layer(X, memory=MEMORY, training=True)) for layer in actual)
    np.testing.assert_array_equal(same, again)
    next_one = numpy(actual[0](X, memory=MEMORY, training=True))
    for changed in (at_inference, other, next_one):
        assert np.abs(same - changed).max() > 1e-3


@pytest.mark.quick(2)
@pytest.mark.parametrize("unroll", [False, True])
@pytest.mark.parametrize("order", ORDERS)
def test_attention_dropout_draws_a_mask_for_each_step(order, unroll):
    layer = dropping(order, unroll=unroll)
    seed = numpy(layer.cell.attention._dropout_layer.seed_generator.state)
    seeds = hash_of(np.arange(2 * T), seed).reshape(T, 2)
    keep = np.stack([hash_of(np.arange(B * S), each).reshape(B, S) >= 2**31 for each in seeds])
    masks = iter(keep / 0.5)
    weights = layer.get_weights()
    step = oracle.attending(oracle.gru, weights, MEMORY, MEMORY_MASK, order, "additive", masks)
    first = [np.zeros((B, U)), np.zeros((B, U))]
    expected, _, maps = oracle.run(step, X, first, MASK)
    options = {"return_attention_scores": True, "training": True, **MASKS}
    assert_close(layer(X, memory=MEMORY, **options), [expected, maps])


@pytest.mark.thorough
def test_attention_dropout_in_compiled_training():
    x, memory = keras.Input((None, D)), keras.Input((None, M))
    model = keras.Model([x, memory], dropping("luong")(x, memory=memory))
    target = np.zeros((B, T, U), "float32")
    model.compile(keras.optimizers.SGD(0.0), "mse", jit_compile=True)
    first, second = model.fit([X, MEMORY], target, epochs=2, verbose=0).history["loss"]
    without = model.evaluate([X, MEMORY], target, verbose=0)
    assert min(abs(first - second), abs(first - without), abs(second - without)) > 1e-4
    assert model.evaluate([X, MEMORY], target, verbose=0) == pytest.approx(without, abs=1e-7)


def test_bad_arguments():
    with pytest.raises(ValueError, match="order must be 'luong' or 'bahdanau'; received 'cho'"):
        AttentionCell(GRUCell(U), Attention(), order="cho")
    with pytest.raises(ValueError, match="units=17 and inputs of width 5"):
        RNN(AttentionCell(GRUCell(U), Attention(), units=OUT, deep_output=True))(X, memory=MEMORY)
    with pytest.raises(ValueError, match="requires a memory"):
        RNN(AttentionCell(GRUCell(U), Attention()))(X)


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        (MEMORY[0], "memory must be a float tensor (B, S, M); received float32 (11, 13)."),
        (
            MEMORY[..., :5],
            "memory must have the width 13 that the layer was built for; "
            "received float32 (3, 11, 5).",
        ),
        (
            MEMORY[:1],
            "memory must have the batch size 3 of the sequences; received (1, 11, 13).",
        ),
    ],
)
def test_a_wrong_memory_is_named(memory, message):
    layer = decoder("gru", "luong")
    with pytest.raises(ValueError) as error:
        layer(X, memory=memory)
    assert str(error.value) == message


def test_what_is_no_tensor_or_has_another_batch_size_is_named():
    layer = GRU(U)
    for arguments, message in (
        ([X.tolist()], "sequences must be a tensor; received a list."),
        ([X, [[0.0] * U]], "initial_state must be 1 tensor (batch, units), of the width 7; "),
        ([X, STATES[0][:1]], "initial_state[0] must have the batch size 3 of the sequences; "),
    ):
        with pytest.raises(ValueError) as error:
            layer(*arguments)
        assert str(error.value).startswith(message)


def test_wrong_states_of_one_step_are_named():
    cell = GRUCell(U)
    for states, message in (
        (STATES[0][0], "states[0] must have the shape (batch, 7); received (7,)."),
        (STATES, "states must be 1 tensor (batch, units), of the width 7; received 2."),
    ):
        with pytest.raises(ValueError) as error:
            cell(X[:, 0], states)
        assert str(error.value) == message
