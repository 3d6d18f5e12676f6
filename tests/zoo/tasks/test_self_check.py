"""What a training says of its own predictions."""

import numpy as np
import pytest

import zoo
from export import measurements
from zoo.heads.directions import LOWER_IS_BETTER
from zoo.metrics.resampling import Difference
from zoo.tasks.comparison import Comparison, Margin
from zoo.tasks.parts.preview import PreviewRow
from zoo.tasks.self_check import against_baselines, doubts
from zoo.training.history import History


def history(losses=(3.0, 2.0), **others):
    columns = {"loss": list(losses), **others}
    epochs = list(range(1, len(losses) + 1))
    return History(epochs, columns, 1, None, None, False, "finished", 1.0)


def rows(predictions, references):
    pairs = zip(predictions, references, strict=True)
    return [PreviewRow("", prediction, reference, None) for prediction, reference in pairs]


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        (["", " ", ""], ["a", "b", "c"], "all 3 predictions that were checked are empty"),
        (["a", "a"], ["a", "b"], "all 2 predictions that were checked are 'a', and the correct"),
        (["a", "a"], ["a", "a"], None),  # nothing else to expect
        (["a", "a"], [None, None], None),
        (["a", "b"], ["c", "c"], None),
        ([""], ["a"], None),  # one row says little
        ([], [], None),
    ],
)
def test_predictions_that_are_all_the_same(predictions, references, message):
    actual = doubts(rows(predictions, references), history(), Comparison({}))
    assert [message is not None and message in each for each in actual] == [True] * (
        message is not None
    )


@pytest.mark.parametrize(
    ("losses", "told"),
    [((2.0, 3.0), True), ((2.0, 2.0), False), ((3.0, 4.0, 2.0), False), ((2.0,), False)],
)
def test_a_loss_that_rises(losses, told):
    assert bool(doubts([], history(losses), Comparison({}))) is told


def test_a_lower_learning_rate_is_named():
    (actual,) = doubts([], history((2.0, 3.0)), Comparison({}), learning_rate=0.02)
    assert actual == (
        "warning: the training loss rose from 2 to 3: take a lower learning_rate than 0.02, such "
        "as learning_rate=0.002"
    )


@pytest.mark.parametrize(
    ("model", "baselines", "told"),
    [
        ({"accuracy": 0.6}, {"majority_accuracy": 0.6}, "majority is 0.6"),
        ({"accuracy": 0.7}, {"majority_accuracy": 0.6}, None),
        ({"accuracy": 0.7}, {"majority_accuracy": 0.6, "tfidf_accuracy": 0.8}, "tfidf is 0.8"),
        ({"accuracy": 1.0}, {"tfidf_accuracy": 1.0}, None),  # nothing is better
        ({"accuracy": 0.7}, {"naive_mae": 0.9}, None),
        ({"mae": 0.7, "accuracy": 0.1}, {"naive_mae": 0.6}, "naive is 0.6"),
        ({"perplexity": 5.0}, {"ngram_perplexity": 5.5}, None),
        ({"perplexity": 0.0, "loss": 9.0}, {"ngram_perplexity": 0.0}, "ngram is 0"),
        ({"recall_at_1": 0.5, "mrr": 0.9}, {"tfidf_mrr": 0.8, "tfidf_recall_at_1": 0.6}, "0.6"),
        ({}, {"majority_accuracy": 0.6}, None),
    ],
)
def test_no_better_than_a_baseline(model, baselines, told):
    actual = doubts([], history((2.0, 1.0)), Comparison(model, baselines))
    assert [told in each for each in actual] == [True] * (told is not None)


@pytest.mark.parametrize(("measured", "told"), [(0, False), (119, True), (4000, False)])
def test_a_baseline_within_the_interval_of_the_accuracy_is_told(measured, told):
    comparison = Comparison({"accuracy": 0.5966}, {"majority_accuracy": 0.563})
    actual = doubts([], history((2.0, 1.0)), comparison, measured)
    assert len(actual) == told
    if told:  # the interval is that of statsmodels' proportion_confint(71, 119, method="wilson")
        assert "may be no better" in actual[0] and "is 0.5068 to 0.6804" in actual[0]
    less = Comparison({"accuracy": 0.5966, "f1": 0.4}, {"majority_accuracy": 0.49})
    assert doubts([], history((2.0, 1.0)), less, measured) == []


