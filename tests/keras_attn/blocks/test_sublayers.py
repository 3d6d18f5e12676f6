"""Blocks of given sublayers: steps, copies, files, errors."""

from pathlib import Path

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn import (
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    LinearAttention,
    LocalAttention,
    MultiHeadAttention,
    RandomFeatureAttention,
    RMSNormalization,
)

SAVED = Path(__file__).parents[2] / "references" / "blocks.keras"
ATTENTIONS = {
    "full": lambda: MultiHeadAttention(2, 4, position="rotary"),
    "local": lambda: LocalAttention(2, 4, window=3),
    "itself": lambda: LocalAttention(2, 4, window=0),
    "wide": lambda: LocalAttention(2, 4, window=40),
    "linear": lambda: LinearAttention(2, 4),
    "random": lambda: RandomFeatureAttention(2, 4, num_features=9),
}
# Numbers of steps in each call, and how many of them count.
CALLS = [(5, 3), (1, 1), (17, 10), (1, 1), (8, 8)]


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def numpy(x):
    return ops.convert_to_numpy(ops.cast(x, "float32"))


def swiglu():
    return FeedForward(9, "swiglu", use_bias=False)


def jittered(block):
    block.set_weights([w + 0.3 * draw(*w.shape, seed=i) for i, w in enumerate(block.get_weights())])
    return block


@pytest.mark.quick(2)
@pytest.mark.parametrize("dtype", ["float32", "mixed_bfloat16"])
@pytest.mark.parametrize("name", ATTENTIONS)
def test_steps_give_the_whole_causal_sequence(name, dtype):
    options = {"feed_forward": swiglu(), "normalization": "rms", "pre_norm": True, "dtype": dtype}
    block, x = EncoderBlock(attention=ATTENTIONS[name](), **options), draw(3, 23, 8)
    block.build(x.shape)
    whole = numpy(jittered(block)(x, use_causal_mask=True))
    cache, actual, start = block.initial_cache(3, 32), [], 0
    for length, count in CALLS:
        part = draw(3, length, 8, seed=length)  # behind `count`, what the next call overwrites
        part[:, :count] = x[:, start : start + count]
        output, cache = block.step(ops.convert_to_tensor(part), cache, start, count=count)
        actual.append(numpy(output)[:, :count])
        start += count
    assert start == 23
    tolerance = 1e-5 if dtype == "float32" else 0.1
    np.testing.assert_allclose(np.concatenate(actual, axis=1), whole, atol=tolerance)


@pytest.mark.parametrize("name", ["local", "linear", "random"])
def test_steps_of_a_decoder_block(name):
    block = DecoderBlock(2, key_dim=4, attention=ATTENTIONS[name](), feed_forward=swiglu())
    x, memory = draw(3, 7, 8), draw(3, 5, 6, seed=1)
    whole = numpy(block(x, memory))
    cache, projected = block.initial_cache(3, 7), block.project_memory(memory)
    for t in range(7):
        output, cache, weights = block.step(x[:, t : t + 1], projected, cache, t)
        np.testing.assert_allclose(numpy(output)[:, 0], whole[:, t], atol=1e-5)
    assert tuple(weights.shape) == (3, 2, 1, 5)


def test_the_state_of_linear_attention_does_not_grow():
    sizes = {
        name: [
            sum(np.prod(x.shape) for x in keras.tree.flatten(block.initial_cache(1, length)))
            for length in (10, 1000)
        ]
        for name in ("full", "local", "linear", "random")
        for block in [EncoderBlock(attention=ATTENTIONS[name](), intermediate_dim=5)]
        if block.build((None, None, 8)) is None
    }
    assert sizes == {
        "full": [2 * 2 * 4 * 10, 2 * 2 * 4 * 1000],
        "local": [2 * 3 * 2 * 4] * 2,
        "linear": [2 * 4 * 5] * 2,
        "random": [2 * 9 * 5] * 2,
    }


@pytest.mark.parametrize("name", ATTENTIONS)
def test_a_row_without_anything_to_attend_to(name):
    block, x = EncoderBlock(attention=ATTENTIONS[name](), intermediate_dim=5), draw(2, 6, 8)
    block.build(x.shape)
    mask = np.array([[True] * 6, [False] * 6])
    context = block.attention(x, x, value_mask=mask)
    np.testing.assert_array_equal(numpy(context)[1], 0)  # the bias of the output is zero
    assert numpy(context)[0].any()
    assert np.isfinite(numpy(block(x, padding_mask=mask))).all()


def test_a_given_layer_is_not_changed_and_two_blocks_do_not_share_it():
    attention, feed_forward = LinearAttention(2, 4), swiglu()
    normalization = RMSNormalization(epsilon=0.01)
    options = {
        "attention": attention,
        "feed_forward": feed_forward,
        "normalization": normalization,
    }
    one, other = EncoderBlock(**options), EncoderBlock(**options)
    one(draw(2, 3, 8)), other(draw(2, 3, 8))
    assert not (attention.built or feed_forward.built or normalization.built)
    assert one.attention is not other.attention
    shared = {id(w) for w in one.weights} & {id(w) for w in other.weights}
    assert not shared and len(one.weights) == len(other.weights) == 2 + 2 + 8
    assert one.residuals[0] is not one.residuals[1]


def test_kernels_differ_though_the_given_layer_is_one():
    one, other = (EncoderBlock(attention=LINEAR, intermediate_dim=5) for _ in range(2))
    one(draw(2, 3, 8)), other(draw(2, 3, 8))
    assert np.abs(one.get_weights()[8] - other.get_weights()[8]).max() > 0.01


LINEAR = LinearAttention(2, 4)


