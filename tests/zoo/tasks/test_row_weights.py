import numpy as np
import pytest

import zoo
from zoo.errors import UserError
from zoo.training.calibration import calibration_of

ROWS = [("fine film", "good"), ("lovely day", "good"), ("fine day", "good")] * 4
ROWS += [("dull film", "bad")]


def weighted_file(path, weights):
    lines = [f"{text}\t{label}\t{w}" for (text, label), w in zip(ROWS, weights, strict=True)]
    path.write_text("\n".join(["text\tlabel\timportance", *lines]))
    return path


def fitted_to(data, **settings):
    task = zoo.TextClassifier("rnn_classifier", embedding_dim=4, units=4, dropout=0.0, **settings)
    history = task.fit(data, data, epochs=2, xla=False, verbose=False)
    return task, history.history["val_loss"][history.best_epoch - 1]


def test_validation_loss_is_the_weighted_mean(tmp_path):
    weights = [2, 1, 0] * 4 + [3]
    data = weighted_file(tmp_path / "weighted.tsv", weights)
    weighted, loss = fitted_to(data, weight_column="importance")
    rows = weighted.read(data)
    assert rows.weights == [float(w) for w in weights]
    batches = weighted.batches(rows, weighted.Training(), held_out=True)
    parts = [
        (np.asarray(weighted.model(inputs, training=False)["logits"]), labels, own)
        for inputs, labels, own in batches.dataset(shuffle=False)
    ]
    ((logits, labels, own),) = parts
    log_p = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    picked = log_p[np.arange(len(labels)), np.maximum(labels, 0)]
    assert loss == pytest.approx(-np.average(picked, weights=own), rel=1e-4)


def test_the_temperature_counts_weights():
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, 50)
    logits = 3 * random.normal(size=(50, 3)) + 2 * np.eye(3)[labels]
    weights = random.integers(0, 3, 50)
    twice = np.repeat(np.arange(50), weights)
    weighted = calibration_of(logits, labels, weights)
    assert weighted.before == pytest.approx(calibration_of(logits[twice], labels[twice]).before)
    plain = calibration_of(logits, labels)
    assert weighted.temperature != pytest.approx(plain.temperature, rel=1e-3)
    same = calibration_of(logits, labels, np.full(50, 7.0))
    assert same.temperature == pytest.approx(plain.temperature)


@pytest.mark.parametrize("weight", ["-1", "nan", "many", "inf"])
def test_a_weight_that_is_none_is_refused_with_its_line(tmp_path, weight):
    data = weighted_file(tmp_path / "weighted.tsv", [1, weight, *[1] * (len(ROWS) - 2)])
    reason = f":3: the weight '{weight}' is not a finite number of at least 0"
    with pytest.raises(UserError, match=reason):
        zoo.TextClassifier(weight_column="importance").adapt(data)


def test_weights_that_are_all_zero_or_in_no_column_are_refused(tmp_path):
    data = weighted_file(tmp_path / "weighted.tsv", [0] * len(ROWS))
    with pytest.raises(UserError, match="all weights of rows are 0"):
        zoo.TextClassifier(weight_column="importance").adapt(data)
    with pytest.raises(UserError, match="weights"):
        zoo.TextClassifier(weight_column="weights").adapt(data)


def test_data_to_evaluate_need_no_weights(tmp_path):
    data = weighted_file(tmp_path / "weighted.tsv", [1] * len(ROWS))
    task = zoo.TextClassifier("ngram_classifier", weight_column="importance")
    task.fit(data, epochs=1, xla=False, verbose=False)
    plain = tmp_path / "plain.tsv"
    plain.write_text("\n".join(["text\tlabel", *("\t".join(row) for row in ROWS)]))
    assert 0 <= task.evaluate(plain)["accuracy"] <= 1
