"""Several labels as answers: text, thresholds and scores."""

import numpy as np
import pytest
import tensorflow as tf

from tests.scores import score_label_sets
from zoo.heads.labels import LabelsHead
from zoo.text.form import TextForm
from zoo.training.multi_label import MaskedMicroF1
from zoo.training.thresholds import CHOICES, threshold_of

LABELS = ["alder", "birch", "döner"]
CHOSEN = [[1, 0, 1], [0, 0, 0], [0, 1, 0], [1, 1, 1]]
TEXTS = ["alder|döner", "", "birch", "alder|birch|döner"]


@pytest.mark.parametrize("form", TextForm)
def test_the_labels_of_a_row_are_its_text(form):
    outputs = {"labels": tf.constant(CHOSEN, tf.int32)}
    actual = LabelsHead(LABELS).postprocess(outputs, {}, form)
    if form is TextForm.BYTES:
        rows = zip(actual["text_bytes"].numpy(), actual["text_lengths"].numpy(), strict=True)
        texts = [bytes(row[:n].astype("uint8").tolist()).decode() for row, n in rows]
    else:
        texts = [text.decode() for text in actual["text"].numpy()]
    assert texts == TEXTS


def test_the_threshold_decides():
    head = LabelsHead(LABELS, threshold=0.3)
    outputs = head.outputs(tf.math.log([[0.5, 0.25, 1.0]]))  # odds
    assert outputs["labels"].numpy().tolist() == [[1, 0, 1]]
    assert head.result({"labels": outputs["labels"].numpy()[0]}) == ["alder", "döner"]


def test_the_threshold_has_the_best_f1_of_all():
    metrics = pytest.importorskip("sklearn.metrics")
    random = np.random.default_rng(5)
    labels = (random.random((90, 7)) < 0.2).astype(int)
    scores = np.clip(0.3 * labels + random.random((90, 7)) * 0.6, 0, 1)
    actual = threshold_of(scores, labels)
    f1 = {t: metrics.f1_score(labels, scores >= t, average="micro") for t in CHOICES}
    assert actual.after == pytest.approx(max(f1.values())) == pytest.approx(f1[actual.threshold])
    assert actual.before == pytest.approx(metrics.f1_score(labels, scores >= 0.5, average="micro"))
    assert actual.after > actual.before


def test_scores_are_those_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    random = np.random.default_rng(6)
    y, p = ((random.random((50, 3)) < 0.4).astype(int) for _ in range(2))
    rows = [[[LABELS[c] for c in np.flatnonzero(row)] for row in each] for each in (y, p)]
    actual = score_label_sets(*rows, LABELS)
    assert actual["micro_f1"] == pytest.approx(metrics.f1_score(y, p, average="micro"))
    assert actual["macro_f1"] == pytest.approx(metrics.f1_score(y, p, average="macro"))
    assert actual["accuracy"] == pytest.approx(metrics.accuracy_score(y, p))
    own = [actual[f"{label}_f1"] for label in LABELS]
    assert own == pytest.approx(metrics.f1_score(y, p, average=None).tolist())
    metric = MaskedMicroF1()
    metric.update_state(y, p - 0.5)
    assert float(metric.result()) == pytest.approx(actual["micro_f1"], rel=1e-6)