def test_the_short_form_is_the_long_one():
    short = EncoderBlock(2, 13, activation="geglu", key_dim=4)
    long = EncoderBlock(attention=MultiHeadAttention(2, 4), feed_forward=FeedForward(13, "geglu"))
    x = draw(2, 5, 8)
    short.build(x.shape), long.build(x.shape)
    long.set_weights(short.get_weights())
    np.testing.assert_array_equal(numpy(long(x)), numpy(short(x)))


def test_any_keras_layer_can_be_the_feed_forward_network():
    block, x = EncoderBlock(2, feed_forward=keras.layers.Dense(8, "tanh")), draw(2, 5, 8)
    block(x, training=True)
    assert [tuple(w.shape) for w in block.weights[:2]] == [(8, 8), (8,)]
    again = EncoderBlock.from_config(block.get_config())
    again.build(x.shape)
    again.set_weights(block.get_weights())
    np.testing.assert_array_equal(numpy(again(x)), numpy(block(x)))


def test_a_sublayer_of_another_precision():
    attention = LinearAttention(2, 4, dtype="float32")
    block = EncoderBlock(attention=attention, intermediate_dim=5, dtype="mixed_bfloat16")
    x = draw(2, 5, 8)
    assert keras.backend.standardize_dtype(block(x, use_causal_mask=True).dtype) == "bfloat16"
    output, _ = block.step(ops.cast(x, "bfloat16"), block.initial_cache(2, 5), 0)
    assert keras.backend.standardize_dtype(output.dtype) == "bfloat16"


def test_the_file_of_the_blocks_as_they_were_before_they_took_sublayers():
    model = keras.models.load_model(SAVED)
    rng = np.random.default_rng(99)
    x = {
        "source": rng.normal(size=(2, 5, 6)).astype("float32"),
        "mask": np.array([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]], bool),
        "target": rng.normal(size=(2, 3, 6)).astype("float32"),
    }
    expected = [[-1.36576, -1.99106, -4.03248], [-4.99269, -2.00613, -2.39053]]
    np.testing.assert_allclose(numpy(model(x)).sum(-1), expected, atol=2e-5)
    names = [w.path.split("/", 1)[1] for w in model.weights if w.path.startswith("windowed/")]
    attention = [f"attention/{part}" for part in ("query", "key", "value", "attention_output")]
    kinds = [f"{part}/{kind}" for part in attention for kind in ("kernel", "bias")]
    assert names[-8:] == kinds and len(names) == 16


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: EncoderBlock(attention=keras.layers.Dense(3), intermediate_dim=3),
            r"attention must be a layer with the methods of keras_attn.SelfAttention; Dense lacks "
            r"call\(query, value, value_mask=None, use_causal_mask=False\), "
            r"initial_cache\(batch_size, max_length\) and step\(query, cache, index, count=None\)",
        ),
        (
            lambda: EncoderBlock(attention=keras.layers.MultiHeadAttention(2, 3), feed_forward=F),
            r"MultiHeadAttention lacks initial_cache\(.*\) and step\(.*\)\.",
        ),
        (
            lambda: EncoderBlock(attention="local", intermediate_dim=3),
            "attention must be a layer; received 'local'",
        ),
        (
            lambda: EncoderBlock(attention=LINEAR, num_heads=2, intermediate_dim=3),
            "attention replaces num_heads, .*; received num_heads=2",
        ),
        (
            lambda: EncoderBlock(LINEAR, 3),
            "num_heads must be an integer; received a LinearAttention: give a layer as attention",
        ),
        (
            lambda: DecoderBlock(2, 3, attention=LINEAR, position="alibi"),
            "attention replaces position, sliding_window; received position='alibi'",
        ),
        (
            lambda: EncoderBlock(2, 3, feed_forward=F),
            "feed_forward replaces intermediate_dim, .*; received intermediate_dim=3",
        ),
        (lambda: EncoderBlock(2), "EncoderBlock requires intermediate_dim, or a layer as feed_f"),
        (lambda: EncoderBlock(intermediate_dim=2), "EncoderBlock requires num_heads"),
        (lambda: DecoderBlock(attention=LINEAR, feed_forward=F), "DecoderBlock requires num_heads"),
        (
            lambda: EncoderBlock(2, 3, normalization="batch"),
            "normalization must be one of layer, rms, or a layer; received 'batch'",
        ),
        (
            lambda: EncoderBlock(2, 3, normalization=RMSNormalization(), epsilon=1.0),
            "epsilon is an option of normalization='layer' or 'rms', .*; received 1.0",
        ),
        (
            lambda: EncoderBlock(2, feed_forward=keras.Sequential([keras.Input((8,)), DENSE])),
            "feed_forward must be a layer without weights, .* received 'sequential.*', which has",
        ),
    ],
)  # fmt: skip
def test_what_a_block_does_not_take(make, message):
    with pytest.raises(ValueError, match=message):
        make()


F, DENSE = keras.layers.Dense(8), keras.layers.Dense(8)


def test_what_an_attention_does_not_have():
    block, x = EncoderBlock(attention=LINEAR, feed_forward=F), keras.Input((5, 8))
    for options in ({"attention_mask": np.ones((5, 5), bool)}, {"return_attention_scores": True}):
        (name,) = options
        with pytest.raises(ValueError, match=f"attention LinearAttention .* has no {name}"):
            block(x, **options)
    with pytest.raises(ValueError, match="LinearAttention of this block has no attention_mask"):
        block.build((None, None, 8))
        block.step(draw(1, 1, 8), block.initial_cache(1, 1), 0, np.ones((1, 1, 1), bool))


def test_a_sublayer_of_another_width():
    with pytest.raises(ValueError, match="must return the width of its input; .* 8 and 5"):
        EncoderBlock(2, feed_forward=keras.layers.Dense(5))(draw(1, 3, 8))
