import keras
import numpy as np
import pytest

import zoo
from zoo.errors import UserError
from zoo.training.compiling import compile_model
from zoo.training.optimizer import adam, sgd
from zoo.training.schedule import LinearSchedule


def test_two_updates_are_those_of_the_paper():
    rate, beta_1, beta_2, epsilon = 0.01, 0.9, 0.98, 1e-9
    weight = keras.Variable(np.array([0.5, -2.0, 3.0], "float32"))
    optimizer = adam(rate)
    expected, m, v = np.array([0.5, -2.0, 3.0]), np.zeros(3), np.zeros(3)
    for t, gradient in enumerate([np.array([1.0, -0.1, 7.0]), np.array([0.3, 0.4, -5.0])], 1):
        optimizer.apply([gradient.astype("float32")], [weight])
        m = beta_1 * m + (1 - beta_1) * gradient
        v = beta_2 * v + (1 - beta_2) * gradient**2
        step = np.sqrt(1 - beta_2**t) / (1 - beta_1**t)
        expected -= rate * step * m / (np.sqrt(v) + epsilon)
    np.testing.assert_allclose(keras.ops.convert_to_numpy(weight), expected, rtol=1e-5)


@pytest.mark.parametrize("policy", ["float32", "mixed_float16", "mixed_bfloat16"])
def test_clipping_means_the_same_in_every_precision(policy):
    # The gradient's norm is far above 0.25 with or without a loss scale of 32768. What Adam takes
    # as its first moment is 0.1 g, so its norm tells which gradient arrived.
    keras.utils.set_random_seed(3)
    model = keras.Sequential(
        [keras.Input((5,)), keras.layers.Dense(1, dtype=keras.DTypePolicy(policy), name="dense")]
    )
    compile_model(model, adam(1e-3, clipnorm=0.25), "mse", jit_compile=True)
    x = np.random.default_rng(1).normal(size=(7, 5)).astype("float32")
    for _ in range(8):  # the loss scale may have to come down first
        model.train_on_batch(x, 3.0 + x[:, :1])
        inner = getattr(model.optimizer, "inner_optimizer", model.optimizer)
        if int(inner.iterations):
            break
    scaled = isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer)
    assert scaled == (policy == "mixed_float16")
    moments = [keras.ops.convert_to_numpy(v) for v in inner.variables if "momentum" in v.path]
    norm = np.sqrt(sum(np.sum(moment.astype("float64") ** 2) for moment in moments))
    assert len(moments) == 2
    np.testing.assert_allclose(norm, 0.1 * 0.25, rtol=1e-3)


def test_bad_clipnorm_is_named():
    with pytest.raises(ValueError, match="`clipnorm` must be above 0 or None, got -1"):
        adam(0.1, clipnorm=-1)


def test_it_is_keras_adamw_where_that_decays_alike():
    rng = np.random.default_rng(5)
    weights = [
        [keras.Variable(start.copy(), name=name) for name, start in zip("ab", starts, strict=True)]
        for starts in [[rng.normal(size=(3, 5)), rng.normal(size=7)]] * 2
    ]
    common = {"beta_1": 0.9, "beta_2": 0.98, "epsilon": 1e-9, "global_clipnorm": 0.5}
    theirs = keras.optimizers.AdamW(LinearSchedule(0.1, 2, 9), weight_decay=0.3, **common)
    ours = adam(LinearSchedule(0.1, 2, 9), clipnorm=0.5, decay=0.3)
    for _ in range(6):
        gradients = [rng.normal(size=weight.shape).astype("float32") for weight in weights[0]]
        ours.apply(gradients, weights[0])
        theirs.apply(gradients, weights[1])
    for a, b in zip(*weights, strict=True):
        np.testing.assert_allclose(*map(keras.ops.convert_to_numpy, (a, b)), rtol=1e-5)


