"""Three rows of a task, which it learns in its default number of epochs."""

import numpy as np
import pytest

import zoo

SIZES = {"hidden_dim": 24, "num_heads": 2, "num_layers": 1, "intermediate_dim": 48}
TEXTS = ["a small dog", "a big cat", "two men run"]
TARGETS = ["ein Hund", "eine Katze", "zwei Männer"]
SERIES = [np.sin(speed * np.arange(23)) for speed in (0.3, 1.0, 2.0)]
TASKS = {
    "text-classifier": (zoo.TextClassifier, {}, TEXTS, ["dog", "cat", "men"], 300),
    "series-classifier": (zoo.SeriesClassifier, {}, SERIES, ["slow", "fast", "most"], 1000),
    "text-to-text": (zoo.TextToText, SIZES, TEXTS, TARGETS, 1000),
}


@pytest.mark.thorough(2)
@pytest.mark.parametrize("name", TASKS)
def test_three_rows_are_learned(name, tmp_path):
    kind, sizes, inputs, outputs, steps = TASKS[name]
    rows = list(zip(inputs, outputs, strict=True))
    task = kind(**sizes)
    task.adapt(rows)
    history = task.fit(rows, folder=tmp_path, verbose=False)
    assert task.model.optimizer.iterations.numpy() == steps
    assert history.epoch == [*range(1, steps + 1)]
    assert list(task.predict(inputs)) == outputs
