"""Keras models of one's own: a tokenizer before them, and integers that arrays calibrate."""

import keras
import numpy as np
import pytest
from keras import ops

import export
import zoo
from zoo.errors import UserError
from zoo.text import train_tokenizer

TEXTS = ["a fine film", "so dull", "what a lovely day in the rain"]


@pytest.fixture(scope="module")
def tokenizer():
    return train_tokenizer("wordpiece", TEXTS * 20, 60)


def counting(tokenizer, masked=True):
    """A model of the mean embedding of a text."""
    keras.utils.set_random_seed(7)
    ids = keras.Input((None,), dtype="int32", name="ids")
    mask = keras.Input((None,), dtype="bool", name="mask")
    x = keras.layers.Embedding(tokenizer.vocabulary_size, 5)(ids)
    there = ops.expand_dims(ops.cast(mask if masked else ids >= 0, "float32"), -1)
    x = ops.sum(x * there, 1) / ops.maximum(ops.sum(there, 1), 1.0)
    scores = keras.layers.Dense(3, activation="softmax", name="scores")(x)
    return keras.Model({"ids": ids, "mask": mask} if masked else {"ids": ids}, {"scores": scores})


@pytest.mark.thorough
def test_a_tokenizer_before_a_model_takes_texts(tokenizer, tmp_path):
    model = counting(tokenizer)
    before = zoo.ExportableTokenizer(tokenizer, TEXTS, max_length=4)
    report = export.litert(model, tmp_path / "own.tflite", tokenizer=before)
    assert report.passed
    actual = export.Predictor(tmp_path / "own.tflite")([*TEXTS, ""])
    ids = before.around(model).read([*TEXTS, ""])
    assert ids.shape == (4, 4) and (ids[3] == tokenizer.special_tokens.pad).all()
    expected = model({"ids": ids, "mask": ids != tokenizer.special_tokens.pad})["scores"]
    np.testing.assert_allclose(actual["scores"], expected, atol=1e-6)
    assert actual["truncated"].tolist()[3] == 0 and actual["truncated"].max() == 1
    assert export.verify(tmp_path / "own.tflite").passed


def test_a_model_that_padding_changes_is_not_said_to_be_padded(tokenizer):
    before = zoo.ExportableTokenizer(tokenizer, TEXTS)
    held = {
        masked: before.around(counting(tokenizer, masked))
        .export_parts("bytes")
        .signatures["tokens"]
        .invariances
        for masked in (True, False)
    }
    assert held == {True: ("batch", "padding"), False: ("batch",)}


def test_what_a_tokenizer_cannot_stand_before(tokenizer, tmp_path):
    before = zoo.ExportableTokenizer(tokenizer, TEXTS)
    pixels = keras.Input((8, 8, 1), name="pixels")
    images = keras.Model(pixels, keras.layers.Flatten()(pixels))
    with pytest.raises(UserError, match=r"takes pixels \(None, 8, 8, 1\) float32"):
        export.litert(images, tmp_path / "a.tflite", tokenizer=before)
    with pytest.raises(ValueError, match="a task has its own, with text='bytes'"):
        export.litert(before, tmp_path / "a.tflite", tokenizer=before)
    with pytest.raises(ValueError, match="received str"):
        export.litert(counting(tokenizer), tmp_path / "a.tflite", tokenizer="wordpiece")
    with pytest.raises(UserError, match='takes text="bytes"'):
        export.litert(counting(tokenizer), tmp_path / "a.tflite", tokenizer=before, text="strings")
    assert [*tmp_path.iterdir()] == []


def dense():
    keras.utils.set_random_seed(3)
    values = keras.Input((11,), name="values")
    x = keras.layers.Dense(13, activation="relu")(values)
    return keras.Model({"values": values}, {"out": keras.layers.Dense(3, name="out")(x)})


@pytest.mark.thorough
def test_arrays_calibrate_integers(tmp_path):
    pytest.importorskip("ai_edge_quantizer")
    model = dense()
    data = np.random.default_rng(5).normal(3.0, 2.0, (101, 11)).astype("float32")
    for number, given in enumerate(({"values": data}, data)):
        path = tmp_path / f"{number}.tflite"
        report = export.litert(model, path, quantize="static_int8", calibration=given)
        assert report.passed
        actual = export.Predictor(path)({"values": data[:7]})["out"]
        expected = np.asarray(model({"values": data[:7]})["out"])
        assert np.abs(actual - expected).max() < 0.05 * np.ptp(expected)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"x": np.zeros((3, 11))}, "must have the inputs of the model, values; received x"),
        ({"values": np.zeros((3, 10))}, r"values must have the shape \(None, 11\); received"),
        ({"values": np.zeros((0, 11))}, "at least one"),
        ("data.csv", "must be arrays of its inputs, by name"),
        (None, "give calibration, arrays of its inputs by name"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(given, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        export.litert(dense(), tmp_path / "a.tflite", quantize="static_int8", calibration=given)
    assert [*tmp_path.iterdir()] == []
