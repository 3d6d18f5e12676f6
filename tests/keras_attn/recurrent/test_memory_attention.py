"""A decoder with each attention to its memory: numbers, gradients, steps, files, LiteRT."""

from functools import partial

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn import (
    RNN,
    Attention,
    AttentionCell,
    GRUCell,
    HeadDiversity,
    LinearAttention,
    LocalAttention,
    MultiHeadAttention,
    RandomFeatureAttention,
)
from tests.keras_attn.recurrent.layers import (
    MASK,
    RNG,
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
from tests.litert import in_litert
from tests.oracles import other_attention
from tests.oracles import recurrent as oracle
from tests.oracles.attention import multi_head
from tests.oracles.hashing import hash_of

S, M, H, K = 11, 13, 2, 3
MEMORY = RNG.normal(size=(B, S, M)).astype("float32")
MEMORY_MASK = RNG.random((B, S)) > 0.4
MEMORY_MASK[1] = False  # a memory of nothing
MASKS = {"mask": MASK, "memory_mask": MEMORY_MASK}
ZEROS = [np.zeros((B, U), "float32")] * 2


def of_heads(weights, query, memory, mask, **options):
    return multi_head(weights, query, memory, mask=mask[:, None], **options)


def of_sums(weights, query, memory, mask):
    return other_attention.linear(weights, query, memory, key_mask=mask), None


# How the layer is made, and its formula.
ATTENTIONS = {
    "multi-head": (partial(MultiHeadAttention, H, K), of_heads),
    "grouped": (
        partial(MultiHeadAttention, 4, K, 5, num_key_value_heads=2, aggregate="concat"),
        partial(of_heads, num_key_value_heads=2, aggregate="concat"),
    ),
    "additive heads": (
        partial(MultiHeadAttention, H, K, score="additive", normalizer="entmax15", use_gate=True),
        partial(of_heads, score="additive", normalizer="entmax15", use_gate=True),
    ),
    "tied mean": (
        partial(MultiHeadAttention, H, K, tie_key_value=True, aggregate="mean"),
        partial(of_heads, tie_key_value=True, aggregate="mean"),
    ),
    "linear": (partial(LinearAttention, H, K, output_shape=5), of_sums),
    "random features": (partial(RandomFeatureAttention, H, K, 17), of_sums),
}
every_attention = pytest.mark.parametrize("name", ATTENTIONS)
every_order = pytest.mark.parametrize("order", ["luong", "bahdanau"])


def decoder(name, order="luong", **options):
    attention = ATTENTIONS[name][0](**options)
    cell = AttentionCell(GRUCell(U), attention, order, gate=True)
    # Random directions are weights, too, but not trained ones.
    return jittered(RNN(cell, return_sequences=True), X, memory=MEMORY)


def formula(name, order, weights, memory, x=X, states=ZEROS):
    attend = ATTENTIONS[name][1]
    step = oracle.attending(oracle.gru, weights, memory, MEMORY_MASK, order, attend, gate=True)
    return oracle.run(step, x, states, MASK)


def has_weights(name):
    return ATTENTIONS[name][0]().weights_heads is not None


@every_attention
@every_order
def test_numbers(name, order):
    layer = decoder(name, order)
    expected, _, *maps = formula(name, order, layer.get_weights(), MEMORY)
    assert_close(layer(X, memory=MEMORY, **MASKS), expected)
    if has_weights(name):
        heads = layer.cell.attention.num_heads
        expected_maps = np.reshape(maps[0], (B, T, heads, S)).transpose(0, 2, 1, 3)
        actual = layer(X, memory=MEMORY, return_attention_scores=True, **MASKS)
        assert_close(actual, [expected, expected_maps])
        assert (numpy(actual[1])[1] == 0).all() and (expected_maps[2] > 0).any()


@pytest.mark.thorough
@every_attention
@every_order
def test_gradients(name, order):
    layer = decoder(name, order)

    def call(inputs):
        return layer(inputs[0], memory=inputs[1], training=True, **MASKS)

    def reference(weights, inputs):
        return formula(name, order, weights, inputs[1], inputs[0])[0]

    check_gradient(layer, [X, MEMORY], call, reference, jit_compile=False)


@every_attention
def test_single_steps_give_the_whole_sequence(name):
    layer = decoder(name, "bahdanau")
    expected = numpy(layer(X, memory=MEMORY, memory_mask=MEMORY_MASK))
    constants = layer.cell.begin(MEMORY, MEMORY_MASK)
    assert all(value.shape[0] == B for value in constants.values())
    states, outputs = [ops.convert_to_tensor(state) for state in ZEROS], []
    for t in range(T):
        output, states = layer.cell(X[:, t], states, constants=constants)
        outputs.append(numpy(output))
    assert_close(np.stack(outputs, axis=1), expected)
    assert_close(layer(X, constants=constants), expected, atol=0)


@every_attention
def test_symbolic_shapes_and_its_file(name, tmp_path):
    memory, x = keras.Input((None, M)), keras.Input((None, D))
    layer = decoder(name)
    asked = has_weights(name)
    actual = layer(x, memory=memory, return_attention_scores=asked)
    shapes = [y.shape for y in keras.tree.flatten(actual)]
    heads = layer.cell.attention.num_heads
    assert shapes == [(None, None, U), (None, heads, None, None)][: 1 + asked]
    model = keras.Model([x, memory], actual)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert_close(loaded([X, MEMORY]), keras.tree.flatten(numpy(model([X, MEMORY]))), atol=1e-6)


def test_attention_as_its_config():
    attention = MultiHeadAttention(H, K)
    config = keras.saving.serialize_keras_object(attention)
    cell = AttentionCell(GRUCell(U), config)
    assert type(cell.attention) is MultiHeadAttention and cell.attention.key_dim == K
    again = AttentionCell.from_config(cell.get_config())
    assert again.get_config() == cell.get_config()


@every_order
@pytest.mark.parametrize("unroll", [False, True])
def test_dropout_of_heads_draws_a_mask_for_each_step(order, unroll):
    attention = MultiHeadAttention(H, K, dropout=0.5, seed=7)
    cell = AttentionCell(GRUCell(U), attention, order)
    layer = jittered(RNN(cell, return_sequences=True, unroll=unroll), X, memory=MEMORY)
    seed = numpy(attention._dropout_layer.seed_generator.state)
    seeds = hash_of(np.arange(2 * T), seed).reshape(T, 2)
    keep = iter([hash_of(np.arange(B * H * S), s).reshape(B, H, S) >= 2**31 for s in seeds])

    def attend(weights, query, memory, mask):
        _, maps = of_heads(weights, query, memory, mask)
        wv, bv, wo, bo = weights[4:]
        values = np.einsum("bsd,dhk->bhsk", memory, wv) + bv[:, None]
        dropped = maps[:, :, 0] * next(keep) / 0.5
        return (np.einsum("bhs,bhsk,hkd->bd", dropped, values, wo) + bo)[:, None], maps

    step = oracle.attending(oracle.gru, layer.get_weights(), MEMORY, MEMORY_MASK, order, attend)
    expected, *_ = oracle.run(step, X, ZEROS, MASK)
    assert_close(layer(X, memory=MEMORY, training=True, **MASKS), expected)


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="LiteRT needs TensorFlow")
@pytest.mark.thorough
@every_attention
def test_a_file_of_any_batch_and_length(name):
    import tensorflow as tf

    layer = decoder(name)
    shapes = {"x": (None, None, D), "memory": (None, None, M)}
    specs = {key: tf.TensorSpec(shape) for key, shape in shapes.items()}
    specs["mask"] = tf.TensorSpec((None, None), "bool")
    file = in_litert(
        lambda x, memory, mask: layer(x, memory=memory, memory_mask=mask), specs, layer.weights
    )
    for rows, length in ((B, T), (1, 3)):
        x, memory, mask = X[:rows, :length], MEMORY[:rows, : length + 2], MEMORY_MASK[:rows]
        given = {"x": x, "memory": memory, "mask": mask[:, : length + 2]}
        expected = numpy(layer(x, memory=memory, memory_mask=given["mask"]))
        np.testing.assert_allclose(file(**given), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("attention", "message"),
    [
        (partial(MultiHeadAttention, H, K, position="alibi"), "position is not possible in att"),
        (partial(MultiHeadAttention, H, K, sliding_window=3), "sliding_window is not possible"),
        (
            partial(MultiHeadAttention, H, K, attention_regularizer=HeadDiversity(0.1)),
            "attention_regularizer is not possible",
        ),
        (
            partial(MultiHeadAttention, H, K, activity_regularizer="l2"),
            "activity_regularizer is not possible",
        ),
        (
            partial(MultiHeadAttention, H, K, output_shape=(2, 3)),
            r"^attention must return contexts of one axis of features; received \(3, 1, 2, 3\)",
        ),
        (
            partial(LocalAttention, H, K, 3),
            r"LocalAttention lacks prepare_memory\(memory, memory_mask=None\) and attend_to_",
        ),
    ],
)
def test_what_does_not_attend_to_a_memory(attention, message):
    with pytest.raises(ValueError, match=message):
        RNN(AttentionCell(GRUCell(U), attention()))(X, memory=MEMORY)


def test_linear_attention_has_no_attention_weights():
    with pytest.raises(ValueError, match="requires an attention with attention weights; received"):
        decoder("linear")(X, memory=MEMORY, return_attention_scores=True)


def test_half_precision_inside():
    """Layer and attention of two dtypes: what the attention returns is cast to that of the cell."""
    attention = Attention(score="general", dtype="float16")
    layer = RNN(AttentionCell(GRUCell(U), attention), return_sequences=True)
    output, maps = layer(X, memory=MEMORY, return_attention_scores=True)
    assert {str(ops.dtype(y)) for y in (output, maps)} == {"float32"}
