"""What a training says of its own predictions."""

import numpy as np
import pytest

import zoo
from zoo.tasks.parts.preview import PreviewRow
from zoo.tasks.self_check import doubts
from zoo.training.history import History


def history(losses=(3.0, 2.0), accuracies=(), best=1):
    columns = {"loss": list(losses)}
    if accuracies:
        columns["val_accuracy"] = list(accuracies)
    epochs = list(range(1, len(losses) + 1))
    return History(epochs, columns, best, None, None, False, "finished", 1.0)


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
    found = doubts(rows(predictions, references), history(), {})
    assert [message is not None and message in each for each in found] == [True] * (
        message is not None
    )


@pytest.mark.parametrize(
    ("losses", "told"),
    [((2.0, 3.0), True), ((2.0, 2.0), False), ((3.0, 4.0, 2.0), False), ((2.0,), False)],
)
def test_a_loss_that_rises(losses, told):
    assert bool(doubts([], history(losses), {})) is told


@pytest.mark.parametrize(
    ("accuracies", "best", "baselines", "told"),
    [
        ((0.5, 0.6), 2, {"majority_accuracy": 0.6}, True),
        ((0.5, 0.7), 2, {"majority_accuracy": 0.6}, False),
        ((0.7, 0.5), 2, {"majority_accuracy": 0.6}, True),  # of the epoch that was kept
        ((0.5, 0.7), 2, {"majority_accuracy": 0.6, "tfidf_accuracy": 0.8}, True),
        ((0.5, 1.0), 2, {"tfidf_accuracy": 1.0}, False),  # nothing is better
        ((0.5, 0.7), 2, {"naive_mae": 0.9}, False),
        ((), 0, {"majority_accuracy": 0.6}, False),
    ],
)
def test_no_better_than_a_baseline(accuracies, best, baselines, told):
    found = doubts([], history((2.0, 1.0), accuracies, best), baselines)
    assert bool(found) is told
    if told:
        name = max(baselines, key=baselines.get)
        assert f"{name} is {baselines[name]:.4g}" in found[0]


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
