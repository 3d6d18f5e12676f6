import h5py
import keras
import numpy as np
import pytest

from tests.zoo.training.small_run import VOCABULARY, WIDTH, build_model
from zoo.errors import UserError
from zoo.training.best_weights import load_average
from zoo.training.optimizer import adam
from zoo.training.weights import copy_weights, load_weights, save_weights, seed_variables


def values(model):
    return [weight.numpy() for weight in model.weights]


def jitter(model, seed):
    random = np.random.default_rng(seed)
    for weight in model.weights:
        weight.assign(random.normal(size=weight.shape))


def test_saved_weights_come_back_and_hold_no_optimizer(tmp_path):
    model = build_model()
    model.compile(adam(0.1), "mse")
    model.optimizer.build(model.trainable_weights)
    jitter(model, 1)
    before = values(model)
    save_weights(model, tmp_path / "w.weights.h5")
    assert isinstance(model.optimizer, keras.optimizers.Adam)
    with h5py.File(tmp_path / "w.weights.h5") as file:
        assert "optimizer" not in file
    jitter(model, 2)
    load_weights(model, tmp_path / "w.weights.h5")
    for now, then in zip(values(model), before, strict=True):
        np.testing.assert_array_equal(now, then)
    fresh = build_model()
    fresh.load_weights(tmp_path / "w.weights.h5")  # and Keras reads them
    np.testing.assert_array_equal(values(fresh)[0], before[0])


def contents(path):
    actual = {}
    with h5py.File(path) as file:
        file.visititems(
            lambda name, each: actual.update({name: getattr(each, "__array__", list)()})
        )
    return actual


def test_weights_are_copied_from_a_file_of_keras_as_they_would_be_saved(tmp_path):
    model = build_model()
    model.compile(adam(0.1), "mse", metrics=["mae"])
    model.fit(np.ones((3, 5), "int32"), {"logits": np.ones((3, 5, VOCABULARY))}, verbose=0)
    names = [tmp_path / f"{name}.weights.h5" for name in ("whole", "saved", "copied")]
    model.save_weights(names[0])
    save_weights(model, names[1])
    copy_weights(*names[::2])

    whole, saved, copied = map(contents, names)
    assert len(whole) > len(saved) == len(copied) > 10
    for name, value in saved.items():
        np.testing.assert_array_equal(copied[name], value, err_msg=name)
    jitter(model, 2)
    load_weights(model, names[2])  # which compares the digest
    after = values(model)
    load_weights(model, names[1])
    for now, then in zip(after, values(model), strict=True):
        np.testing.assert_array_equal(now, then)


def test_random_states_of_all_dropouts_are_found_in_order():
    model = build_model()
    states = [variable.numpy() for variable in seed_variables(model)]
    expected = [
        layer.seed_generator.state.numpy()
        for layer in model.layers
        if isinstance(layer, keras.layers.Dropout)
    ]
    assert len(states) == 2
    np.testing.assert_array_equal(states, expected)


def test_files_that_cannot_be_used_are_named(tmp_path):
    model = build_model()
    path = tmp_path / "w.weights.h5"
    with pytest.raises(UserError, match=r"w\.weights\.h5 is missing"):
        load_weights(model, path)
    save_weights(model, path)
    whole = path.read_bytes()
    for size in (0, 100, len(whole) // 2, len(whole) - 7):
        path.write_bytes(whole[:size])
        with pytest.raises(UserError, match=r"w\.weights\.h5 is damaged"):
            load_weights(model, path)
    path.write_bytes(whole)
    other = keras.Sequential([keras.Input((3,)), keras.layers.Dense(WIDTH)])
    with pytest.raises(UserError, match=r"w\.weights\.h5 does not fit this model"):
        load_weights(other, path)


def test_average_is_the_mean_of_the_files(tmp_path):
    model = build_model()
    paths, expected = [], None
    for seed in (3, 5, 7):
        jitter(model, seed)
        expected = [
            total + value.astype("float64") / 3
            for total, value in zip(expected or [0.0] * 5, values(model), strict=True)
        ]
        paths.append(tmp_path / f"{seed}.weights.h5")
        save_weights(model, paths[-1])
    load_average(model, paths)
    for now, mean in zip(values(model), expected, strict=True):
        np.testing.assert_allclose(now, mean, rtol=1e-6, atol=1e-7)


def test_average_leaves_counters_alone(tmp_path):
    class Counting(keras.layers.Layer):
        def build(self, shape):
            self.scale = self.add_weight(shape=(), initializer="ones")
            self.count = self.add_weight(
                shape=(), dtype="int32", initializer="zeros", trainable=False
            )

        def call(self, x):
            return x * self.scale

    inputs = keras.Input((3,))
    layer = Counting()
    model = keras.Model(inputs, layer(inputs))
    for value in (2, 5):
        layer.scale.assign(value)
        layer.count.assign(value)
        save_weights(model, tmp_path / f"{value}.weights.h5")
    load_average(model, [tmp_path / "2.weights.h5", tmp_path / "5.weights.h5"])
    assert float(layer.scale.numpy()) == 3.5
    assert int(layer.count.numpy()) == 2


def test_average_of_nothing_is_refused():
    with pytest.raises(ValueError, match="`paths` must have at least one weights file"):
        load_average(build_model(), [])


def test_a_changed_bit_is_found_or_changes_nothing(tmp_path):
    model, path = build_model(), tmp_path / "w.weights.h5"
    save_weights(model, path)
    before, whole = values(model), path.read_bytes()
    actual = 0
    for place in np.random.default_rng(3).integers(0, 8 * len(whole), 40):
        content = bytearray(whole)
        content[place // 8] ^= 1 << (place % 8)
        path.write_bytes(content)
        try:
            load_weights(model, path)
        except UserError as error:
            assert str(error).startswith(f"{path} ")
            actual += 1
            continue
        for now, then in zip(values(model), before, strict=True):
            np.testing.assert_array_equal(now, then)
    assert actual > 5


def test_a_changed_weight_is_found_unless_it_is_not_looked_for(tmp_path):
    model, path = build_model(), tmp_path / "w.weights.h5"
    save_weights(model, path)
    with h5py.File(path, "r+") as file:
        file["layers/embedding/vars/0"][0, 0] += 1
    with pytest.raises(UserError, match=r"is damaged \(its weights are not those that were saved"):
        load_weights(model, path)
    first = values(model)[0][0, 0]
    load_weights(model, path, check_digest=False)
    assert values(model)[0][0, 0] == first + 1
    build_model().save_weights(path)  # of Keras, without a digest
    load_weights(model, path)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_finite_are_named(tmp_path, value):
    model, path = build_model(), tmp_path / "w.weights.h5"
    kernel = model.layers[-1].kernel
    kernel.assign(np.full(kernel.shape, value))
    save_weights(model, path)
    with pytest.raises(UserError, match=f"the weight {kernel.path} has values that are NaN or inf"):
        load_weights(model, path)
