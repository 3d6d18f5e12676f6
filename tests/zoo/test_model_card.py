"""The model card: what it says of data, metrics and settings, and that it is only read."""

import re
from pathlib import Path

import pytest

import zoo
from zoo.errors import UserError
from zoo.model_card import model_card
from zoo.registry import TASKS
from zoo.tasks.provenance import sha256

ROWS = "text\tlabel\nred hat\thats\ntwo dogs\tdogs\na hat\thats\nbig dogs\tdogs\n"


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    folder = tmp_path_factory.mktemp("card")
    (folder / "train.tsv").write_text(ROWS)
    task = zoo.TextClassifier()
    task.adapt(folder / "train.tsv")
    task.fit(folder / "train.tsv", epochs=1, verbose=False)
    return task


def metadata(card):
    return dict(line.split(": ", 1) for line in card.split("---\n")[1].splitlines())


def table(card, title):
    section = card.split(f"## {title}\n\n")[1].split("\n\n")[0]
    return [re.split(r" (?<!\\)\| ", line[2:-2]) for line in section.splitlines()[2:]]


def test_data_and_settings(task):
    card = model_card(task)
    (digest,) = {sha256(Path(name)) for name in task.files["data"]}
    assert table(card, "Training data") == [["train.tsv", digest]]
    settings = {row[0].replace("\\", ""): row[1] for row in table(card, "Settings")}
    assert settings["model"] == "ngram\\_classifier" and settings["labels"] == "dogs, hats"
    assert "was not evaluated" in card
    assert metadata(card)["pipeline_tag"] == "text-classification" and "license" not in card[:200]


def test_metrics_of_a_saved_run(task, tmp_path):
    (tmp_path / "test.tsv").write_text(ROWS)
    scores = task.evaluate(tmp_path / "test.tsv")
    task.save(tmp_path / "run")
    rows = dict(table(model_card(zoo.load(tmp_path / "run")), "Metrics"))
    assert rows.pop("measured on") == "test.tsv, the training data"  # the same rows
    assert {name.replace("\\", ""): float(x) for name, x in rows.items()} == pytest.approx(
        scores, rel=1e-5
    )
    (tmp_path / "run" / "metrics.json").write_text("{")
    assert "was not evaluated" in model_card(zoo.load(tmp_path / "run"))


def test_license(task, monkeypatch):
    monkeypatch.setattr(task, "license", "cc-by-4.0")
    assert metadata(model_card(task))["license"] == "cc-by-4.0"
    monkeypatch.setattr(task, "license", "mine\nlibrary_name: other")
    with pytest.raises(UserError, match="license must be a name such as apache-2.0, got 'mine"):
        model_card(task)


def test_names_are_not_markup(task, monkeypatch):
    monkeypatch.setattr(task, "data", {"<img src=x>|[a](b)\n# c": "0a"})
    card = model_card(task)
    assert "\n# c" not in card
    assert "| \\<img src=x\\>\\|\\[a\\](b) \\# c | 0a |" in card


def test_names_on_the_hub():
    assert all(re.fullmatch("[a-z0-9-]*", row.hub_name) for row in TASKS.values())
