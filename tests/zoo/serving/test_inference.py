"""An inference in Python: traced once for all sizes, and again for other options."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from zoo.preprocessing.base import TensorSpec
from zoo.serving.inference import Inference, Program

SPECS = {
    "token_ids": TensorSpec(("batch", "length"), "int32", padding=0),
    "scale": TensorSpec(("batch",), "float32"),
}
OUTPUTS = {"scaled": ("batch", "length"), "total": ("batch",)}


class Counting:
    """An inference that counts its traces; times two outside of the graph's `keras.ops`."""

    def __init__(self):
        self.prepared = self.computed = 0

    def prepare(self, features):
        self.prepared += 1
        assert set(features) == set(SPECS)
        return {**features, "mask": tf.not_equal(features["token_ids"], 0)}

    def compute(self, inputs, power=1, seeds=None):
        self.computed += 1
        scale = ops.expand_dims(inputs["scale"], 1) ** power
        scaled = ops.cast(inputs["token_ids"], "float32") * scale
        if seeds is not None:
            scaled = scaled + ops.expand_dims(ops.cast(seeds, "float32"), 1)
        scaled = ops.where(inputs["mask"], scaled, -1.0)
        return {"scaled": scaled, "total": ops.sum(scaled, axis=1)}

    @property
    def inference(self):
        return Inference(SPECS, self.prepare, self.compute, OUTPUTS)


def features(rows=3, length=5, seed=1):
    rng = np.random.default_rng(seed)
    ids = rng.integers(1, 97, (rows, length)).astype("int32")
    ids[:, length - 1 :] = 0
    return {"token_ids": ids, "scale": rng.normal(size=rows).astype("float32")}


def expected(given, power=1, seeds=0):
    ids, scale = given["token_ids"], given["scale"]
    scaled = np.where(ids != 0, ids * scale[:, None] ** power + np.reshape(seeds, (-1, 1)), -1.0)
    return {"scaled": scaled, "total": scaled.sum(1)}


def check(actual, oracle):
    assert list(actual) == list(oracle)
    for name, array in actual.items():
        assert isinstance(array, np.ndarray) and array.dtype == np.float32
        np.testing.assert_allclose(array, oracle[name], rtol=1e-5, atol=1e-4)


def test_one_trace_serves_every_batch_size_and_length():
    counting = Counting()
    program = Program(counting.inference)
    for rows, length in ((3, 5), (1, 2), (7, 11), (3, 5)):
        given = features(rows, length)
        check(program(given), expected(given))
    if keras.backend.backend() == "tensorflow":
        assert (counting.prepared, counting.computed) == (1, 1)


def test_other_options_make_another_trace_and_are_kept():
    counting = Counting()
    program, given = Program(counting.inference), features()
    for power in (1, 2, 1, 2):
        check(program(given, power=power), expected(given, power))
    if keras.backend.backend() == "tensorflow":
        assert counting.computed == 2


def test_features_that_it_does_not_take_are_ignored_and_missing_ones_named():
    program, given = Program(Counting().inference), features()
    more = {**given, "word_starts": tf.ragged.constant([[1]]), "row": np.arange(3)}
    check(program(more), expected(given))
    with pytest.raises(KeyError, match="scale"):
        program({"token_ids": given["token_ids"]})


def test_extra_inputs_go_to_compute_alone():
    program = Program(Counting().inference, {"seeds": TensorSpec(("batch",), "int32")})
    given, seeds = features(), np.array([7, 11, 13])
    check(program({**given, "seeds": seeds}), expected(given, seeds=seeds))
    assert "seeds" not in given


def test_numbers_of_another_width_become_those_of_the_spec():
    given = features()
    wide = {"token_ids": given["token_ids"].astype("int64"), "scale": given["scale"].tolist()}
    check(Program(Counting().inference)(wide), expected(given))


def test_called_directly_it_stays_in_tensorflow():
    given = features()
    inference = Counting().inference
    tensors = {name: tf.constant(array) for name, array in given.items()}
    if keras.backend.backend() == "tensorflow":
        actual = inference(tensors, power=2)
        assert tf.is_tensor(actual["scaled"])
        check({name: x.numpy() for name, x in actual.items()}, expected(given, 2))


def test_on_other_backends_it_runs_step_by_step(monkeypatch):
    """What another backend is given is what `prepare` made, as arrays."""
    monkeypatch.setattr(keras.backend, "backend", lambda: "jax")
    counting = Counting()
    program = Program(counting.inference, {"seeds": TensorSpec(("batch",), "int32")})
    given, seeds = features(), np.array([7, 11, 13], "int32")
    for _ in range(2):
        check(program({**given, "seeds": seeds}, power=2), expected(given, 2, seeds))
    assert counting.computed == 2
