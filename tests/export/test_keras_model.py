"""Bare Keras models: their inputs and outputs become a signature, and are proven."""

import keras
import numpy as np
import pytest
from keras import ops

import export
from export.keras_model import model_probes, model_signature
from export.precision import portable
from export.worker.artifact import load
from tests.export.models import KEYS, jitter, regressor, tagger


def held(report):
    return {check.name.split()[-1] for check in report.checks if "invariant" in check.name}


def test_a_functional_model_keeps_its_names_in_both_formats(tmp_path):
    model = tagger()
    inputs = {
        "token_ids": np.array([[3, 9, 16, 1], [5, 0, 0, 0]], "int32"),
        "padding_mask": np.array([[1, 1, 1, 1], [1, 0, 0, 0]], bool),
    }
    expected = model(inputs)

    reports = [
        export.saved_model(model, tmp_path / "tagger"),
        export.litert(model, tmp_path / "tagger.tflite"),
    ]

    for report in reports:
        found = load(report.path).run("serving_default", inputs)
        assert set(found) == {"logits", "pooled"}
        np.testing.assert_allclose(found["logits"], expected["logits"], rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(found["pooled"], expected["pooled"], rtol=1e-6, atol=1e-6)
        assert held(report) == {"batch", "padding"}
    assert reports[0].manifest["sha256"]["weights"] == reports[1].manifest["sha256"]["weights"]


def test_an_invariance_that_the_model_lacks_is_not_demanded(tmp_path):
    assert held(export.litert(tagger(masked=False), tmp_path / "x.tflite")) == {"batch"}


def test_a_sequential_model_without_names(tmp_path):
    model = regressor()
    x = np.linspace(-1, 1, 21, dtype="float32").reshape(3, 7)

    report = export.saved_model(model, tmp_path / "x", xla=True)

    assert report.manifest["operators"]["_XlaMustCompile"] >= 1
    found = load(report.path).run("serving_default", {"input_0": x})
    np.testing.assert_allclose(found["output_0"], model(x), rtol=1e-6, atol=1e-6)


def test_a_mixed_precision_model_is_exported_in_float32_and_left_as_it_was(tmp_path):
    half, full = tagger(dtype="mixed_float16"), tagger()
    inputs = {
        "token_ids": np.array([[3, 9, 16]], "int32"),
        "padding_mask": np.array([[1, 1, 0]], bool),
    }

    report = export.litert(half, tmp_path / "half.tflite")

    found = load(report.path).run("serving_default", inputs)
    np.testing.assert_allclose(found["pooled"], full(inputs)["pooled"], rtol=1e-6, atol=1e-6)
    assert half(inputs)["pooled"].dtype == "float16"
    assert half.get_layer(index=2).compute_dtype == "float16"


def test_cudnn_is_off_inside_and_as_before_outside():
    model = keras.Sequential([keras.Input((None, 3)), keras.layers.LSTM(5)])

    with portable(model):
        assert model.layers[0].cell is not None and model.layers[0].use_cudnn is False

    assert model.layers[0].use_cudnn == "auto"


def test_probes_are_ids_of_the_smallest_table_and_masks_that_end_somewhere():
    model = tagger()
    probes = model_probes(model, model_signature(model))

    assert len({probe["token_ids"].shape for probe in probes}) == len(probes)
    for probe in probes:
        ids, mask = probe["token_ids"], probe["padding_mask"]
        assert ids.min() >= 1 and ids.max() < KEYS
        assert mask[:, 0].all()
        assert (np.diff(mask.astype(int), axis=1) <= 0).all()
    assert not all(probe["padding_mask"].all() for probe in probes)


def test_source_and_target_differ_in_length():
    source = keras.Input((None,), dtype="int32", name="source_ids")
    target = keras.Input((None,), dtype="int32", name="target_ids")
    total = ops.sum(source, axis=1) + ops.sum(target, axis=1)
    model = keras.Model({"source_ids": source, "target_ids": target}, total)

    for probe in model_probes(model, model_signature(model)):
        assert probe["source_ids"].shape[1] != probe["target_ids"].shape[1]


def test_what_a_bare_model_cannot_do(tmp_path):
    class Unknown(keras.Model):
        def call(self, x):
            return x

    with pytest.raises(ValueError, match="does not know its inputs"):
        export.saved_model(Unknown(), tmp_path / "x")
    with pytest.raises(ValueError, match=r"\['beams'\] need a task"):
        export.saved_model(regressor(), tmp_path / "x", beams=3)
    with pytest.raises(ValueError, match="strings=True needs a task"):
        export.litert(regressor(), tmp_path / "x.tflite", strings=True)
    assert list(tmp_path.iterdir()) == []


def test_jitter_left_no_weight_at_zero():
    assert all(np.abs(weight.numpy()).max() > 0 for weight in jitter(regressor()).weights)
