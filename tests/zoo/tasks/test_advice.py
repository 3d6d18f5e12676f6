"""Advice after a training: each line only where the numbers say so."""

import math
from html import escape

import numpy as np
import pytest

import zoo
from zoo.metrics.labels import LabelPredictions
from zoo.option_names import typed_options
from zoo.report import report
from zoo.report.about import RunFolder
from zoo.tasks.advice import Evidence, advice, takes_pretrained
from zoo.tasks.comparison import Comparison

FALLS = {"epoch": [1, 2, 3, 4], "loss": [3.0, 2.0, 1.5, 1.2], "val_loss": [3.1, 2.5, 2.1, 1.9]}


def longer(history=FALLS, best=4, monitor="val_loss", all_epochs=True):
    return advice(Evidence(history, best, monitor, all_epochs))


def test_a_training_that_still_improves_should_be_longer():
    (line,) = longer()
    assert line == (
        "longer training, such as epochs=8: the last epoch was the best, and in it val_loss fell "
        "from 2.1 to 1.9"
    )
    with typed_options():
        assert "such as --epochs 8:" in longer()[0]
    (generated,) = longer({"loss": FALLS["loss"], "val_bleu": [1, 2, 3, 4]}, monitor="val_bleu")
    assert generated.endswith("loss fell from 1.5 to 1.2")


def test_a_training_that_is_not_at_its_end_and_improves_should_go_on():  # or still runs
    with typed_options():
        (line,) = longer(all_epochs=False)
    assert line == (
        "to train all planned epochs, with --resume if it was stopped: epoch 4 was the best so "
        "far, and in it val_loss fell from 2.1 to 1.9"
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"best": 3},
        {"monitor": None},  # without validation data, the last epoch is always the best
        {"all_epochs": False, "best": 3},  # it stopped early
        {"history": FALLS | {"val_loss": [3.1, 2.5, 2.1, 2.095]}},  # hardly falls
        {"history": FALLS | {"val_loss": [3.1, 2.5, 2.6, 2.1]}},  # jumps
        {"history": FALLS | {"loss": [3.0, 2.0, 1.5, 1.6]}},
        {"history": {"loss": [2.0, 1.0], "val_loss": [2.0, 1.0]}, "best": 2},  # too short to say
        {"history": {}, "best": 0},
        {"history": {"loss": [math.nan] * 4}},
    ],
)
def test_a_training_that_does_not_improve_should_not_be_longer(changes):
    assert longer(**changes) == []


BASELINES = {"majority_accuracy": 0.4, "tfidf_accuracy": 0.8}


@pytest.mark.parametrize(
    ("model", "baselines", "takes", "told"),
    [
        ({"accuracy": 0.81}, BASELINES, True, "accuracy 0.81 is hardly better than that of the"),
        ({"accuracy": 0.7}, BASELINES, True, "of the baseline tfidf, 0.8"),
        ({"accuracy": 0.83}, BASELINES, True, None),
        ({"accuracy": 0.81}, BASELINES, False, None),  # a task of images, or it has one
        ({"accuracy": 0.41}, {"majority_accuracy": 0.4}, True, None),  # that learned nothing
        ({"accuracy": 0.985}, {"majority_accuracy": 0.4, "tfidf_accuracy": 0.98}, True, None),
        ({"loss": 0.5, "accuracy": 0.81}, BASELINES, True, "accuracy 0.81"),
        ({"mae": 0.5}, {"mean_mae": 0.5, "tfidf_mae": 0.5}, True, None),
        ({}, BASELINES, True, None),
    ],
)
def test_a_pretrained_encoder_if_words_do_as_well(model, baselines, takes, told):
    actual = advice(Evidence(comparison=Comparison(model, baselines), takes_pretrained=takes))
    assert len(actual) == (told is not None)
    assert not actual or (told in actual[0] and actual[0].startswith("a pretrained encoder with"))


def test_which_tasks_take_a_pretrained_encoder():
    assert takes_pretrained("text-classifier", {"a.tsv": "0"})
    assert not takes_pretrained("image-classifier", {})
    assert not takes_pretrained("text-classifier", {"checkpoint/model.safetensors": "0"})


