"""Heads that know positions, share keys and values, or see a window: whole, in steps, in halves."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.attention.scores import Score
from keras_attn.position.alibi import AlibiBias
from keras_attn.position.relative import ShawPositions
from keras_attn.position.rotary import RotaryPositions
from keras_attn.position.scheme import PositionScheme
from tests.oracles import attention as oracle

SEEN = np.random.default_rng(13).random((3, 5, 7)) > 0.4
SEEN[:, :, 0] = True
SEEN[1, 2] = False  # a query that may look nowhere


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


QUERY, VALUE, KEY = draw(3, 5, 11), draw(3, 7, 13, seed=2), draw(3, 7, 17, seed=3)


def numpy(x):
    return ops.convert_to_numpy(ops.cast(x, "float32"))


def build(layer, *inputs):
    layer.build(*(x.shape for x in inputs))
    layer.set_weights([0.4 * draw(*w.shape, seed=i) for i, w in enumerate(layer.weights)])
    return layer


# What the layer is given, and what its oracle is.
SCHEMES = {
    "rotary": (lambda: "rotary", ("rotary", {})),
    "halves": (lambda: RotaryPositions("halves", 500), ("rotary", {"layout": "halves"})),
    "alibi": (lambda: "alibi", ("alibi", {})),
    "shaw": (lambda: ShawPositions(2), ("shaw", {})),
    "none": (lambda: None, None),
}
SCHEMES["halves"][1][1]["max_wavelength"] = 500

OPTIONS = [
    *((name, {}) for name in SCHEMES),
    *((name, {"num_key_value_heads": 2}) for name in SCHEMES),
    *((name, {"num_key_value_heads": 1, "sliding_window": 3, "value_dim": 3}) for name in SCHEMES),
    *(("shaw", {"score": score}) for score in ("dot", "general", "additive", "concat", "cosine")),
    ("shaw", {"score": "additive", "num_key_value_heads": 2}),
    ("shaw", {"score": "exp_dot", "normalizer": "ratio"}),
    ("shaw", {"score": "exp_dot", "normalizer": "sigmoid"}),
    ("shaw", {"tie_key_value": True, "aggregate": "mean"}),
    ("rotary", {"tie_key_value": True, "normalizer": "entmax15"}),
    ("rotary", {"score": "additive"}),
    ("alibi", {"score": "general", "normalizer": "sparsemax"}),
    ("none", {"score": "concat", "num_key_value_heads": 2}),
    ("none", {"score": "exp_dot", "normalizer": "ratio", "num_key_value_heads": 1}),
    ("none", {"sliding_window": 1}),
]
NAMES = [f"{name} {options}" for name, options in OPTIONS]


def layer_of(name, options, **more):
    return MultiHeadAttention(4, 6, position=SCHEMES[name][0](), **options, **more)


@pytest.mark.quick(2)
@pytest.mark.parametrize(("name", "options"), OPTIONS, ids=NAMES)
def test_numbers(name, options):
    key = None if options.get("tie_key_value") else KEY
    layer = build(layer_of(name, options), QUERY, VALUE, *(() if key is None else (KEY,)))
    output, maps = layer(QUERY, VALUE, key, attention_mask=SEEN, return_attention_scores=True)
    chosen = {k: v for k, v in options.items() if k != "value_dim"} | {"position": SCHEMES[name][1]}
    expected = oracle.multi_head(layer.get_weights(), QUERY, VALUE, key, SEEN, **chosen)
    np.testing.assert_allclose(numpy(maps), expected[1], atol=1e-5)
    np.testing.assert_allclose(numpy(output), expected[0], atol=3e-5)
    assert (numpy(maps)[1, :, 2] == 0).all()


@pytest.mark.parametrize("name", ["rotary", "alibi", "shaw"])
def test_the_order_of_the_keys_matters(name):
    layer = build(layer_of(name, {}), QUERY, VALUE)
    there, back = (numpy(layer(QUERY, x)) for x in (VALUE, VALUE[:, ::-1].copy()))
    assert np.abs(there - back).max() > 1e-3
    layer = build(layer_of("none", {}), QUERY, VALUE)
    there, back = (numpy(layer(QUERY, x)) for x in (VALUE, VALUE[:, ::-1].copy()))
    np.testing.assert_allclose(there, back, atol=1e-5)


@pytest.mark.quick(2)
@pytest.mark.parametrize(("name", "options"), OPTIONS, ids=NAMES)
def test_steps_give_the_whole_causal_sequence(name, options):
    x = draw(3, 5, 11)
    layer = build(layer_of(name, options), x, x)
    whole = numpy(layer(x, x, use_causal_mask=True))

    def body(index, keys, values, outputs):
        query = ops.slice(ops.convert_to_tensor(x), (0, index, 0), (3, 1, 11))
        output, (keys, values) = layer.step(query, (keys, values), index)
        return index + 1, keys, values, ops.slice_update(outputs, (0, index, 0), output)

    start = (ops.convert_to_tensor(0, "int32"), *layer.initial_cache(3, 7), ops.zeros(whole.shape))
    *_, stepped = ops.while_loop(lambda index, *_: index < 5, body, start)
    np.testing.assert_allclose(numpy(stepped), whole, rtol=1e-6, atol=5e-6)


@pytest.mark.parametrize("name", SCHEMES)
def test_several_steps_at_a_time_give_the_same(name):
    x = draw(3, 7, 11)
    layer = build(layer_of(name, {"sliding_window": 4, "num_key_value_heads": 2}), x, x)
    whole, cache, stepped = numpy(layer(x, x, use_causal_mask=True)), layer.initial_cache(3, 8), []
    for start, end in [(0, 4), (4, 6), (6, 7)]:
        output, cache = layer.step(x[:, start:end], cache, start)
        stepped.append(numpy(output))
    np.testing.assert_allclose(np.concatenate(stepped, 1), whole, rtol=1e-6, atol=5e-6)
    assert tuple(cache[0].shape) == (3, 2, 8, 6)


@pytest.mark.parametrize("name", SCHEMES)
def test_queries_from_an_index_on_give_what_they_give_in_the_whole(name):
    layer = build(layer_of(name, {"sliding_window": 5}), VALUE, VALUE)
    whole = numpy(layer(VALUE, VALUE))
    keys, values = layer.project_keys_values(VALUE)
    output, _ = layer.attend(VALUE[:, 3:6], keys, values, start_index=3)
    np.testing.assert_allclose(numpy(output), whole[:, 3:6], rtol=1e-6, atol=5e-6)


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("lengths", [(0, 5), (1, 1), (1, 5), (5, 1), (3, 0)])
def test_any_length(name, lengths):
    layer = build(layer_of(name, {"sliding_window": 3, "num_key_value_heads": 2}), QUERY, QUERY)
    query, value = (draw(3, length, 11) for length in lengths)
    output = numpy(layer(query, value))
    assert output.shape == query.shape and np.isfinite(output).all()


@pytest.mark.quick(2)
@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("name", SCHEMES)
def test_half_precision(name, policy):
    x = draw(3, 5, 11)
    layer = build(layer_of(name, {"num_key_value_heads": 2}, dtype=policy), x, x)
    # The masked position overflows float16 in every product.
    huge = np.where(np.arange(5)[None, :, None] == 1, np.sign(x) * 3e3, x).astype("float32")
    keep = np.arange(5) != 1
    whole = numpy(layer(huge, huge, use_causal_mask=True, value_mask=np.stack([keep] * 3)))
    mask = oracle.causal(5)[None] & keep
    position = SCHEMES[name][1]
    expected, _ = oracle.multi_head(
        layer.get_weights(), x, x, mask=mask, position=position, num_key_value_heads=2
    )
    assert np.isfinite(whole).all()
    np.testing.assert_allclose(whole[:, keep], expected[:, keep], atol=0.1)
    cache = layer.initial_cache(3, 5)
    output, cache = layer.step(x[:, :1], cache, 0)
    dtypes = {keras.backend.standardize_dtype(y.dtype) for y in (output, *cache)}
    assert dtypes == {layer.compute_dtype}


def test_grouped_heads_take_keras_s_weights_and_give_its_numbers():
    options = dict(head_dim=6, num_query_heads=4, num_key_value_heads=2)
    twin = keras.layers.GroupQueryAttention(**options, sliding_window=3)
    twin.build(QUERY.shape, VALUE.shape, KEY.shape)
    layer = build(
        layer_of("none", {"num_key_value_heads": 2, "sliding_window": 3}), QUERY, VALUE, KEY
    )
    assert [w.shape for w in layer.weights] == [w.shape for w in twin.weights]
    twin.set_weights(layer.get_weights())
    seen = SEEN.copy()
    seen[1, 2, 2] = True  # Keras gives a query that may look nowhere the mean of all values
    options = dict(attention_mask=seen, return_attention_scores=True)
    ours, theirs = (x(QUERY, VALUE, key=KEY, **options) for x in (layer, twin))
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(numpy(a), numpy(b), rtol=1e-6, atol=5e-6)


def test_one_group_a_head_is_plain_attention():
    plain = build(layer_of("none", {}), QUERY, VALUE)
    grouped = build(layer_of("none", {"num_key_value_heads": 4}), QUERY, VALUE)
    np.testing.assert_array_equal(numpy(plain(QUERY, VALUE)), numpy(grouped(QUERY, VALUE)))


def test_a_score_of_one_s_own_meets_relative_keys_one_by_one():
    @keras.saving.register_keras_serializable(package="keras_attn_tests")
    class Distance(Score):
        def compare(self, query, prepared):
            apart = ops.expand_dims(query, -2) - ops.expand_dims(prepared, -3)
            return -ops.sum(apart * apart, axis=-1)

    oracle.SCORES["distance"] = lambda query, key: -((query - key) ** 2).sum()
    try:
        layer = build(layer_of("shaw", {"score": Distance()}), QUERY, VALUE)
        expected, _ = oracle.multi_head(
            layer.get_weights(), QUERY, VALUE, score="distance", position=("shaw", {})
        )
    finally:
        del oracle.SCORES["distance"]
    np.testing.assert_allclose(numpy(layer(QUERY, VALUE)), expected, atol=2e-5)


def test_positions_are_saved(tmp_path):
    query, value = keras.Input((None, 11)), keras.Input((None, 13))
    layers = [layer_of(name, {"num_key_value_heads": 2, "sliding_window": 4}) for name in SCHEMES]
    model = keras.Model([query, value], [layer(query, value) for layer in layers])
    model.set_weights([0.4 * draw(*w.shape, seed=i) for i, w in enumerate(model.weights)])
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    for a, b in zip(model([QUERY, VALUE]), again([QUERY, VALUE]), strict=True):
        np.testing.assert_array_equal(numpy(a), numpy(b))
    actual = [x.position for x in again.layers if isinstance(x, MultiHeadAttention)]
    assert [type(position) for position in actual] == [
        RotaryPositions, RotaryPositions, AlibiBias, ShawPositions, PositionScheme
    ]  # fmt: skip
    assert actual[1].layout == "halves" and actual[3].max_distance == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"position": "absolute"}, "position must be one of rotary, alibi, .*'absolute'"),
        ({"position": 3}, "position must be one of rotary, alibi, .*3"),
        ({"num_key_value_heads": 0}, "num_key_value_heads must be a positive integer.*0"),
        ({"num_key_value_heads": 3}, "num_key_value_heads must divide num_heads = 4; received 3"),
        ({"sliding_window": 0}, "sliding_window must be a positive integer; received 0"),
    ],
)
def test_bad_arguments_name_themselves(options, message):
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention(4, 6, **options)


def test_rotary_needs_an_even_width():
    with pytest.raises(ValueError, match="even width; received 7"):
        MultiHeadAttention(4, 7, position="rotary").build(QUERY.shape, VALUE.shape)
