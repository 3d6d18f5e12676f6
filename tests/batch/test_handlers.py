"""Numbers through the wrappers for Beam and Spark, and what these refuse."""

import doctest
import importlib

import keras
import numpy as np
import pytest
from keras import ops

import export
import zoo
from tests.batch.java import spark_environment
from tests.export.models import jitter, reader, tagger

# The engines warn of what Python has deprecated.
pytestmark = [pytest.mark.clients, pytest.mark.filterwarnings("ignore")]
ROWS = 13


def mixer(seed=5, pooled=False):
    """A vector and a table -> a number and a vector for each row, or for all rows."""
    left = keras.Input((4,), name="left")
    right = keras.Input((2, 3), name="right")
    x = keras.layers.Dense(5)(ops.concatenate([left, ops.reshape(right, (-1, 6))], axis=1))
    x = ops.mean(x, axis=0, keepdims=True) if pooled else x
    outputs = {"total": ops.sum(x, axis=1), "both": x}
    return jitter(keras.Model({"left": left, "right": right}, outputs, name="mixer"), seed)


def inputs():
    random = np.random.default_rng(3)
    return {"left": random.normal(size=(ROWS, 4)), "right": random.normal(size=(ROWS, 2, 3))}


@pytest.fixture(scope="module")
def model():
    return mixer()


@pytest.fixture(scope="module")
def predictor(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("mixer") / "mixer.tflite"
    export.litert(model, path)
    return export.Predictor(path, batch_size=5)


def elements(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def are_those_of(actual, model):
    expected = model({name: x.astype("float32") for name, x in inputs().items()})
    for name in ("total", "both"):
        rows = [each[name] for each in actual]
        np.testing.assert_allclose(rows, expected[name], rtol=1e-5, atol=1e-5)


def test_beam_gives_each_element_its_row(model, predictor):
    from apache_beam.ml.inference.base import KeyedModelHandler

    from export.batch.beam import PredictorModelHandler

    handler = PredictorModelHandler(predictor, max_batch_size=5)
    assert handler.batch_elements_kwargs() == {"max_batch_size": 5}
    given = elements(inputs())
    keyed = KeyedModelHandler(handler)
    actual = [*keyed.run_inference([*enumerate(given)], keyed.load_model())]
    assert [key for key, _ in actual] == [*range(ROWS)]
    assert all(result.example is each for each, (_, result) in zip(given, actual, strict=True))
    assert {result.model_id for _, result in actual} == {predictor.path}
    are_those_of([result.inference for _, result in actual], model)


def test_beam_changes_the_artifact(predictor, tmp_path):
    from export.batch.beam import PredictorModelHandler

    handler, other = PredictorModelHandler(predictor), mixer(seed=7)
    export.litert(other, tmp_path / "other.tflite")
    handler.update_model_path("")  # as long as there is no other
    assert handler.load_model() == predictor
    handler.update_model_path(str(tmp_path / "other.tflite"))
    actual = handler.run_inference(elements(inputs()), handler.load_model())
    are_those_of([result.inference for result in actual], other)


def test_beam_refuses(predictor, tmp_path):
    from export.batch.beam import PredictorModelHandler

    with pytest.raises(ValueError, match="an exported artifact takes no inference_args"):
        PredictorModelHandler(predictor).validate_inference_args({"beams": 4})
    export.saved_model(mixer(pooled=True), tmp_path / "pooled")
    handler = PredictorModelHandler(export.Predictor(tmp_path / "pooled"))
    with pytest.raises(ValueError, match="the output '(total|both)' has no row for each element"):
        [*handler.run_inference(elements(inputs()), handler.load_model())]


def test_beam_matches_columns_of_series_by_name(tmp_path):
    """Each element may have an order of its own, and others between; a missing one is refused."""
    import pandas as pd

    from export.batch.beam import PredictorModelHandler

    task = zoo.SeriesForecaster(
        horizon=2, context_length=5, encoder="conv", hidden_dim=4, target_column="high,low"
    )
    high, low = np.sin(np.arange(60)) + 20, np.cos(np.arange(60)) - 20
    task.fit({"high": high, "low": low}, epochs=1, verbose=False)
    export.litert(task, tmp_path / "model.tflite")
    handler = PredictorModelHandler(export.Predictor(tmp_path / "model.tflite"))
    model = handler.load_model()
    named = {"high": high[-5:].tolist(), "low": low[-5:].tolist()}
    turned = {"low": named["low"], "high": named["high"]}
    steps = [{"low": a, "wind": 7.0, "high": b} for a, b in zip(*turned.values(), strict=True)]
    given = [named, turned, pd.DataFrame(turned), {**turned, "wind": [7.0] * 5}]
    (expected,) = model({"values": np.stack([*named.values()], -1)[None]})["forecast"]
    assert np.abs(expected[:, 0] - expected[:, 1]).min() > 1
    with pytest.warns(UserWarning, match="input 'values': the columns wind are not used"):
        actual = [*handler.run_inference(given, model)]
    assert len(actual) == len(given)
    for each in actual:
        np.testing.assert_allclose(each.inference["forecast"], expected, rtol=1e-5)
    (one,) = handler.run_inference([{"values": steps}], model)
    np.testing.assert_allclose(one.inference["forecast"], expected, rtol=1e-5)
    with pytest.raises(ValueError, match="input 'values' has no column high; its columns are low"):
        [*handler.run_inference([{"low": named["low"]}], model)]


def test_spark_gives_each_row_its_numbers(model, predictor, tmp_path, monkeypatch):
    for name, value in spark_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    from pyspark.sql import SparkSession

    from export.batch.spark import predictor_udf

    columns = {name: x.reshape(ROWS, -1).tolist() for name, x in inputs().items()}
    assert [*predictor.facts["inputs"]] == [*columns]
    with SparkSession.builder.master("local[2]").getOrCreate() as spark:
        rows = spark.createDataFrame([*zip(range(ROWS), *columns.values(), strict=True)])
        actual = rows.select("_1", predictor_udf(predictor)("_2", "_3").alias("found"))
        assert actual.schema["found"].dataType.simpleString() in (
            "struct<total:float,both:array<float>>",
            "struct<both:array<float>,total:float>",
        )
        answers = {row["_1"]: row["found"].asDict() for row in actual.collect()}
    are_those_of([answers[number] for number in range(ROWS)], model)


@pytest.mark.parametrize(
    "made, message",
    [
        (tagger, "only inputs with rows of one shape, unlike '(token_ids|padding_mask)'"),
        (lambda: reader((None, 7)), "no type for the output 'logits': float32 with 3 axes"),
    ],
)
def test_spark_refuses(made, message, tmp_path):
    from export.batch.spark import predictor_udf

    export.saved_model(made(), tmp_path / "model")
    with pytest.raises(ValueError, match=message):
        predictor_udf(export.Predictor(tmp_path / "model"))


@pytest.mark.parametrize("engine", ["beam", "spark"])
def test_the_examples_of_a_module(engine):
    actual = doctest.testmod(importlib.import_module(f"export.batch.{engine}"))
    assert actual.failed == 0 and actual.attempted
