"""The layers in place of Keras's: every argument, swapped by configuration, and weights files."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn import Attention, MultiHeadAttention


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def jittered(layer):
    layer.set_weights([0.4 * draw(*w.shape, seed=i) for i, w in enumerate(layer.weights)])
    return layer


def close(ours, theirs):
    for a, b in zip(keras.tree.flatten(ours), keras.tree.flatten(theirs), strict=True):
        np.testing.assert_allclose(
            ops.convert_to_numpy(a), ops.convert_to_numpy(b), rtol=1e-6, atol=5e-6
        )


OPTIONS = {
    "gate": ((5,), (7,), {"use_gate": True, "value_dim": 5, "output_shape": (2, 3)}),
    "regularizers": (
        (5,),
        (7,),
        {"kernel_regularizer": "l2", "bias_regularizer": "l1", "activity_regularizer": "l2"},
    ),
    "window": ((5,), (7,), {"sliding_window": 3}),
    "one axis of two": ((2, 5), (2, 7), {"attention_axes": -2, "use_gate": True}),
    "first axis": ((5, 2), (7, 2), {"attention_axes": (1,), "output_shape": (3, 2)}),
    "all axes": ((5, 2), (7, 3), {}),
    "axes in another order": ((5, 2, 2), (7, 2, 3), {"attention_axes": (3, 1)}),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_every_argument_does_what_it_does_in_keras(name):
    query_axes, value_axes, options = OPTIONS[name]
    query, value = draw(3, *query_axes, 11), draw(3, *value_axes, 3, seed=2)
    theirs = keras.layers.MultiHeadAttention(2, 13, **options)
    theirs.build(query.shape, value.shape)
    ours = MultiHeadAttention.from_config(theirs.get_config())
    ours.build(query.shape, value.shape)
    jittered(theirs)
    assert [w.path.split("/", 1)[1] for w in ours.weights] == [
        w.path.split("/", 1)[1] for w in theirs.weights
    ]
    ours.set_weights(theirs.get_weights())
    close(*(x(query, value, return_attention_scores=True) for x in (ours, theirs)))
    close(ours.losses, theirs.losses)
    shape = ours(query, value).shape
    assert ours.compute_output_shape(query.shape, value.shape) == tuple(shape)


def test_arguments_that_exclude_each_other():
    with pytest.raises(ValueError, match="flash_attention requires dropout=0"):
        MultiHeadAttention(2, 7, dropout=0.1, flash_attention=True)
    with pytest.raises(ValueError, match="attention_axes must be different axes from 1 to 2"):
        MultiHeadAttention(2, 7, attention_axes=(1, 1))(draw(3, 5, 2, 11), draw(3, 5, 2, 11))
    with pytest.raises(ValueError, match="use_causal_mask requires one attention axis"):
        x = draw(3, 5, 2, 11)
        MultiHeadAttention(2, 7)(x, x, use_causal_mask=True)
    with pytest.raises(ValueError, match="score replaces use_scale and score_mode"):
        Attention(use_scale=True, score="general")


def test_flash_attention_has_the_numbers_of_the_plain_form(monkeypatch):
    plain = ops.dot_product_attention
    monkeypatch.setattr(
        ops, "dot_product_attention", lambda *x, flash_attention, **k: plain(*x, **k)
    )
    query, value = draw(3, 5, 11), draw(3, 7, 3, seed=2)
    mask = np.random.default_rng(3).random((3, 5, 7)) > 0.5
    mask[1, 2] = False  # a query that may look nowhere
    options = {"num_key_value_heads": 1, "use_gate": True}
    flash = MultiHeadAttention(2, 13, flash_attention=True, **options)
    usual = MultiHeadAttention(2, 13, **options)
    flash(query, value), usual(query, value)
    usual.set_weights(jittered(flash).get_weights())
    close(*(x(query, value, attention_mask=mask) for x in (flash, usual)))


@pytest.mark.parametrize(
    ("theirs", "changes"),
    [
        (keras.layers.Attention(), {}),
        (keras.layers.Attention(use_scale=True), {}),
        (keras.layers.Attention(True, "concat", 0.2, 5), {}),
        (keras.layers.AdditiveAttention(), {"score_mode": "additive"}),
    ],
)
def test_attention_takes_lists_as_keras_does(theirs, changes):
    query, value, key = draw(3, 5, 11), draw(3, 7, 13, seed=2), draw(3, 7, 11, seed=3)
    ours = Attention.from_config({**theirs.get_config(), **changes})
    masks = [np.arange(5) < np.array([[5], [3], [1]]), np.arange(7) < np.array([[7], [2], [4]])]
    calls = {"mask": masks, "return_attention_scores": True, "use_causal_mask": True}
    ours([query, value, key]), theirs([query, value, key])
    ours.set_weights(jittered(theirs).get_weights())
    actual, expected = (x([query, value, key], **calls) for x in (ours, theirs))
    close(actual[0], expected[0])
    close(ours([query, value, key], masks), theirs([query, value, key], masks))


def swapped(layer):
    """What a user passes to `clone_model` as `clone_function`."""
    ours = {"MultiHeadAttention": MultiHeadAttention, "Attention": Attention}
    return ours.get(type(layer).__name__, type(layer)).from_config(layer.get_config())


def test_a_model_is_swapped_by_configuration_and_reads_the_weights_file(tmp_path):
    x = keras.Input((None, 11))
    y = keras.layers.MultiHeadAttention(2, 13, dropout=0.1, use_gate=True)(
        x, x, use_causal_mask=True
    )
    y = keras.layers.Attention(use_scale=True, score_mode="concat", dropout=0.1)([y, x])
    theirs = jittered(keras.Model(x, y))
    ours = keras.models.clone_model(theirs, clone_function=swapped)
    assert {MultiHeadAttention, Attention} <= {type(layer) for layer in ours.layers}
    theirs.save_weights(tmp_path / "x.weights.h5")
    ours.load_weights(tmp_path / "x.weights.h5")
    close(ours(draw(3, 5, 11)), theirs(draw(3, 5, 11)))
    jittered(ours).save_weights(tmp_path / "y.weights.h5")
    theirs.set_weights([0 * w for w in theirs.get_weights()])
    theirs.load_weights(tmp_path / "y.weights.h5")
    close(ours(draw(3, 5, 11)), theirs(draw(3, 5, 11)))


def test_weights_of_grouped_query_attention():
    theirs = keras.layers.GroupQueryAttention(13, 4, 2, use_gate=True)
    ours = MultiHeadAttention(4, 13, num_key_value_heads=2, use_gate=True)
    x = draw(3, 5, 11)
    theirs(x, x), ours(x, x)
    ours.set_weights(jittered(theirs).get_weights())
    close(ours(x, x), theirs(x, x))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:Layer .* does not have a `quantize` method")
def test_the_projections_have_lora_and_int8_as_in_keras():
    models, x = [], draw(3, 5, 11)
    for kind in (MultiHeadAttention, keras.layers.MultiHeadAttention):
        inputs, layer = keras.Input((None, 11)), kind(2, 13)
        models.append(jittered(keras.Model(inputs, layer(inputs, inputs))))
        layer.query_dense.enable_lora(2)
        layer.query_dense.lora_kernel_b.assign(0.3 * draw(2, 13))
        layer.query_dense.lora_kernel_a.assign(0.3 * draw(11, 2, 2))
    close(*(model(x) for model in models))
    before = ops.convert_to_numpy(models[0](x))
    for model in models:
        model.quantize("int8")
    close(*(model(x) for model in models))
    assert 0 < np.abs(ops.convert_to_numpy(models[0](x)) - before).max() < 0.2


BAD = [
    ((3, 11), (3, 11), {}, "query must be a float tensor"),
    ((3, 5, 11), (2, 7, 11), {}, "value must be .* with B=3"),
    (
        (3, 5, 11),
        (3, 7, 11),
        {"value_mask": np.ones((3, 5))},
        "value_mask must be .* with B=3, S=7",
    ),
    (
        (3, 5, 11),
        (3, 7, 11),
        {"attention_mask": np.ones((3, 5, 2))},
        "attention_mask must broadcast",
    ),
]


@pytest.mark.parametrize(("query", "value", "options", "message"), BAD)
@pytest.mark.parametrize("layer", [MultiHeadAttention(2, 7), Attention()], ids=["mha", "attention"])
def test_wrong_axes_name_the_argument(layer, query, value, options, message):
    with pytest.raises(ValueError, match=message):
        layer(draw(*query), draw(*value), **options)


@pytest.mark.parametrize("layer", [MultiHeadAttention(2, 7), Attention()], ids=["mha", "attention"])
def test_integers_and_a_wrong_width_name_the_argument(layer):
    x = draw(3, 5, 11)
    with pytest.raises(ValueError, match="value must be a float tensor .* received int32"):
        layer(x, np.ones((3, 7, 11), "int32"))
    layer(x, x)
    with pytest.raises(ValueError, match="width"):
        layer(draw(3, 5, 13), x)