@pytest.mark.parametrize("flips", [3, 60])
def test_the_margin_to_the_best_baseline_is_that_of_a_paired_test(flips):
    """Of a class that is always right where it matters, and of one that is so by chance."""
    texts = [f"{'good' if n % 2 else 'bad'} {n % 5}" for n in range(200)]
    wrong = {n for n in range(200) if n % (200 // flips) == 0}
    rows = [(text, "xy"[(n + (n in wrong)) % 2]) for n, text in enumerate(texts)]
    task = zoo.TextClassifier("ngram_classifier", "tiny", max_length=5)
    task.adapt(rows)
    task.fit(rows, rows, epochs=8, learning_rate=0.1, verbose=False, xla=False)
    comparison = task.compare(rows)
    metric, name, value = comparison.best_baseline()
    margin = comparison.margin
    assert (margin.metric, margin.baseline) == (metric, name)
    assert margin.difference.value == pytest.approx(comparison.model[metric])
    assert margin.difference.other == pytest.approx(value)
    low, high = margin.difference.interval
    assert low <= margin.difference.difference <= high
    (sentence,) = against_baselines(comparison) or [""]
    assert (f"{low:.4g} to {high:.4g}" in sentence) == (margin.difference.difference > 0)


def test_a_training_looks_at_its_own_predictions(tmp_path, capsys):
    rng = np.random.default_rng(3)
    images = [(rng.integers(0, 255, (11, 13)), "ab"[i % 2]) for i in range(16)]
    small = {"layers": [[4, 3]], "localization": [[2, 3]]}
    task = zoo.ImageClassifier("stn_classifier", "affine", **small)
    task.adapt(images)
    folder = tmp_path / "run"
    task.fit(images, images, epochs=1, learning_rate=1e-9, xla=False, folder=folder)
    log = (folder / "log.txt").read_text()
    one = len(set(task.predict([image for image, _ in images]))) == 1
    assert ("predictions that were checked are" in log) is one
    assert ("warning:" in log) is ("warning:" in capsys.readouterr().err)


@pytest.mark.parametrize(
    ("model", "baselines", "kept"),
    [
        (
            {"accuracy": 0.5},
            {"majority_accuracy": 0.5, "tfidf_accuracy": 1.0},
            {"majority_accuracy": 0.5},
        ),
        (
            {"word_error_rate": 1.0},
            {"majority_word_error_rate": 0.9, "other_word_error_rate": 0.2},
            {"majority_word_error_rate": 0.9},
        ),
        ({"loss": 3.0}, {"ngram_loss": 1.0}, {}),  # which has counted these rows
        ({"loss": 3.0, "bleu": 0.0}, {"ngram_loss": 1.0, "copy_bleu": 0.3}, {"copy_bleu": 0.3}),
        ({"bleu": 3.0}, {}, {}),
    ],
)
def test_the_weakest_baseline(model, baselines, kept):
    assert Comparison(model, baselines).with_weakest_baseline().baselines == kept


def test_without_validation_data_the_training_rows_are_looked_at(capsys):
    random = np.random.default_rng(0)
    rows = [(" ".join(random.choice([*"abcdefg"], 5)), "xyz"[n % 3]) for n in range(60)]
    task = zoo.TextClassifier(num_buckets=64)
    task.fit(rows, epochs=1, learning_rate=1e-6, xla=False)
    log = capsys.readouterr().err
    assert "on some training rows: accuracy: " in log and "majority" in log
    assert "tfidf" not in log.split("on some training rows")[1]
    assert "warning: " in log
    task.fit(rows, epochs=60, learning_rate=5.0, xla=False)
    log = capsys.readouterr().err
    assert "on some training rows: accuracy: " in log and "warning: " not in log


def test_export_knows_the_same_metrics_that_are_better_when_lower():
    assert set(measurements.LOWER_IS_BETTER) == set(LOWER_IS_BETTER)


LONGER, OTHER = "train longer with epochs, or on more data", "another model with model or"


@pytest.mark.parametrize(
    ("losses", "others", "advice"),
    [
        ((1.7, 0.1), {"accuracy": [0.52, 0.9991], "val_accuracy": [0.6, 0.712]},
         "(accuracy 0.9991 in training, at best 0.712 in validation)"),
        ((1.7, 0.1), {"accuracy": [0.52, 0.9991], "val_accuracy": [0.6, 0.97]}, None),
        ((1.7, 0.9), {"accuracy": [0.52, 0.75], "val_accuracy": [0.6, 0.62]}, None),
        ((1.7, 0.9), {"accuracy": [0.52, None], "val_accuracy": [None, None]}, None),
        ((2.0, 1.0, 0.1), {"val_loss": [0.9, 1.3, 1.9]},
         "(loss 0.1 in training, at best 0.9 in validation)"),
        ((2.0, 1.0, 0.7), {"val_loss": [0.9, 1.3, 1.9]}, None),
        ((2.0, 1.0, 0.1), {"val_loss": [1.9, 1.3, 0.9]}, None),
        ((2.0, 0.1), {"mae": [0.99, 0.95], "val_mae": [0.4, 0.3]}, None),
    ],
)  # fmt: skip
def test_more_epochs_are_not_advised_if_the_training_data_is_known(losses, others, advice):
    worse = Comparison({"accuracy": 0.712}, {"tfidf_accuracy": 0.732})
    (actual,) = doubts([], history(losses, **others), worse)
    assert (LONGER in actual, OTHER in actual) == (advice is None, advice is not None)
    assert advice is None or advice in actual


@pytest.mark.parametrize(
    ("bleu", "told"), [(1.13, True), (4.99, True), (5.0, False), (36.2, False)]
)
def test_texts_that_are_hardly_right_are_told_although_a_copy_is_worse(bleu, told):
    comparison = Comparison({"bleu": bleu}, {"copy_bleu": 0.5})
    sentence = (
        f"bleu is {bleu:.3g} of 100: the texts have hardly any sequence of words that is right"
    )
    assert against_baselines(comparison) == [sentence] * told
    assert doubts([], history((2.0, 1.0)), comparison) == [f"warning: {sentence}"] * told


def test_a_model_that_is_right_where_the_baseline_is_has_no_interval():
    same = Margin("accuracy", "tfidf", Difference(1.0, 1.0, (0.0, 0.0), 1.0))
    scores = {"accuracy": 1.0}, {"tfidf_accuracy": 1.0}
    actual = against_baselines(Comparison(*scores, margins=lambda metric, baseline: same))
    assert actual == ["the model is as good as the baseline tfidf, row by row"]
