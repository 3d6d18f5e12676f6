"""Exact match and F1 are those of SQuAD's official script."""

import re
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scores import score_answers


def official_normalize(text):
    """The steps of the definition, one after another, on characters and words."""
    text = "".join(each for each in text.lower() if each not in set(string.punctuation))
    text = re.sub(re.compile(r"\b(a|an|the)\b", re.UNICODE), " ", text)
    return " ".join(text.split())


def official_f1(gold, found):
    gold, found = official_normalize(gold).split(), official_normalize(found).split()
    if not gold or not found:
        return int(gold == found)
    same = sum((Counter(gold) & Counter(found)).values())
    if not same:
        return 0
    precision, recall = same / len(found), same / len(gold)
    return 2 * precision * recall / (precision + recall)


def official(references, predictions):
    exact = f1 = 0
    for answers, found in zip(references, predictions, strict=True):
        gold = [each for each in answers if official_normalize(each)] or [""]
        exact += max(int(official_normalize(each) == official_normalize(found)) for each in gold)
        f1 += max(official_f1(each, found) for each in gold)
    return exact / len(predictions), f1 / len(predictions)


TEXT = st.lists(
    st.sampled_from(["the", "A", "an", "U.S.", "us", "Köln", "1,000", "—", "…", "a.", "it's"])
    | st.text(max_size=4),
    max_size=5,
).map(" ".join)


@given(st.lists(st.tuples(st.lists(TEXT, max_size=3), TEXT), min_size=1, max_size=5))
def test_the_scores_are_the_official_ones(rows):
    references, predictions = zip(*rows, strict=True)
    scores = score_answers(references, predictions)
    exact, f1 = official(references, predictions)
    assert scores["exact_match"] == pytest.approx(exact)
    assert scores["f1"] == pytest.approx(f1)


def test_scores_by_hand():
    references = [["Denver Broncos", "the Broncos"], ["10 January"], [], ["the"], ["Rome"]]
    found = ["The  Broncos!", "January 11", "", "", ""]
    scores = score_answers(references, found)
    assert scores["exact_match"] == pytest.approx(3 / 5)  # an answer of an article is none
    assert scores["f1"] == pytest.approx((1 + 0.5 + 1 + 1 + 0) / 5)
    assert scores["answered_f1"] == pytest.approx(1.5 / 3)
    assert scores["unanswered_accuracy"] == 1
    assert score_answers([["a hat"]], ["hat"]) == {"exact_match": 1, "f1": 1}
