"""Documents to ids of sentences: where sentences end, and what becomes of long ones."""

import re

import numpy as np
import pytest

from tests.zoo.preprocessing.vocabularies import TOKENIZERS
from zoo.errors import UserError
from zoo.preprocessing.documents import DocumentPreprocessor

PIECES = ["one", "two", "three", ".", "!", '?"', " ", "\n", "\n \n", "\r\n", ". ", "é"]


def by_hand(tokenizer, text, max_length, max_sentence_length):
    """The sentences of one text, as one reads the description."""
    ends = re.split(r"(?<=[.!?])\s+|(?<=[.!?]\")\s+|\n\s*\n", text)
    sentences, left = [], max_length
    for ids in tokenizer.tokenize(ends).to_list():
        ids = ids[:left]
        left -= len(ids)
        sentences += [
            ids[start : start + max_sentence_length]
            for start in range(0, len(ids), max_sentence_length)
        ]
    return sentences


def documents(count=41):
    random = np.random.default_rng(5)
    return ["", *("".join(random.choice(PIECES, random.integers(1, 13))) for _ in range(count))]


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", TOKENIZERS)
@pytest.mark.parametrize("limits", [(2, 1), (5, 3), (97, 3), (97, 50)])
def test_ids_are_those_one_writes_by_hand(name, limits):
    tokenizer, texts = TOKENIZERS[name], documents()
    split = DocumentPreprocessor(tokenizer, *limits)
    actual, pad = split(text=texts)["token_ids"].numpy(), tokenizer.special_tokens.pad
    assert actual.dtype == np.int32
    expected = [by_hand(tokenizer, text, *limits) for text in texts]
    assert [[[i for i in s if i != pad] for s in d if (s != pad).any()] for d in actual] == expected
    assert actual.shape[1] == max(map(len, expected))
    assert actual.shape[2] == max(len(s) for d in expected for s in d)
    measured, statistics = split.measure({"text": texts})
    np.testing.assert_array_equal(measured["token_ids"], actual)
    assert statistics["texts without tokens"] == sum(not d for d in expected) > 0


def test_longer_documents_are_counted():
    split = DocumentPreprocessor(TOKENIZERS["words"], 3, 2)
    actual, statistics = split.measure({"text": ["one two. three", "one. two", ""]})
    assert actual["token_ids"].shape == (3, 2, 2)
    assert statistics["texts truncated to 3 tokens"] == 1


def test_documents_without_words_have_a_place_for_one():
    split = DocumentPreprocessor(TOKENIZERS["words"], 3, 2)
    assert split(text=["", " \n"])["token_ids"].numpy().tolist() == [[[0]], [[0]]]


def test_a_sentence_ends_before_whitespace():
    split = DocumentPreprocessor(TOKENIZERS["words"], 97, 50)
    text = 'He paid 3.5 (twice.) "Why?" he\nsaid\n\nNo... yes!  End'
    assert [each.decode() for each in split.sentences([text]).to_list()[0]] == [
        "He paid 3.5 (twice.)",
        '"Why?"',
        "he\nsaid",
        "No...",
        "yes!",
        "End",
    ]


def test_litert_has_no_sentences():
    with pytest.raises(UserError, match="LiteRT cannot split text into sentences"):
        DocumentPreprocessor(TOKENIZERS["words"], 97, 50).check_litert()
