"""Baselines of summaries: the beginnings of texts, where most texts have more."""

import pytest

from tests.scores import score_texts
from zoo.data.readers.pairs import Pairs
from zoo.tasks.baselines.pairs import PairBaselines, lead

LONG = "It rains in Rome. It pours! Who knows? The old man snores."
SHORT = "It rains."


@pytest.mark.parametrize(
    ("count", "expected"),
    [(1, "It rains in Rome."), (3, "It rains in Rome. It pours! Who knows?"), (9, LONG)],
)
def test_a_beginning_has_whole_sentences(count, expected):
    assert lead(LONG, count) == expected


def test_beginnings_are_evaluated_where_most_texts_are_longer():
    pairs = Pairs("", [LONG, LONG, SHORT], ["Rain in Rome", "It rains in Rome.", "Rain"])
    actual = PairBaselines().scores_without_training(pairs)
    for count in (1, 3):
        expected = score_texts(pairs.targets, [lead(text, count) for text in pairs.sources])
        assert {name: actual[f"lead_{count}_{name}"] for name in expected} == expected
    assert actual["lead_1_exact_match"] == pytest.approx(1 / 3) and actual["copy_exact_match"] == 0


def test_texts_of_one_sentence_have_no_beginnings():
    actual = PairBaselines().scores_without_training(Pairs("", [SHORT] * 3, ["Rain"] * 3))
    assert list(actual) == ["copy_bleu", "copy_chrf", "copy_exact_match"]