def labeled(**found):
    """Rows of labels: how many of each there are, and how many of them are found."""
    true, predicted = [], []
    for label, (right, count) in found.items():
        other = next((each for each in found if each != label), "none")
        true += [label] * count
        predicted += [label] * right + [other] * (count - right)
    return LabelPredictions(true, predicted, [*found])


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (labeled(a=(38, 41), b=(35, 37), c=(3, 11)), "its 11 rows of the 89 that were checked"),
        (labeled(a=(38, 41), b=(35, 37), c=(10, 11)), None),  # it is found
        (labeled(a=(7, 41), b=(40, 41), c=(40, 41)), None),  # it is not rare
        (labeled(a=(38, 41), b=(35, 37), c=(0, 3)), None),  # three rows say little
        (labeled(a=(4, 4)), None),
        (labeled(a=(1, 3), b=(1, 3)), None),
        (LabelPredictions([], [], ["a", "b"]), None),
    ],
)
def test_more_rows_of_a_label_that_is_rare_and_not_found(rows, told):
    actual = advice(Evidence(labels=rows))
    assert len(actual) == (told is not None)
    if told:
        right = int(np.sum((rows.true == 2) & (rows.predicted == 2)))
        assert actual[0].startswith("more rows of the label 'c': of") and told in actual[0]
        assert f"the model finds {right}, and 85 % of all" in actual[0]


@pytest.mark.parametrize(
    ("trained", "held_out", "told"),
    [
        ([0.7, 0.99], [0.7, 0.8], True),
        ([0.7, 0.99], [0.95, 0.8], False),
        ([0.7, 0.85], [0.5, 0.6], False),  # it has not learned the training data yet
        ([0.7, 31.0], [0.7, 0.8], False),  # no share
        ([0.99], [None], False),
    ],
)
def test_more_rows_if_the_training_data_is_known_by_heart(trained, held_out, told):
    actual = advice(Evidence({"accuracy": trained, "val_accuracy": held_out}))
    assert len(actual) == told
    assert not told or "accuracy is 0.99 on the training data, and at best 0.8" in actual[0]


def test_there_are_three_lines_at_most():
    both = FALLS | {"accuracy": [0.5, 0.6, 0.8, 0.99], "val_accuracy": [0.4, 0.5, 0.6, 0.7]}
    rare = labeled(a=(38, 41), b=(35, 37), c=(3, 11))
    compared = Comparison({"accuracy": 0.7}, BASELINES)
    lines = advice(Evidence(both, 4, "val_accuracy", True, compared, rare, True))
    assert [line.split()[0] for line in lines] == ["longer", "a", "more"]


def test_a_training_says_it_and_its_report_does_too(tmp_path, capsys):
    """A label that occurs rarely, and that no word tells from another."""
    rng = np.random.default_rng(5)

    def rows(count):
        fine = [(f"a fine {' '.join(rng.choice(list('xyz'), 3))}", "good") for _ in range(count)]
        poor = [(f"a poor {' '.join(rng.choice(list('xyz'), 3))}", "bad") for _ in range(count)]
        odd = [(text, "odd") for text, _ in fine[: count // 5]]
        return [*fine, *poor, *odd]

    task = zoo.TextClassifier()
    options = {"folder": tmp_path / "run", "epochs": 2, "xla": False}
    history = task.fit(rows(60), rows(31), **options)
    assert any(line.startswith("more rows of the label 'odd'") for line in history.advice)
    log = (tmp_path / "run" / "log.txt").read_text("utf-8")
    said = capsys.readouterr().err
    for line in history.advice:
        assert f"would probably help: {line}\n" in log and f"probably help: {line}" in said
        assert escape(line) in history._repr_html_()
    task.save(tmp_path / "run")
    known = RunFolder(tmp_path / "run").evidence()
    assert known.monitor == "val_accuracy" and known.all_epochs and known.takes_pretrained
    assert known.best_epoch == history.best_epoch
    page = report(tmp_path / "run", data=rows(31)).read_text("utf-8")
    assert "What would probably help most" in page and "more rows of the label " in page
    quiet = zoo.TextClassifier().fit(rows(20), rows(20), epochs=1, xla=False, verbose=False)
    assert quiet.advice == ()
