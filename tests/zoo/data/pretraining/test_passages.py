"""Passages are runs of whole sentences."""

import numpy as np
import pytest

from zoo.data.batching.corrupted import CorruptedPassages
from zoo.data.pretraining.passages import make_passages
from zoo.data_statistics import describe
from zoo.errors import UserError
from zoo.text.wordpiece import WordPieceTokenizer

TEXTS = [
    " ".join(f"{a}{b} {b}{a}." for b in "abcdefghijklmnop"[: 16 - n])
    for n, a in enumerate("tuvwxyz")
]
TOKENIZER = WordPieceTokenizer.train(TEXTS, 60)


def text_of(ids):
    return TOKENIZER.detokenize(np.asarray(ids)[None]).numpy()[0].decode()


def test_passages_are_runs_of_whole_sentences():
    actual = make_passages(TEXTS, TOKENIZER, 23)
    passages = actual.columns["token_ids"]
    assert describe(actual.statistics) == []
    assert max(map(len, passages)) <= 23
    actual = [text_of(ids) for ids in passages]
    assert " ".join(actual) == " ".join(TEXTS)
    assert all(text.endswith(".") for text in actual)  # as no sentence is longer
    assert max(map(len, make_passages(TEXTS, TOKENIZER, 2).columns["token_ids"])) == 2
    empty = make_passages([" "], TOKENIZER, 9)
    assert len(empty.columns["token_ids"]) == 0
    with pytest.raises(UserError, match="contain no tokens"):
        CorruptedPassages(empty, TOKENIZER, None, 9, 1, None)
    with pytest.raises(UserError, match="length must be at least 1, got 0"):
        make_passages(TEXTS, TOKENIZER, 0)
