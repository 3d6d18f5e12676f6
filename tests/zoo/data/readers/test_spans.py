"""Spans in all schemes: as conlleval counts them, and the same ones however they are written."""

import numpy as np
import pytest

from tests.oracles import conlleval
from tests.scores import score_tags
from zoo.data.readers.spans import has_spans, scheme_of, spans_of, without_brackets


def test_spans_are_those_of_conlleval():
    """In any order of prefixes and labels, also such as no scheme allows."""
    rng = np.random.default_rng(7)
    tags = ["O", *(f"{prefix}-{label}" for prefix in "BIE" for label in ("PER", "A-B"))]
    for length in rng.integers(0, 11, 3000):
        row = [tags[i] for i in rng.integers(0, len(tags), length)]
        assert spans_of(row) == conlleval.spans(row), row
        bare = [tag.split("-")[0] for tag in row]
        assert spans_of(bare) == conlleval.spans(bare), bare


def written(spans, length, scheme):
    """The tags of spans, which do not overlap."""
    tags, end, last = ["O"] * length, None, None
    first, inside, final, single = {
        "IOB1": "IIII", "IOB2": "BIIB", "BIOES": "BIES", "BILOU": "BILU", "BMES": "BMES"
    }[scheme]  # fmt: skip
    for label, begin, stop in spans:
        prefixes = [first, *[inside] * (stop - begin - 2), final] if stop - begin > 1 else [single]
        if scheme == "IOB1" and begin == end and label == last:
            prefixes[0] = "B"
        tags[begin:stop] = [f"{prefix}-{label}" for prefix in prefixes]
        end, last = stop, label
    return tags


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "BIOES", "BILOU", "BMES"])
def test_a_scheme_is_recognized_and_gives_its_spans(scheme):
    rng = np.random.default_rng(11)
    sentences, every = [], []
    for _ in range(200):
        spans, place = [], 0
        while (begin := place + rng.integers(0, 3)) < 12:
            place = min(12, begin + int(rng.integers(1, 5)))
            spans.append((str(rng.choice(["PER", "LOC"])), int(begin), place))
        sentences.append(written(spans, 12, scheme))
        every.append(spans)
    assert [spans_of(tags) for tags in sentences] == every
    assert scheme_of(sentences) == scheme
    scores = score_tags(sentences, [["O"] * 12, *sentences[1:]])
    total = sum(map(len, every))
    assert scores["precision"] == 1.0 and scores["recall"] == (total - len(every[0])) / total


def test_tags_of_no_scheme():
    assert scheme_of([["NN", "VB"], ["O"]]) is None and scheme_of([["O", "O"]]) is None
    assert scheme_of([["I-A", "O", "B-A"]]) == "IOB"  # of both
    assert not has_spans(["O", "X-PER"]) and not has_spans(["S", "M"]) and not has_spans(["B-"])
    assert score_tags([["S", "M"]], [["S", "S"]]) == {"accuracy": 0.5}


def test_brackets_become_tags():
    rows = [["(PER*", "*", "*)", "*", "(LOC)", "(LOC*)"], ["*"]]
    assert without_brackets(rows) == [["B-PER", "I-PER", "I-PER", "O", "B-LOC", "B-LOC"], ["O"]]
    for others in (["(S(NP*", "*))"], ["*)"], ["(A*", "(B*)"], ["O"], ["-"], [""], [")"]):
        assert without_brackets([others]) is None, others