def test_each_weight_learns_at_its_rate_and_biases_do_not_decay():
    dense = keras.layers.Dense(3, name="dense", bias_initializer="ones")
    dense.build((None, 2))
    before = [keras.ops.convert_to_numpy(weight) for weight in dense.weights]
    optimizer = adam(0.1, decay=0.5, rates={dense.kernel.path: 0.2})
    optimizer.apply([np.zeros(weight.shape, "float32") for weight in before], dense.weights)
    kernel, bias = (keras.ops.convert_to_numpy(weight) for weight in dense.weights)
    np.testing.assert_allclose(kernel, before[0] * (1 - 0.1 * 0.5 * 0.2), rtol=1e-6)
    np.testing.assert_array_equal(bias, before[1])
    optimizer.apply([np.full(weight.shape, 2.0, "float32") for weight in before], dense.weights)
    # Second update after a gradient of zero: m / sqrt(v) c = 0.1 sqrt(0.0396) / (0.19 sqrt(0.02)).
    step = 0.1 * np.sqrt(1 - 0.98**2) / ((1 - 0.9**2) * np.sqrt(0.02))
    np.testing.assert_allclose(
        keras.ops.convert_to_numpy(dense.bias), before[1] - 0.1 * step, rtol=1e-5
    )


def test_bad_decay_is_named():
    with pytest.raises(ValueError, match="`decay` must be at least 0, got -1"):
        adam(0.1, decay=-1)


def test_gradient_descent_is_that_of_sutskever():
    """`v = 0.9 v - rate g(w + 0.9 v)`, in Keras's form, whose weights look ahead already."""
    weight, w, v = keras.Variable([2.0, -3.0]), np.array([2.0, -3.0]), np.zeros(2)
    optimizer = sgd(0.1)
    for _ in range(5):
        gradient = 2 * w
        optimizer.apply([keras.ops.convert_to_tensor(gradient, "float32")], [weight])
        v = 0.9 * v - 0.1 * gradient
        w = w + 0.9 * v - 0.1 * gradient
        np.testing.assert_allclose(keras.ops.convert_to_numpy(weight), w, rtol=1e-5)


def test_gradient_descent_with_a_rate_of_its_own_for_a_weight():
    weights = [keras.Variable([2.0, -3.0], name=name) for name in "ab"]
    expected, v = [np.array([2.0, -3.0])] * 2, [np.zeros(2)] * 2
    optimizer = sgd(0.1, rates={weights[1].path: 0.1})
    for _ in range(3):
        gradients = [2 * w for w in expected]
        given = [keras.ops.convert_to_tensor(g, "float32") for g in gradients]
        optimizer.apply(given, weights)
        for i, rate in enumerate((0.1, 0.01)):
            v[i] = 0.9 * v[i] - rate * gradients[i]
            expected[i] = expected[i] + 0.9 * v[i] - rate * gradients[i]
            np.testing.assert_allclose(
                keras.ops.convert_to_numpy(weights[i]), expected[i], rtol=1e-5
            )


def test_gradient_descent_has_no_weight_decay():
    task = zoo.TextClassifier("bert", "tiny", num_layers=1, hidden_dim=8, num_heads=2)
    rows = [("a fine film", "good"), ("a dull one", "bad")] * 4
    task.adapt(rows)
    with pytest.raises(UserError, match="weight_decay is an option of the optimizer adam"):
        task.fit(rows, optimizer="sgd", verbose=False, weight_decay=0.1)


@pytest.mark.parametrize("of", [adam, sgd])
def test_accumulated_gradients_are_one_update_by_their_mean(of):
    """The mean is clipped, the schedule counts updates, and an update that lacks a batch waits."""
    gradients = np.random.default_rng(7).normal(size=(8, 5)).astype("float32")
    rates = LinearSchedule(0.1, 2, 5)
    one, several = keras.Variable(np.ones(5, "float32")), keras.Variable(np.ones(5, "float32"))
    by_mean, by_batch = of(rates, clipnorm=0.5), of(rates, clipnorm=0.5, accumulate=3)
    for number, gradient in enumerate(gradients, 1):
        by_batch.apply([gradient], [several])
        if number % 3 == 0:
            by_mean.apply([gradients[number - 3 : number].mean(axis=0)], [one])
        np.testing.assert_allclose(np.array(several), np.array(one), rtol=1e-6)
    assert int(by_batch.iterations) == int(by_mean.iterations) == 2
    assert float(by_batch.learning_rate) == float(by_mean.learning_rate) == pytest.approx(0.1)
    assert np.abs(np.array(one) - 1).min() > 1e-3
