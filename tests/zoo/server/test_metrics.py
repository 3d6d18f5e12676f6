"""Counts of a server, as Prometheus reads them."""

import sys

import numpy as np
import pytest

from tests.zoo.server.serving import serving
from zoo.errors import UserError
from zoo.server.metrics import LABELS, OTHER, PrometheusMetrics
from zoo.server.servable import Servable, ServedSignature, Tensor

NAMES = np.array(["bad", "good", "odd"], object)
PREDICT = "/v1/models/films:predict"


def classify(arrays):
    """Scores that the inputs say."""
    scores = np.stack([arrays["first"], 1 - arrays["first"]], axis=1).astype("float32")
    ids = scores.argmax(axis=1).astype("int32")
    cut = (arrays["first"] > 0.9).astype("int32")
    unknown = (arrays["first"] < 0.5).astype("int32")
    marks = {"truncated": cut, "unknown": unknown}
    return {"scores": scores, "class_id": ids, "text": NAMES[ids], **marks}


ROW = ("batch",)
FILMS = ServedSignature(
    "Classifies.",
    {"first": Tensor("float32", ROW, (None,))},
    {
        "scores": Tensor("float32", ("batch", 2), (None, 2)),
        "class_id": Tensor("int32", ROW, (None,)),
        "text": Tensor("string", ROW, (None,)),
        "truncated": Tensor("int32", ROW, (None,)),
        "unknown": Tensor("int32", ROW, (None,)),
    },
    classify,
    joins=True,
)


def counts(text):
    """The samples by name and labels."""
    parser = pytest.importorskip("prometheus_client.parser")
    families = parser.text_string_to_metric_families(text.decode())
    return {
        (sample.name, *(sample.labels[key] for key in sorted(sample.labels))): sample.value
        for family in families
        for sample in family.samples
    }


def test_requests_batches_and_answers_are_counted():
    pytest.importorskip("prometheus_client")
    servable = Servable("films", {"serving_default": FILMS})
    with serving(servable, metrics=PrometheusMetrics()) as client:
        status, _ = client.ask(PREDICT, {"instances": [0.25, 0.75, 0.875, 0.95, 0.375]})
        assert status == 200
        assert client.ask(PREDICT, {"instances": "x"})[0] == 400
        assert client.ask("/v1/models/films")[0] == 200
        actual = counts(client.ask("/metrics")[1])
    assert actual["keras_attn_requests_total", "200", "predict"] == 1
    assert actual["keras_attn_requests_total", "400", "predict"] == 1
    assert actual["keras_attn_requests_total", "200", "status"] == 1
    assert actual["keras_attn_request_seconds_count", "predict"] == 2
    assert actual[("keras_attn_batch_rows_sum",)] == 5
    assert actual["keras_attn_answers_total", "bad"] == 3
    assert actual["keras_attn_answers_total", "good"] == 2
    assert actual[("keras_attn_truncated_texts_total",)] == 1
    assert actual[("keras_attn_unknown_texts_total",)] == 2
    assert actual[("keras_attn_unsure_answers_total",)] == 0


def test_unsure_answers_and_labels_beyond_the_limit():
    pytest.importorskip("prometheus_client")
    metrics, count = PrometheusMetrics(), LABELS + 7
    scores = np.full((count, 3), [0.4, 0.3, 0.3])
    names = np.array([f"label {number}".encode() for number in range(count)], object)
    metrics.answers([{"scores": scores, "class_id": np.zeros(count), "text": names}])
    actual = counts(metrics.text())
    assert actual[("keras_attn_unsure_answers_total",)] == count
    assert actual["keras_attn_answers_total", "label 0"] == 1
    assert actual["keras_attn_answers_total", OTHER] == 7


def test_without_the_option_nothing_is_counted():
    servable = Servable("films", {"serving_default": FILMS})
    with serving(servable) as client:
        status, content = client.ask("/metrics")
    assert status == 404 and b"serve with --metrics" in content


def test_without_the_package_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(UserError, match=r"pip install 'keras-attn\[serve\]'"):
        PrometheusMetrics()
