"""An artifact beside its task: the weights, and the metrics on data of the user."""

import pytest

import export
import zoo

ROWS = [("a fine film", "good"), ("a dull film", "bad"), ("fine", "good"), ("so dull", "bad")] * 5


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("metrics")
    task = zoo.TextClassifier("ngram_classifier")
    task.adapt(ROWS)
    task.fit(ROWS, epochs=9, learning_rate=0.3, xla=False, verbose=False)
    export.litert(task, folder / "films.tflite")
    # The labels of two thirds are swapped.
    rows = [
        (text, {"good": "bad", "bad": "good"}[y] if i % 3 else y)
        for i, (text, y) in enumerate(ROWS)
    ]
    (folder / "test.tsv").write_text("".join(f"{text}\t{y}\n" for text, y in rows))
    return task, folder


@pytest.mark.thorough
def test_metrics_beside_the_task(trained):
    task, folder = trained
    report = export.verify(folder / "films.tflite", task, folder / "test.tsv", max_drop=0.0)
    assert report.passed and {"sha256 weights of the task", "max drop"} <= {
        check.name for check in report.checks
    }
    live, own = report.files
    assert (live["file"], own["file"]) == ("the task", "films.tflite")
    expected = task.evaluate(folder / "test.tsv")  # with baselines
    for each in (live, own):
        assert each["metrics"] == pytest.approx({k: expected[k] for k in each["metrics"]}, abs=1e-6)
    assert 0.3 < expected["accuracy"] < 0.4
    assert "accuracy" in str(report)


@pytest.mark.thorough
def test_other_weights(trained):
    task, folder = trained
    weight = task.model.trainable_weights[0]
    before = weight.numpy()
    try:
        weight.assign(before + 1.0)
        report = export.verify(folder / "films.tflite", task, folder / "test.tsv")
    finally:
        weight.assign(before)
    assert [check.name for check in report.failed] == ["sha256 weights of the task"]
    assert not report.files  # nothing was evaluated


@pytest.mark.parametrize(
    ("options", "message"),
    [({"data": "a.tsv"}, "data needs task"), ({"max_drop": 1.0}, "max_drop needs data")],
)
def test_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        export.verify("anything", **options)
