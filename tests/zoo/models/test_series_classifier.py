"""The series classifier: standardization, missing values, and pooling over steps with values."""

import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from zoo.models.create import create_model
from zoo.models.standardization import Standardization

SIZES = {"context_length": 11, "num_channels": 2, "num_classes": 3, "hidden_dim": 6}
ENCODERS = ["rnn", "conv", "attention"]


def make(encoder, **options):
    options = {**SIZES, "num_layers": 2, "num_heads": 2, "encoder": encoder, **options}
    model = create_model("series_classifier", **options)
    rng = np.random.default_rng(11)
    model.set_weights([np.abs(w + rng.normal(0, 0.3, w.shape)) for w in model.get_weights()])
    return model


def values(rows=5, seed=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(7, 3, (rows, 11, 2))
    x[rng.random(x.shape) < 0.2] = np.nan
    return x.astype("float32")


def run(model, x):
    return ops.convert_to_numpy(model({"values": ops.convert_to_tensor(x)})["logits"])


def test_values_are_standardized_by_those_of_the_training_data():
    layer, parts = Standardization(), [values(seed=1)[0, :7], values(seed=2)[1]]
    parts[0][:, 1] = 4.0
    parts[1][:, 1] = 4.0
    layer.adapt(parts)
    every = np.concatenate(parts).astype("float64")
    x = values(seed=5)
    z, seen = map(ops.convert_to_numpy, layer(ops.convert_to_tensor(x)))
    expected = (x - np.nanmean(every, axis=0)) / [np.nanstd(every[:, 0]), 1.0]
    np.testing.assert_allclose(z, np.nan_to_num(expected), atol=1e-5)
    np.testing.assert_array_equal(seen, ~np.isnan(x))


def test_a_channel_without_values_is_left_as_it_is():
    layer = Standardization()
    layer.adapt([np.array([[1.0, np.nan], [5.0, np.nan]])])
    assert ops.convert_to_numpy(layer.mean).tolist() == [3, 0]
    assert ops.convert_to_numpy(layer.scale).tolist() == [2, 1]


@pytest.mark.parametrize("encoder", ENCODERS)
def test_the_head_reads_the_mean_and_the_maximum_over_steps_with_a_value(encoder):
    model, x = make(encoder), values()
    x[0, :6] = np.nan
    z, seen = model.standardize(ops.convert_to_tensor(x))
    steps, _ = model.encoder.steps(ops.concatenate([z, seen], axis=-1))
    steps, there = ops.convert_to_numpy(steps).astype("float64"), ~np.isnan(x).all(axis=-1)
    pooled = [np.r_[e[t].mean(axis=0), e[t].max(axis=0)] for e, t in zip(steps, there, strict=True)]
    kernel, bias = map(ops.convert_to_numpy, model.head.weights)
    np.testing.assert_allclose(run(model, x), np.stack(pooled) @ kernel + bias, rtol=1e-4)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_series_without_values_is_finite_and_alone_in_its_row(encoder):
    model, x = make(encoder), values()
    alone = run(model, x)
    x[3] = np.nan
    actual = run(model, x)
    bias = ops.convert_to_numpy(model.head.weights[1])
    np.testing.assert_allclose(actual[3], bias, rtol=1e-6)  # nothing is pooled
    np.testing.assert_allclose(np.delete(actual, 3, 0), np.delete(alone, 3, 0), rtol=1e-5)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_each_step_reads_earlier_and_later_ones(encoder):
    model, x = make(encoder), np.nan_to_num(values())

    def of(x):
        z, seen = model.standardize(ops.convert_to_tensor(x))
        return ops.convert_to_numpy(model.encoder.steps(ops.concatenate([z, seen], axis=-1))[0])

    before, changed = of(x), x.copy()
    changed[:, 5] += 1
    moved = np.abs(of(changed) - before).max(axis=(0, 2))
    assert moved[4] > 1e-4 and moved[6] > 1e-4


def test_mixed_precision_pools_in_float32():
    options = {**SIZES, "encoder": "conv", "num_layers": 2}
    exact = create_model("series_classifier", **options)
    mixed = create_model("series_classifier", **options, dtype="mixed_bfloat16")
    mixed.set_weights(exact.get_weights())
    actual = mixed({"values": ops.convert_to_tensor(values())})["logits"]
    assert actual.dtype == "float32"
    np.testing.assert_allclose(ops.convert_to_numpy(actual), run(exact, values()), atol=0.1)


def test_the_gradient_is_the_same_if_xla_compiles_it():
    """XLA may round what it computes twice in two ways; the maximum must not be lost by that."""
    model = create_model(
        "series_classifier",
        **{"context_length": 29, "num_channels": 1, "num_classes": 2, "hidden_dim": 8},
        num_layers=2,
        dropout=0.0,
    )
    x = tf.constant(np.random.default_rng(0).normal(size=(31, 29, 1)), "float32")
    y = np.arange(31) % 2

    def gradients(x):
        with tf.GradientTape() as tape:
            logits = model({"values": x}, training=True)["logits"]
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
        return tape.gradient(loss, model.trainable_weights)

    actual, expected = (tf.function(gradients, jit_compile=jit)(x) for jit in (True, False))
    for weight, a, b in zip(model.trainable_weights, actual, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4, err_msg=weight.path)
