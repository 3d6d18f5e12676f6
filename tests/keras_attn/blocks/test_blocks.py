"""What blocks do beyond the contract that every layer keeps: steps, maps, norms, dropout."""

import keras
import numpy as np
import pytest
from keras import ops

import keras_attn.attention.multi_head as multi_head_module
from keras_attn.blocks.decoder import DecoderBlock
from keras_attn.blocks.encoder import EncoderBlock
from keras_attn.blocks.feed_forward import FeedForward
from keras_attn.blocks.residual import Residual
from keras_attn.functional.masks import prefix_mask
from tests.oracles import blocks as oracle
from tests.oracles.attention import multi_head


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


X, MEMORY = draw(3, 5, 11), draw(3, 7, 13, seed=2)
MEMORY_MASK = np.arange(7) < np.array([7, 4, 1])[:, None]
PADDING_MASK = np.arange(5) < np.array([5, 3, 1])[:, None]


def build(layer, *inputs):
    layer.build(*(x.shape for x in inputs))
    layer.set_weights([0.4 * draw(*w.shape, seed=i) for i, w in enumerate(layer.weights)])
    return layer


def numpy(tree):
    return keras.tree.map_structure(ops.convert_to_numpy, tree)


OPTIONS = {
    "plain": {"key_dim": 3},
    "rotary": {"key_dim": 4, "position": "rotary", "num_key_value_heads": 1, "sliding_window": 3},
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("pre_norm", [False, True])
@pytest.mark.parametrize("options", OPTIONS)
def test_steps_are_the_whole_sequence(options, pre_norm, masked):
    block = build(DecoderBlock(2, 29, pre_norm=pre_norm, **OPTIONS[options]), X, MEMORY)
    mask = MEMORY_MASK if masked else None
    whole, _, maps = numpy(block(X, MEMORY, memory_mask=mask, return_attention_scores=True))
    projected, cache = block.project_memory(MEMORY), block.initial_cache(3, 6)
    for t in range(5):
        y, cache, weights = block.step(X[:, t : t + 1], projected, cache, t, memory_mask=mask)
        np.testing.assert_allclose(numpy(y)[:, 0], whole[:, t], rtol=1e-6, atol=5e-6)
        np.testing.assert_allclose(numpy(weights)[:, :, 0], maps[:, :, t], rtol=1e-6, atol=5e-6)
    # Attention that is spread out, or a mask that is dropped could not show.
    assert maps.std(axis=-1).mean() > 0.05
    assert not masked or (maps[1, :, :, 4:] == 0).all()


def test_a_step_may_be_numbered_by_a_tensor():
    block = build(DecoderBlock(2, 29, key_dim=3), X, MEMORY)
    projected, cache = block.project_memory(MEMORY), block.initial_cache(3, 5)
    by_int = block.step(X[:, :1], projected, cache, 2)
    by_tensor = block.step(X[:, :1], projected, cache, ops.convert_to_tensor(2, "int32"))
    keras.tree.map_structure(np.testing.assert_array_equal, numpy(by_int), numpy(by_tensor))


@pytest.mark.parametrize("masked", [False, True])
def test_long_sequences_are_attended_to_in_blocks(monkeypatch, masked):
    encoder = build(EncoderBlock(2, 29, key_dim=3), X)
    decoder = build(DecoderBlock(2, 29, key_dim=3), X, MEMORY)
    masks = {"padding_mask": PADDING_MASK, "memory_mask": MEMORY_MASK} if masked else {}

    def outputs():
        encoded = encoder(X, padding_mask=masks.get("padding_mask"))
        return numpy([encoded, decoder(X, MEMORY, **masks)])

    expected, asked = outputs(), []
    monkeypatch.setattr(multi_head_module, "pays_in_blocks", lambda *_: asked.append(True) or True)
    for actual, whole in zip(outputs(), expected, strict=True):
        np.testing.assert_allclose(actual, whole, atol=1e-5)
    assert len(asked) == 3


@pytest.mark.parametrize("pre_norm", [False, True])
def test_an_encoder_gives_the_maps_of_its_attention(pre_norm):
    block = build(EncoderBlock(2, 29, key_dim=3, pre_norm=pre_norm), X)
    _, maps = block(X, padding_mask=PADDING_MASK, return_attention_scores=True)
    weights = block.get_weights()
    x = np.where(PADDING_MASK[..., None], X, 0)
    x = oracle.layer_norm(x, *weights[4:6]) if pre_norm else x
    seen = np.broadcast_to(PADDING_MASK[:, None], (3, 5, 5))
    _, expected = multi_head(weights[8:], x, x, mask=seen)
    np.testing.assert_allclose(numpy(maps), expected, rtol=1e-6, atol=5e-6)


def test_a_decoder_gives_the_maps_over_itself_and_over_its_memory():
    block = build(DecoderBlock(2, 29, key_dim=3), X, MEMORY)
    _, of_self, of_cross = block(X, MEMORY, memory_mask=MEMORY_MASK, return_attention_scores=True)
    feeding, norms, attending = np.split(np.arange(26), [4, 10])
    assert (len(feeding), len(norms), len(attending)) == (4, 6, 16)
    weights = block.get_weights()
    past = np.broadcast_to(np.tri(5, dtype=bool), (3, 5, 5))
    changed, expected = multi_head(weights[10:18], X, X, mask=past)
    np.testing.assert_allclose(numpy(of_self), expected, rtol=1e-6, atol=5e-6)
    x = oracle.layer_norm(X + changed, *weights[4:6])
    seen = np.broadcast_to(MEMORY_MASK[:, None], (3, 5, 7))
    _, expected = multi_head(weights[18:], x, MEMORY, mask=seen)
    np.testing.assert_allclose(numpy(of_cross), expected, rtol=1e-6, atol=5e-6)


def test_pre_norm_lets_the_input_through_and_post_norm_normalizes_it():
    """With sublayers that add nothing, what is left is the residual connection itself."""
    for pre_norm in (False, True):
        block = EncoderBlock(1, 29, pre_norm=pre_norm)
        block.build(X.shape)
        block.set_weights([w * (w == 1) for w in block.get_weights()])  # norms of scale 1 stay
        once = oracle.layer_norm(X, 1, 0)
        expected = X if pre_norm else oracle.layer_norm(once, 1, 0)
        np.testing.assert_allclose(numpy(block(X)), expected, atol=1e-5)


def test_gate_and_value_of_a_linear_unit():
    layer = FeedForward(2, "glu")
    layer.build((None, None, 1))
    # x -> value (x, 3x), gate (0, ln 3): shares 1/2 and 3/4.
    kernel, bias = np.array([[1.0, 3.0, 0.0, 0.0]]), np.array([0.0, 0.0, 0.0, np.log(3.0)])
    layer.set_weights([kernel, bias, np.array([[10.0], [1.0]]), np.array([0.5])])
    got = numpy(layer(np.array([[[2.0]]], "float32")))
    np.testing.assert_allclose(got, [[[10 * 2 / 2 + 6 * 3 / 4 + 0.5]]], rtol=1e-6)


@pytest.mark.parametrize(
    ("activation", "expected"), [("gelu", -2 * 0.022750131948), ("gelu_tanh", -0.0454023059)]
)
def test_gelu_is_exact_or_by_tanh(activation, expected):
    layer = FeedForward(1, activation)
    layer.build((None, None, 1))
    layer.set_weights([np.ones((1, 1)), np.zeros(1), np.ones((1, 1)), np.zeros(1)])
    got = numpy(layer(np.array([[[-2.0]]], "float32")))
    np.testing.assert_allclose(got, [[[expected]]], rtol=1e-5)


@pytest.mark.parametrize("options", [{}, {"pre_norm": True, "position": "rotary"}], ids=str)
def test_steps_of_a_causal_encoder_block_are_the_whole_pass(options):
    block = EncoderBlock(num_heads=2, intermediate_dim=13, **options)
    x = np.random.default_rng(0).normal(size=(3, 7, 12)).astype("float32")
    block.build(x.shape)
    for number, weight in enumerate(block.weights):
        weight.assign(0.4 * np.random.default_rng(number).normal(size=weight.shape))
    whole = numpy(block(x, use_causal_mask=True))
    triangle = np.tril(np.ones((1, 7, 7), bool))
    np.testing.assert_allclose(
        whole, numpy(block(x, attention_mask=triangle)), rtol=1e-6, atol=5e-6
    )
    assert np.abs(whole - numpy(block(x))).max() > 1e-2
    cache = block.initial_cache(3, 9)
    several, cache = block.step(x[:, :3], cache, 0)
    actual = [numpy(several)]
    for t in range(3, 7):
        one, cache = block.step(x[:, t : t + 1], cache, t)
        actual.append(numpy(one))
    np.testing.assert_allclose(np.concatenate(actual, axis=1), whole, atol=5e-6)


def test_steps_of_an_encoder_block_behind_a_prefix():
    block = build(EncoderBlock(2, 29, key_dim=3), X)
    real = np.ones((3, 5), bool)
    real[1, 0] = False
    seen = numpy(prefix_mask([3], 5)) & real[:, None]
    whole = numpy(block(X, attention_mask=seen))
    prefix, cache = block.step(X[:, :3], block.initial_cache(3, 5), 0, seen[:, :3])
    rest, cache = block.step(X[:, 3:], cache, 3, seen[:, 3:])
    actual = np.concatenate([numpy(prefix), numpy(rest)], axis=1)
    np.testing.assert_allclose(actual, whole, atol=5e-6)


@pytest.mark.quick(2)
@pytest.mark.parametrize("which", ["dropout", "attention_dropout", "activation_dropout"])
@pytest.mark.parametrize("kind", [EncoderBlock, DecoderBlock])
def test_dropout_acts_in_training_alone(kind, which):
    inputs = [X] if kind is EncoderBlock else [X, MEMORY]
    dropping, plain = kind(2, 29, key_dim=3, **{which: 0.5}), kind(2, 29, key_dim=3)
    build(dropping, *inputs), build(plain, *inputs)
    expected = numpy(plain(*inputs))
    np.testing.assert_array_equal(numpy(dropping(*inputs)), expected)
    assert np.abs(numpy(dropping(*inputs, training=True)) - expected).max() > 0.01


def test_a_residual_drops_what_is_added_and_not_what_entered():
    layer = Residual(pre_norm=True, dropout=0.5)
    layer.build((1, 1, 1000))
    x, change = np.full((1, 1, 1000), 3.0, "float32"), np.ones((1, 1, 1000), "float32")
    got = numpy(layer(x, change, training=True))
    assert set(np.unique(got)) == {3.0, 5.0}  # kept changes count double
    assert 400 < (got == 5).sum() < 600


def test_heads_share_the_width_unless_told_otherwise():
    block = DecoderBlock(2, 29)
    block.build((None, None, 14), (None, None, 13))
    assert block.self_attention.key_dim == block.cross_attention.key_dim == 7


@pytest.mark.parametrize("kind", [EncoderBlock, DecoderBlock])
def test_attentions_without_biases(kind):
    """Give what those with biases of zero do."""
    inputs = [X] if kind is EncoderBlock else [X, MEMORY]
    with_biases, without = (
        build(kind(2, 29, key_dim=3, attention_bias=each), *inputs) for each in (True, False)
    )
    attentions = 1 if kind is EncoderBlock else 2
    assert len(with_biases.weights) - len(without.weights) == 4 * attentions
    copied = iter(without.weights)
    for weight in with_biases.weights:
        of_attention = weight.name == "bias" and "attention" in weight.path
        weight.assign(ops.zeros_like(weight) if of_attention else next(copied))
    np.testing.assert_allclose(numpy(without(*inputs)), numpy(with_biases(*inputs)), atol=1e-6)
    again = kind.from_config(without.get_config())
    assert again.attention_bias is False


@pytest.mark.parametrize("kind", [EncoderBlock, DecoderBlock])
def test_heads_that_do_not_divide_the_width(kind):
    inputs = [X] if kind is EncoderBlock else [X, MEMORY]
    with pytest.raises(ValueError, match=r"num_heads must divide the width 11 .* received 2"):
        kind(2, 29)(*inputs)


@pytest.mark.parametrize("kind", [EncoderBlock, DecoderBlock])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"activation": "tanh"},
            "activation must be one of relu, gelu, gelu_tanh, glu, swiglu, geglu, geglu_tanh; "
            "received 'tanh'",
        ),
        ({"intermediate_dim": 0}, "intermediate_dim must be a positive integer; received 0"),
        ({"num_heads": 0}, "num_heads must divide the width 11 .*; received 0"),
        ({"key_dim": 0}, "key_dim must be a positive integer"),
    ],
)
def test_bad_arguments_name_themselves(kind, options, message):
    inputs = [X] if kind is EncoderBlock else [X, MEMORY]
    with pytest.raises(ValueError, match=message):
        kind(**{"num_heads": 1, "intermediate_dim": 29, **options})(*inputs)
