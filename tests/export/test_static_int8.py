"""Files that compute with integers of eight bits: how exact they are, and what stays in float32."""

import sys
from collections import Counter

import keras
import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter

import export
import zoo
from export import manifest
from export.worker import static_int8
from export.worker.artifact import load
from export.worker.probes import Probe, load_probes, save_probes
from tests.faults.damage import forge
from tests.tasks import api

WAVE = np.sin(np.arange(97) * np.pi / 6) + np.random.default_rng(0).normal(size=97) / 9
SMALL = {"preset": "micro", "horizon": 5, "context_length": 24, "quantiles": [0.1, 0.5, 0.9]}


def forecaster(series, **options):
    task = zoo.SeriesForecaster(**SMALL | options)
    task.adapt([series])
    task.fit([series], **{**api.FIT, "epochs": 3, "learning_rate": 0.01})
    return task


def operators(path):
    """The number of operators of a kind with outputs of a type."""
    interpreter = Interpreter(str(path))
    tensors = {each["index"]: each for each in interpreter.get_tensor_details()}
    return Counter(
        (each["op_name"], tensors[each["outputs"][0]]["dtype"].__name__)
        for each in interpreter._get_ops_details()
        if each["outputs"][0] in tensors
    )


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Of a series whose mean is a thousand times its deviation."""
    task = forecaster(1000 + WAVE)
    path = tmp_path_factory.mktemp("static") / "x.tflite"
    return task, path, export.litert(task, path, quantize="static_int8", batch=1)


@pytest.mark.thorough
def test_it_is_verified_and_forecasts_almost_the_same(exported):
    task, path, report = exported
    assert report.passed and export.verify(path).passed
    for end in (61, 73, 97):
        context = (1000 + WAVE[None, end - 24 : end, None]).astype("float32")
        actual = load(path, False).run("serving_default", {"values": context})["forecast"]
        assert actual.dtype == "float32"
        true = task.predict([context[0]])[0]
        assert np.sqrt(np.mean((actual[0, :, 0] - true) ** 2)) < 0.1 * context.std()


@pytest.mark.thorough
def test_it_computes_with_integers_but_where_it_sees_the_unit_of_the_series(exported):
    _, path, _ = exported
    actual = operators(path)
    assert actual["CONV_2D", "int8"] == 2 and not actual["CONV_2D", "float32"]
    assert actual["FULLY_CONNECTED", "int8"] >= 4
    assert actual["FULLY_CONNECTED", "float32"] == 2  # the linear part, and sums of quantiles
    assert actual["SQRT", "float32"] == 1 and not actual["SQRT", "int8"]


@pytest.mark.parametrize("shape", ["spike", "step", "growth"])
def test_a_series_unlike_all_samples_is_forecast_too(exported, shape):
    """Its values, and the forecast, are beyond what the integers were calibrated for."""
    task, path, _ = exported
    steps = np.arange(24)
    context = {
        "spike": 9.0 * (steps == 22),
        "step": 5.0 * (steps > 20),
        "growth": np.exp(steps / 4),
    }
    context = (1000 + context[shape])[None, :, None].astype("float32")
    actual = load(path, False).run("serving_default", {"values": context})["forecast"]
    error = actual[0, :, 0] - task.predict([context[0]])[0]
    assert np.sqrt(np.mean(error**2)) < 0.05 * context.std()


@pytest.mark.thorough
def test_what_reads_the_inputs_in_no_layer_sees_the_unit_of_the_series(tmp_path):
    """As the part of the context that the preset `tiny` reads besides."""
    options = {"preset": "tiny", "encoder": "conv", "context_length": 36, "horizon": 12}
    options |= {"seasonality": 12}
    task = forecaster(1000 + WAVE, **options)
    path = tmp_path / "x.tflite"
    assert export.litert(task, path, quantize="static_int8").passed
    context = (1000 + WAVE[None, -36:, None]).astype("float32")
    actual = load(path, False).run("serving_default", {"values": context})["forecast"]
    assert np.sqrt(np.mean((actual[0, :, 0] - task.predict([context[0]])[0]) ** 2)) < 0.2


@pytest.mark.thorough
@pytest.mark.parametrize(("cell", "gates"), [("gru", 3), ("elman", 1)])
def test_recurrent_layers_of_a_known_length_are_unrolled(tmp_path, cell, gates):
    """A product of the inputs of all steps for each gate, then one for each step but the first."""
    steps, options = 24, {"encoder": "rnn", "cell": cell, "num_layers": 1}
    task = forecaster(1000 + WAVE, **options)
    path = tmp_path / "x.tflite"
    assert export.litert(task, path, quantize="static_int8", batch=1).passed
    actual = operators(path)
    assert not any(name == "WHILE" for name, _ in actual)
    assert actual["FULLY_CONNECTED", "int8"] == 5 + gates + gates * (steps - 1)
    context = (1000 + WAVE[None, -steps:, None]).astype("float32")
    forecast = load(path, False).run("serving_default", {"values": context})["forecast"]
    error = forecast[0, :, 0] - task.predict([context[0]])[0]
    assert np.sqrt(np.mean(error**2)) < 0.1 * context.std()
    assert not any(getattr(layer, "unroll", False) for layer in task.model.layers)


@pytest.mark.thorough
def test_a_file_with_loops_is_refused(tmp_path):
    task = zoo.TextClassifier("rnn_classifier", "tiny", units=5, vocabulary_size=50)
    task.adapt([("a good film", "good"), ("a bad film", "bad")])
    with pytest.raises(export.VerificationError, match="static_int8 cannot quantize loops"):
        export.litert(task, tmp_path / "x.tflite", quantize="static_int8")


def test_a_keras_model_has_no_data_to_calibrate_on(tmp_path):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    with pytest.raises(ValueError, match="static_int8 needs data to calibrate on"):
        export.litert(model, tmp_path / "x.tflite", quantize="static_int8")


def test_the_package_may_be_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "ai_edge_quantizer", None)
    with pytest.raises(ValueError, match=r"pip install 'keras-attn\[quantize\]'"):
        static_int8.static_int8(b"", {}, ())


@pytest.mark.thorough
@pytest.mark.parametrize(("quantize", "off"), [(None, 0.05), ("static_int8", 0.5)])
def test_a_forecast_far_from_zero_is_judged_in_deviations_of_its_context(
    exported, tmp_path, quantize, off
):
    """Of a level of a thousand deviations, these errors are too small to be seen."""
    path = tmp_path / "x.tflite"
    export.litert(exported[0], path, quantize=quantize, batch=1)
    file = path.with_name(manifest.find(tmp_path, path.name)["probes"])
    moved = {
        name: [Probe(x.inputs, {"forecast": x.outputs["forecast"] + off}) for x in calls]
        for name, calls in load_probes(file).items()
    }
    save_probes(file, moved)
    forge(path)
    (failed,) = export.verify(path).failed
    assert failed.name == "serving_default: forecast"
    assert float(failed.detail.split()[1].rstrip(",")) > 0.9 * off
