"""The sentence of a page, and its example inputs, of which the description may be anyone's."""

import pytest

from zoo.page.lead import NAMED, examples, sentence, text_columns
from zoo.serving.about import ABOUT, EXAMPLES, LONGEST, about


def test_what_a_page_says():
    metrics = {"accuracy": 0.78699, "macro_f1": 0.5}
    known = about(metrics, "reviews.csv", {"text": ["a", " ", "b" * (LONGEST + 1), "c", "d", "e"]})
    assert known == {
        "metric": "accuracy",
        "value": 0.78699,
        "data": "reviews.csv",
        "examples": [{"text": "a"}, {"text": "c"}, {"text": "d"}],
    }
    config = {ABOUT: known}
    assert sentence("Classifies a text.", ["bad", "good"], config) == (
        "Classifies a text. 2 labels: bad, good. Accuracy 0.787 on reviews.csv."
    )
    beside = about(metrics, "a.csv", {}, ("accuracy", "nearest_centroid", 0.6512))
    assert sentence("Classifies a text.", [], {ABOUT: beside}) == (
        "Classifies a text. Accuracy 0.787 on a.csv; of the baseline nearest centroid 0.651."
    )
    assert about(metrics, "a.csv", {}, ("macro_f1", "majority", 0.6)) == about(metrics, "a.csv", {})
    forged = {ABOUT: {**beside, "baseline_value": "<b>"}}
    assert sentence("Classifies a text.", [], forged).endswith("on a.csv.")
    assert examples(config, ["text"]) == known["examples"]
    assert examples(config, ["text", "second"]) == examples(config, []) == []
    pairs = about({}, "", {"question": ["q", "r"], "passage": ["p", "s"]})
    assert pairs == {
        "examples": [{"question": "q", "passage": "p"}, {"question": "r", "passage": "s"}]
    }


def test_many_labels_and_inputs_that_are_no_texts():
    labels = [f"l{n}" for n in range(NAMED + 1003)]
    told = sentence("Classifies.", labels, {})
    assert told == "Classifies. 1,009 labels: l0, l1, l2, l3, l4, l5 and 1,003 more."
    assert about({"mae": 1.0}, "", {"values": [[1.0, 2.0]]}) == {}
    assert sentence("Forecasts.", [], {}) == "Forecasts."


@pytest.mark.parametrize(
    "given",
    [
        None,
        3,
        {"examples": 3},
        {"examples": [3, {"text": 3}, {"text": ""}, {"text": "x" * (LONGEST + 1)}]},
        {"metric": 3, "value": 1.0, "data": "x"},
        {"metric": "a", "value": "1", "data": "x"},
        {"metric": "a", "value": 1.0, "data": None},
    ],
)
def test_a_description_of_someone_else(given):
    config = {ABOUT: given}
    assert sentence("Does.", [], config) == "Does." and examples(config, ["text"]) == []


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({"roles": ["source", "target"], "columns": {"source": "en", "target": "de"}}, "en de"),
        ({"roles": ["source", "target"], "columns": {"source": "en", "target": 3}}, "en"),
        ({"roles": ["source"], "columns": {"source": "en"}}, ""),
        ({"roles": 3, "columns": {}}, ""),
        ({"roles": [[], {}], "columns": []}, ""),
        (None, ""),
    ],
)
def test_the_columns_of_a_description_of_someone_else(table, expected):
    actual = text_columns({"table": table}, ["first", "second"])
    assert list(actual.values()) == expected.split()


def test_no_more_examples_than_a_page_shows():
    config = {ABOUT: {"examples": [{"text": f"{n}"} for n in range(99)]}}
    assert len(examples(config, ["text"])) == EXAMPLES
