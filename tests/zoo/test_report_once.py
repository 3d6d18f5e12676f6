"""A report reads its data once, and answers each row once, besides the rows that it shows."""

import csv

import numpy as np
import pytest

import zoo
from zoo.report import report
from zoo.tasks import answered as answering
from zoo.tasks.task import Task

pytest.importorskip("matplotlib")

COUNT = 47
DATA = {
    zoo.TextClassifier: [(f"a film of {n}", "good" if n % 2 else "bad") for n in range(COUNT)],
    zoo.TextRegressor: [(f"a cup of {n}", str(n % 7)) for n in range(COUNT)],
}


@pytest.mark.parametrize("kind", DATA)
def test_data_is_read_once_and_answered_once(kind, tmp_path, monkeypatch):
    data = tmp_path / "data.csv"
    with data.open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *DATA[kind]])
    task = kind(num_buckets=64, **({} if kind is zoo.TextClassifier else {"value_column": "label"}))
    task.fit(data, epochs=1, xla=False, verbose=False)
    runs, reads = task.runner(), []

    def counted(name, features):
        rows.append(len(features["row"]))
        return runs(name, features)

    rows = []
    read_to_evaluate, read = answering.read_to_evaluate, Task.read
    monkeypatch.setattr(
        answering,
        "read_to_evaluate",
        lambda *given: reads.append(given) or read_to_evaluate(*given),
    )
    monkeypatch.setattr(Task, "read", lambda *given: reads.append(given) or read(*given))
    monkeypatch.setattr(Task, "runner", lambda self, **options: counted)
    page = report(task, tmp_path / "page.html", data)
    assert page.exists() and len(reads) == 1
    # All rows; and of values, the first ones again as text.
    assert np.sum(rows) == COUNT + (0 if kind is zoo.TextClassifier else 18)
