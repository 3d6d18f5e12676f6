"""The metrics of a model in one table with those of baselines, in the log and from `evaluate`."""

import pytest

import zoo
from zoo.tasks.comparison import Comparison

PAIRS = [(f"a {x} dog runs", f"the dog that is {x} ran") for x in ("red", "big", "sad", "old")]


def test_one_table_of_all():
    model = {"accuracy": 0.75, "nsp_accuracy": 0.5, "macro_f1": 0.7}
    baselines = {"majority_accuracy": 0.25, "majority_nsp_accuracy": 0.5, "tfidf_accuracy": 0.5}
    found = Comparison(model, baselines)
    assert found.table() == (
        ["metric", "model", "majority", "tfidf"],
        [["accuracy", 0.75, 0.25, 0.5], ["nsp_accuracy", 0.5, 0.5, ""], ["macro_f1", 0.7, "", ""]],
    )
    assert found.lines() == [
        "accuracy: 0.75, majority 0.25, tfidf 0.5",
        "nsp_accuracy: 0.5, majority 0.5",
    ]
    assert found.metrics == {**model, **baselines}
    assert Comparison(model).table()[0] == ["metric", "value"]


@pytest.mark.parametrize(
    ("task", "data", "names"),
    [
        (zoo.TextEmbedder(hidden_dim=8, num_heads=2, intermediate_dim=8), PAIRS, ["tfidf"]),
        (
            zoo.TextToText(num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=8),
            PAIRS,
            ["copy", "majority"],
        ),
    ],
    ids=["embedder", "text-to-text"],
)
def test_training_ends_with_a_comparison_in_the_metrics_of_evaluate(task, data, names, tmp_path):
    task.fit(data, data, epochs=1, xla=False, folder=tmp_path / "run")
    scores = task.evaluate(data)
    assert [name for name in names if not any(x.startswith(f"{name}_") for x in scores)] == []
    log = (tmp_path / "run" / "log.txt").read_text()
    metric = next(iter(scores))
    others = ", ".join(f"{name} {scores[f'{name}_{metric}']:.4g}" for name in names)
    assert f"validation {metric}: {scores[metric]:.4g}, {others}" in log


def test_copies_and_frequent_targets_are_scored():
    rows = [("x", "x"), ("y", "y"), ("a", "b"), ("c", "b")]
    small = {"num_layers": 1, "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8}
    task = zoo.TextToText(tokenizer="characters", **small)
    task.fit(rows, epochs=1, xla=False, verbose=False)
    scores = task.evaluate(rows)
    assert scores["copy_exact_match"] == scores["majority_exact_match"] == 0.5
