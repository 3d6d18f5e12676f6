import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

from zoo.metrics import labels
from zoo.metrics.labels import LabelPredictions
from zoo.metrics.measure import value_of

NAMES = ["ant", "bee", "cat", "dog"]


def rows(seed=0, count=60, ties=False, size=4):
    random = np.random.default_rng(seed)
    true = random.integers(0, size, count)
    logits = random.normal(size=(count, size))
    logits[np.arange(count), true] += 1
    if ties:
        logits = np.round(logits)
    scores = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    names = NAMES[:size]
    return LabelPredictions(
        [names[c] for c in true], [names[c] for c in scores.argmax(axis=1)], names, scores
    )


def resampled(given, counts):
    places = np.repeat(np.arange(len(given)), counts)
    return LabelPredictions(
        [given.references[i] for i in places],
        [given.predictions[i] for i in places],
        given.labels,
        given.scores[places],
    )


def f1(average):
    def oracle(given):
        kept = sorted(set(given.references)) if average == "macro" else None
        return sklearn_metrics.f1_score(
            given.references, given.predictions, average=average, labels=kept, zero_division=0
        )

    return oracle


def auc(given):
    if len(given.labels) == 2:
        positive = [label == given.labels[1] for label in given.references]
        return sklearn_metrics.roc_auc_score(positive, given.scores[:, 1])
    return sklearn_metrics.roc_auc_score(
        given.references, given.scores, multi_class="ovr", labels=given.labels
    )


ORACLES = {
    labels.accuracy: lambda r: sklearn_metrics.accuracy_score(r.references, r.predictions),
    labels.macro_f1: f1("macro"),
    labels.micro_f1: f1("micro"),
    labels.weighted_f1: f1("weighted"),
    labels.balanced_accuracy: lambda r: sklearn_metrics.balanced_accuracy_score(
        r.references, r.predictions
    ),
    labels.matthews: lambda r: sklearn_metrics.matthews_corrcoef(r.references, r.predictions),
    labels.roc_auc: auc,
    labels.log_loss: lambda r: sklearn_metrics.log_loss(r.references, r.scores, labels=r.labels),
}


@pytest.mark.parametrize("metric", ORACLES, ids=lambda metric: metric.__name__)
@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("ties", [False, True])
def test_equals_scikit_learn_on_rows_and_on_resampled_rows(metric, size, ties):
    given = rows(ties=ties, size=size)
    counts = np.random.default_rng(1).multinomial(len(given), [1 / len(given)] * len(given), size=3)
    (measure,) = metric(given).values()
    want = [ORACLES[metric](resampled(given, each)) for each in counts]
    np.testing.assert_allclose(measure(counts.astype(float)), want, atol=1e-12)
    assert value_of(measure, len(given)) == pytest.approx(ORACLES[metric](given), abs=1e-12)


def test_metrics_of_each_label_equal_those_of_scikit_learn():
    given = rows(count=25)
    precision, recall, each_f1, _ = sklearn_metrics.precision_recall_fscore_support(
        given.references, given.predictions, labels=given.labels, zero_division=0
    )
    wanted = {"precision": precision, "recall": recall, "f1": each_f1}
    for name, values in wanted.items():
        measures = getattr(labels, f"{name}_per_label")(given)
        assert [*measures] == [f"{label}_{name}" for label in NAMES]
        found = [value_of(measure, len(given)) for measure in measures.values()]
        np.testing.assert_allclose(found, values, atol=1e-12)


def test_calibration_error_equals_its_formula():
    given, error = rows(count=200), 0.0
    best, right = given.scores.max(axis=1), given.correct
    for low in range(15):
        inside = (best > low / 15) & (best <= (low + 1) / 15)
        error += abs(best[inside].sum() - right[inside].sum()) / 200
    measure = labels.calibration_error(given)["calibration_error"]
    assert value_of(measure, 200) == pytest.approx(error, abs=1e-12)
    doubled = np.r_[np.full(100, 2.0), np.zeros(100)][None]
    half = LabelPredictions(
        given.references[:100], given.predictions[:100], given.labels, given.scores[:100]
    )
    want = value_of(labels.calibration_error(half)["calibration_error"], 100)
    assert measure(doubled)[0] == pytest.approx(want, abs=1e-12)


def test_rows_of_one_label_have_neither_correlation_nor_curve():
    given = LabelPredictions(["ant"] * 3, ["ant", "bee", "ant"], NAMES, np.full((3, 4), 0.25))
    for metric in (labels.matthews, labels.roc_auc):
        (measure,) = metric(given).values()
        assert np.isnan(value_of(measure, 3))
    same = LabelPredictions(["ant", "bee", "ant"], ["ant"] * 3, NAMES, np.full((3, 4), 0.25))
    assert value_of(labels.matthews(same)["matthews"], 3) == 0
    assert value_of(labels.roc_auc(same)["roc_auc"], 3) == 0.5


def test_a_prediction_of_no_label_is_wrong():
    given = LabelPredictions(
        ["ant", "bee", "bee"], ["ant", "", "bee"], NAMES[:2], np.full((3, 2), 0.5)
    )
    assert value_of(labels.accuracy(given)["accuracy"], 3) == pytest.approx(2 / 3)
    # F1 of ant is 1, and of bee 2 / 3.
    assert value_of(labels.macro_f1(given)["macro_f1"], 3) == pytest.approx(5 / 6)
    assert value_of(labels.recall_per_label(given)["bee_recall"], 3) == 0.5
    assert value_of(labels.precision_per_label(given)["bee_precision"], 3) == 1
