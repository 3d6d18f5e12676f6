"""The numbers of tokens that are counted without TensorFlow."""

import numpy as np
import pytest

from tests.zoo.text.texts import CORPUS, HOSTILE
from zoo.errors import UserError
from zoo.text.wordpiece import WordPieceTokenizer
from zoo.text.wordpiece_vocabulary import learn_vocabulary, token_counts


def tokenized(texts: list[str], size: int) -> list[int]:
    return WordPieceTokenizer.train(texts, size).tokenize(texts).row_lengths().numpy().tolist()


@pytest.mark.parametrize("size", [5, 109, 8000])
def test_counts_are_those_of_the_tokenizer(size):
    random = np.random.default_rng(7)
    words = [word for text in CORPUS for word in text.split()]
    texts = [" ".join(random.choice(words, count)) for count in random.integers(0, 13, 200)]
    texts += [text for text in HOSTILE if "▁" not in text]
    assert token_counts(texts, size) == tokenized(texts, size)


def test_a_word_that_is_too_long_is_one_unknown_token():
    texts = ["ab " + "x" * 4097, "x" * 4096]
    counts = token_counts(texts, 30)
    assert counts[0] == token_counts(["ab ab"], 30)[0] // 2 + 1
    assert counts == tokenized(texts, 30)


def test_the_vocabulary_is_that_of_the_tokenizer():
    vocabulary = learn_vocabulary(CORPUS, 131, ["[MASK]"])
    assert vocabulary == WordPieceTokenizer.train(CORPUS, 131, ["[MASK]"]).vocabulary
    with pytest.raises(UserError, match="the texts are empty"):
        learn_vocabulary(["", " "], 131)
