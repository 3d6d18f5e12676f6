"""Attention of many heads against NumPy float64, against Keras, and step by step."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.attention.projection import Projection
from keras_attn.functional.masks import prefix_mask
from tests.gradients import value_and_gradient
from tests.oracles import attention as oracle

MASK = np.random.default_rng(13).random((3, 5, 7)) > 0.4
MASK[:, :, 0] = True
BLIND = MASK.copy()
BLIND[1, 2] = False  # a query that may look nowhere


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


QUERY, VALUE, KEY = draw(3, 5, 11), draw(3, 7, 13, seed=2), draw(3, 7, 17, seed=3)


def numpy(tree):
    return keras.tree.map_structure(ops.convert_to_numpy, tree)


def build(layer, *inputs):
    layer.build(*(x.shape for x in inputs))
    layer.set_weights([0.4 * draw(*w.shape, seed=i) for i, w in enumerate(layer.weights)])
    return layer


OPTIONS = [
    {},
    {"value_dim": 3, "use_bias": False},
    {"output_shape": 19},
    {"aggregate": "concat", "value_dim": 3},
    {"aggregate": "mean", "value_dim": 3},
    {"aggregate": "mean", "normalizer": "entmax15"},
    *({"score": score} for score in sorted(oracle.SCORES)),
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_numbers(options):
    layer = build(MultiHeadAttention(2, 7, **options), QUERY, VALUE, KEY)
    got = layer(QUERY, VALUE, KEY, attention_mask=BLIND, return_attention_scores=True)
    oracle_options = {k: v for k, v in options.items() if k not in ("value_dim", "output_shape")}
    expected = oracle.multi_head(layer.get_weights(), QUERY, VALUE, KEY, BLIND, **oracle_options)
    np.testing.assert_allclose(numpy(got[0]), expected[0], atol=2e-5)
    np.testing.assert_allclose(numpy(got[1]), expected[1], atol=1e-5)
    assert (numpy(got[1])[1, :, 2] == 0).all()


@pytest.mark.parametrize("with_key", [False, True])
def test_tied_values_are_projected_by_the_keys_weights(with_key):
    key = draw(3, 7, 13, seed=4) if with_key else None
    layer = build(MultiHeadAttention(2, 7, tie_key_value=True), QUERY, VALUE)
    assert len(layer.weights) == 6
    expected, _ = oracle.multi_head(layer.get_weights(), QUERY, VALUE, key, tie_key_value=True)
    np.testing.assert_allclose(numpy(layer(QUERY, VALUE, key)), expected, atol=1e-5)


def keras_twin(layer, *inputs, **options):
    twin = keras.layers.MultiHeadAttention(2, 7, **options)
    twin.build(*(x.shape for x in inputs))
    assert [w.shape for w in twin.weights] == [w.shape for w in layer.weights]
    twin.set_weights(layer.get_weights())
    return twin


@pytest.mark.parametrize("maps", [False, True])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("mask", [None, MASK, MASK[:, :1], MASK[:1], MASK[0]])
def test_keras_s_weights_give_keras_s_numbers(mask, causal, maps):
    layer = build(MultiHeadAttention(2, 7), QUERY, VALUE, KEY)
    twin = keras_twin(layer, QUERY, VALUE, KEY)
    options = dict(attention_mask=mask, use_causal_mask=causal, return_attention_scores=maps)
    ours = numpy(layer(QUERY, VALUE, KEY, **options))
    theirs = numpy(twin(QUERY, VALUE, KEY, **options))
    keras.tree.map_structure(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6, atol=5e-6), ours, theirs
    )


def test_keras_s_weights_of_other_sizes_give_keras_s_numbers():
    options = dict(value_dim=3, use_bias=False, output_shape=19)
    layer = build(MultiHeadAttention(2, 7, **options), QUERY, VALUE)
    twin = keras_twin(layer, QUERY, VALUE, **options)
    # With maps, because without them Keras on JAX refuses values of another width than keys.
    ours, theirs = (numpy(x(QUERY, VALUE, return_attention_scores=True)) for x in (layer, twin))
    keras.tree.map_structure(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6, atol=5e-6), ours, theirs
    )


def test_keras_s_implicit_masks_do_what_they_do_in_keras():
    ids = np.array([[3, 5, 0, 0, 0], [2, 3, 5, 7, 0], [11, 3, 2, 5, 7]])
    source = np.array([[3, 5, 2], [2, 0, 0], [11, 3, 0]])
    embed = keras.layers.Embedding(17, 11, mask_zero=True)
    layer = build(MultiHeadAttention(2, 7), draw(3, 5, 11), draw(3, 3, 11), draw(3, 3, 11))
    twin = keras_twin(layer, draw(3, 5, 11), draw(3, 3, 11), draw(3, 3, 11))
    key_ids = np.array([[2, 0, 3], [5, 0, 2], [3, 2, 11]])
    for key in (None, embed(key_ids)):
        ours, theirs = (mha(embed(ids), embed(source), key) for mha in (layer, twin))
        # Padded queries are left out: Keras gives them whatever comes.
        np.testing.assert_allclose(
            numpy(ours)[ids != 0], numpy(theirs)[ids != 0], rtol=1e-6, atol=5e-6
        )
        np.testing.assert_array_equal(numpy(ours._keras_mask), ids != 0)


def test_a_mask_may_differ_by_head():
    mask = np.random.default_rng(5).random((3, 2, 5, 7)) > 0.5
    layer = build(MultiHeadAttention(2, 7), QUERY, VALUE)
    of_value = np.random.default_rng(6).random((3, 7)) > 0.3
    got = layer(QUERY, VALUE, attention_mask=mask, value_mask=of_value)
    both = mask & of_value[:, None, None]
    expected, _ = oracle.multi_head(layer.get_weights(), QUERY, VALUE, mask=both)
    np.testing.assert_allclose(numpy(got), expected, atol=1e-5)


def test_a_query_that_may_look_nowhere_gets_the_output_bias():
    layer = build(MultiHeadAttention(2, 7), QUERY, VALUE)
    got = numpy(layer(QUERY, VALUE, attention_mask=BLIND))
    np.testing.assert_array_equal(got[1, 2], layer.get_weights()[-1])


@pytest.mark.parametrize("mask", [None, BLIND])
def test_maps_change_no_output(mask):
    layer = build(MultiHeadAttention(2, 7), QUERY, VALUE)
    plain = layer(QUERY, VALUE, attention_mask=mask)
    with_maps, _ = layer(QUERY, VALUE, attention_mask=mask, return_attention_scores=True)
    np.testing.assert_array_equal(numpy(plain), numpy(with_maps))


def test_dropout_falls_on_the_weights():
    x = draw(3, 5, 14)
    layer = MultiHeadAttention(2, 7, dropout=0.5, use_bias=False, aggregate="mean")
    layer.build(x.shape, x.shape)
    calm, wild = numpy(layer(x, x)), numpy(layer(x, x, training=True))
    assert np.abs(calm - wild).max() > 0.01
    weights = numpy(layer(x, x, training=True, return_attention_scores=True)[1])
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)  # the maps, before dropout


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"value_dim": 3, "aggregate": "concat"},
        {"tie_key_value": True, "aggregate": "mean"},
        {"score": "additive", "normalizer": "sparsemax"},
        {"score": "cosine"},
    ],
    ids=str,
)
def test_steps_give_the_whole_causal_sequence(options):
    x = draw(3, 5, 11)
    layer = build(MultiHeadAttention(2, 7, **options), x, x)
    whole = numpy(layer(x, x, use_causal_mask=True))
    length = ops.shape(x)[1]

    def body(index, keys, values, outputs):
        query = ops.slice(ops.convert_to_tensor(x), (0, index, 0), (3, 1, 11))
        output, (keys, values) = layer.step(query, (keys, values), index)
        return index + 1, keys, values, ops.slice_update(outputs, (0, index, 0), output)

    start = (ops.convert_to_tensor(0, "int32"), *layer.initial_cache(3, 7), ops.zeros(whole.shape))
    *_, stepped = ops.while_loop(lambda index, *_: index < length, body, start)
    np.testing.assert_allclose(numpy(stepped), whole, rtol=1e-6, atol=5e-6)


@pytest.mark.parametrize("position", [None, "rotary", "alibi"])
def test_steps_behind_a_prefix_that_sees_itself_whole(position):
    x, real = draw(3, 7, 11), np.ones((3, 9), bool)
    real[1, :2], real[2, 0] = False, False  # padding in front
    layer = build(MultiHeadAttention(2, 6, position=position), x, x)
    seen = np.pad(numpy(prefix_mask([4], 7)), [(0, 0), (0, 0), (0, 2)]) & real[:, None]
    whole = numpy(layer(x, x, attention_mask=seen[:, :, :7]))
    cache = layer.initial_cache(3, 9)
    prefix, cache = layer.step(x[:, :4], cache, 0, seen[:, :4])
    several, cache = layer.step(x[:, 4:6], cache, 4, seen[:, 4:6])
    last, cache = layer.step(x[:, 6:], cache, ops.convert_to_tensor(6, "int32"), seen[:, 6:])
    actual = np.concatenate(numpy([prefix, several, last]), axis=1)
    np.testing.assert_allclose(actual, whole, rtol=1e-6, atol=5e-6)


def test_keys_and_values_projected_once_give_the_same():
    layer = build(MultiHeadAttention(2, 7), QUERY, VALUE, KEY)
    whole = numpy(layer(QUERY, VALUE, KEY, attention_mask=BLIND))
    keys, values = layer.project_keys_values(VALUE, KEY)
    assert tuple(keys.shape) == tuple(values.shape) == (3, 2, 7, 7)
    for t in range(5):
        output, weights = layer.attend(QUERY[:, t : t + 1], keys, values, BLIND[:, t : t + 1])
        np.testing.assert_allclose(numpy(output)[:, 0], whole[:, t], rtol=1e-6, atol=5e-6)
        assert tuple(weights.shape) == (3, 2, 1, 7)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_half_precision_holds_inside_and_outside_of_a_call(policy):
    x = draw(3, 5, 11)
    layer = build(MultiHeadAttention(2, 7, dtype=policy), x, x)
    whole = layer(x, x, use_causal_mask=True)
    expected, _ = oracle.multi_head(layer.get_weights(), x, x, mask=oracle.causal(5)[None])
    np.testing.assert_allclose(numpy(ops.cast(whole, "float32")), expected, atol=0.1)
    cache = layer.initial_cache(3, 5)
    for t in range(5):
        output, cache = layer.step(x[:, t : t + 1], cache, t)
        dtypes = {keras.backend.standardize_dtype(y.dtype) for y in (output, *cache, whole)}
        assert dtypes == {layer.compute_dtype}
        got, same = (numpy(ops.cast(y, "float32")) for y in (output[:, 0], whole[:, t]))
        np.testing.assert_allclose(got, same, atol=0.05)


@pytest.mark.parametrize("jit_compile", [False, True])
def test_gradients_are_finite_where_nothing_is_open(jit_compile):
    layer = build(MultiHeadAttention(2, 7, aggregate="concat"), QUERY, VALUE)
    _, gradient = value_and_gradient(
        lambda q: ops.sum(layer(q, VALUE, attention_mask=BLIND) ** 2), QUERY, jit_compile
    )
    assert np.isfinite(gradient).all() and (gradient[1, 2] == 0).all() and (gradient != 0).any()


@pytest.mark.parametrize("aggregate", ["project", "concat", "mean"])
def test_symbolic_shapes(aggregate):
    query, value = keras.Input((None, 11)), keras.Input((None, 13))
    layer = MultiHeadAttention(2, 7, value_dim=3, aggregate=aggregate)
    output, weights = layer(query, value, return_attention_scores=True)
    assert tuple(output.shape) == (None, None, {"project": 11, "concat": 6, "mean": 3}[aggregate])
    assert tuple(weights.shape) == (None, 2, None, None)


def test_kernels_are_initialized_by_their_true_fan():
    projection = Projection((8, 32), kernel_initializer="glorot_uniform")
    projection.build((None, None, 256))
    limit = np.sqrt(6 / (256 + 8 * 32))
    kernel = projection.get_weights()[0]
    assert 0.98 * limit < np.abs(kernel).max() <= limit
    layer = MultiHeadAttention(2, 7)
    layer.build((None, None, 11), (None, None, 11))
    query_kernel, _, key_kernel, *_ = layer.get_weights()
    assert np.abs(query_kernel - key_kernel).max() > 0.01


def test_config_holds_every_argument():
    options = dict(num_heads=2, key_dim=7, value_dim=3, dropout=0.1, use_bias=False)
    options |= dict(output_shape=(19,), score="additive", normalizer="entmax15")
    layer = MultiHeadAttention(**options, kernel_initializer="he_normal", bias_initializer="ones")
    config = layer.get_config()
    assert {name: config[name] for name in options} == options
    assert config["kernel_initializer"]["class_name"] == "HeNormal"
    assert config["bias_initializer"]["class_name"] == "Ones"
    again = MultiHeadAttention.from_config(config)
    assert again.get_config() == config
    build(layer, QUERY, VALUE), build(again, QUERY, VALUE)
    np.testing.assert_array_equal(numpy(again(QUERY, VALUE)), numpy(layer(QUERY, VALUE)))
    tied = MultiHeadAttention(2, 7, tie_key_value=True, aggregate="mean").get_config()
    assert (tied["tie_key_value"], tied["aggregate"]) == (True, "mean")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_heads": 0}, "num_heads must be a positive integer.*0"),
        ({"output_shape": 0}, "output_shape must be a positive integer.*0"),
        ({"aggregate": "sum"}, "aggregate must be one of project, concat, mean.*'sum'"),
        ({"aggregate": "mean", "output_shape": 3}, "output_shape requires aggregate='project'"),
        ({"tie_key_value": True, "value_dim": 3}, "tie_key_value requires value_dim = key_dim.*3"),
        ({"score": "euclid"}, "score must be one of"),
        ({"dropout": -1}, "dropout must be at least 0"),
    ],
)
def test_bad_arguments_name_themselves(options, message):
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention(**{"num_heads": 2, "key_dim": 7, **options})


def test_tied_widths_must_agree():
    with pytest.raises(ValueError, match="requires value and key of equal width.*13 and 17"):
        MultiHeadAttention(2, 7, tie_key_value=True)(QUERY, VALUE, KEY)
