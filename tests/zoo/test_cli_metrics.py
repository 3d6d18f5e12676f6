import json

import pytest

import zoo
from tests.zoo.test_cli import run
from zoo.errors import UserError

ROWS = [
    (f"{start} {end}", label)
    for start in ("a", "the", "one", "this")
    for end, label in (("fine film", "good"), ("dull film", "bad"), ("long dull day", "bad"))
]
SMALL = {"embedding_dim": 8, "units": 8}


def invoke(*arguments, code=0):
    result = run(*arguments)
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two runs, of which the second one has learned little, and a test file."""
    folder = tmp_path_factory.mktemp("metrics")
    lines = [f"{text}\t{label}" for text, label in [*ROWS, ("a fine day", "good")] * 4]
    (folder / "test.tsv").write_text("\n".join(["text\tlabel", *lines]))
    for name, model, options in (
        ("ngrams", "ngram_classifier", {}),
        ("rnn", "rnn_classifier", SMALL),
    ):
        task = zoo.TextClassifier(model, **options)
        task.fit(ROWS, epochs=1 if name == "rnn" else 5, xla=False, verbose=False)
        task.save(folder / name)
    return folder


def test_metrics_by_name_with_intervals(folder):
    names = "accuracy,roc_auc,log_loss,precision_per_label"
    found = invoke("evaluate", folder / "ngrams", "--data", folder / "test.tsv", "--metrics", names)
    assert "95 % interval" in found.output and "bad_precision" in found.output
    found = json.loads(
        invoke(
            *("evaluate", folder / "ngrams", "--data", folder / "test.tsv"),
            *("--metrics", names, "--json"),
        ).stdout
    )
    low, high = found["intervals"]["log_loss"]
    assert low < found["log_loss"] < high
    want = zoo.load(folder / "ngrams").evaluate(folder / "test.tsv", metrics=["log_loss"])
    assert found["log_loss"] == pytest.approx(want["log_loss"])


def test_an_unknown_metric_lists_those_that_fit(folder):
    arguments = ("evaluate", folder / "ngrams", "--data", folder / "test.tsv", "--metrics")
    result = invoke(*arguments, "accuracy,bleu", code=2)
    assert "the metric bleu does not fit text-classifier" in result.output
    result = invoke(*arguments, "accuracy,beauty", code=2)
    assert "unknown metric 'beauty' for text-classifier" in result.output
    assert "choose from accuracy, macro_f1" in " ".join(result.output.split())


def test_a_metric_of_two_labels_refuses_one(folder):
    task = zoo.load(folder / "ngrams")
    for name in ("roc_auc", "matthews"):
        with pytest.raises(UserError, match=f"{name} needs rows of at least two labels"):
            task.evaluate(ROWS[:1] * 5, metrics=[name])


def test_two_runs_are_compared_in_pairs(folder):
    arguments = ("evaluate", folder / "ngrams", "--data", folder / "test.tsv")
    found = invoke(*arguments, "--compare", folder / "rnn")
    assert all(name in found.output for name in ("ngrams", "rnn", "difference", "p"))
    found = json.loads(invoke(*arguments, "--compare", folder / "rnn", "--json").stdout)
    assert [*found] == ["accuracy", "macro_f1"]
    one, other = (
        zoo.load(folder / name).evaluate(folder / "test.tsv") for name in ("ngrams", "rnn")
    )
    for name, each in found.items():
        assert each["value"] == pytest.approx(one[name])
        assert each["other"] == pytest.approx(other[name])
        assert each["difference"] == pytest.approx(one[name] - other[name])
        low, high = each["interval"]
        assert low <= each["difference"] <= high and 0 < each["p"] <= 1


def test_runs_of_other_tasks_or_labels_are_not_compared(folder):
    task = zoo.load(folder / "ngrams")
    values = zoo.TextRegressor("ngram_classifier")
    with pytest.raises(UserError, match="text-classifier cannot be compared with one of text-r"):
        task.compare_with(values, ROWS)
    named = zoo.TextClassifier("ngram_classifier", text_column="label", label_column="text")
    named.fit([(label, text) for text, label in ROWS], epochs=1, xla=False, verbose=False)
    task.settings.text_column, task.settings.label_column = "text", "label"
    same = [each for each in ROWS if each[1] == "bad"]
    path = folder / "same.tsv"
    path.write_text("\n".join(["text\tlabel", *("\t".join(each) for each in same)]))
    with pytest.raises(UserError, match="have other correct answers"):
        task.compare_with(named, path)
