"""Sentences of words to ids: where words begin, and what becomes of long sentences."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.zoo.preprocessing.vocabularies import TOKENIZERS
from zoo.data_statistics import describe
from zoo.errors import UserError
from zoo.preprocessing.words import WordPreprocessor

SENTENCES = [
    "one two",
    "three one",
    "",
    "two \x07 two",
    "one two three one two three",
    "oneone a▁b",
]
every_vocabulary = pytest.mark.parametrize("name", TOKENIZERS)


def by_hand(tokenizer, words, max_length):
    """Ids and starts of one sentence, as one reads the description."""
    special = tokenizer.special_tokens
    ids, starts = [special.start], []
    for word in words:
        if len(ids) < max_length - 1:
            starts.append(len(ids))
        ids += tokenizer.of_words.tokenize([word]).to_list()[0] or [special.unknown]
    return [*ids[: max_length - 1], special.end], starts


def rows_of(features, pad):
    """Of each row the ids without padding, and the starts."""
    ids, starts = features["token_ids"], features["word_starts"]
    return [
        ([i for i in row if i != pad], list(where))
        for row, where in zip(np.asarray(ids).tolist(), starts.to_list(), strict=True)
    ]


@pytest.mark.quick(2)
@every_vocabulary
@pytest.mark.parametrize("max_length", [3, 5, 9, 61])
def test_ids_and_starts_are_those_one_writes_by_hand(name, max_length):
    tokenizer = TOKENIZERS[name]
    words = WordPreprocessor(tokenizer, max_length)
    actual = rows_of(words(text=SENTENCES), tokenizer.special_tokens.pad)
    expected = [by_hand(tokenizer, each, max_length) for each in words.words(SENTENCES)]
    assert actual == expected


def test_words_are_split_at_white_space_alone():
    """Also where "▁", the spelling of a space in pieces, stands in a text."""
    words = WordPreprocessor(TOKENIZERS["words"], 9)
    texts = ["  one\ttwo\n", "", "a▁b c", "one\u00a0two é"]
    assert words.words(texts) == [["one", "two"], [], ["a▁b", "c"], ["one\u00a0two", "é"]]
    _, statistics = words.measure({"text": ["a▁b"]})
    assert statistics["words truncated"] == 0


sentences = st.lists(
    st.lists(st.text("onetwhré\x07", min_size=1, max_size=9), max_size=9), min_size=1, max_size=4
)


@pytest.mark.thorough
@settings(max_examples=15, deadline=None)
@given(sentences, st.sampled_from(sorted(TOKENIZERS)), st.integers(3, 11))
def test_parts_hold_every_word_once_and_all_of_them_fit(given_sentences, name, max_length):
    words = WordPreprocessor(TOKENIZERS[name], max_length)
    parts, statistics = words.parts(given_sentences)
    for number, sentence in enumerate(given_sentences):
        own = [part for part in parts if part.sentence == number]
        assert [word for part in own for word in part.words] == sentence
        begins = np.cumsum([0, *(len(part.words) for part in own)])[:-1]
        assert [part.begin for part in own] == begins.tolist()
    special = words.tokenizer.special_tokens
    tokenize = words.tokenizer.of_words.tokenize
    tokens = [tokenize([word]).to_list()[0] for each in given_sentences for word in each]
    assert statistics["words truncated"] == sum(len(ids) > max_length - 2 for ids in tokens)
    assert statistics["unknown tokens"] == sum(
        (ids or [special.unknown]).count(special.unknown) for ids in tokens
    )
    if not parts:
        return
    actual = rows_of(words.read_parts(parts), special.pad)
    for part, (ids, starts) in zip(parts, actual, strict=True):
        assert (ids, starts) == by_hand(words.tokenizer, part.words, max_length)
        assert len(starts) == len(part.words) and len(ids) <= max_length


def test_long_sentences_are_truncated_when_served_and_split_in_training():
    words = WordPreprocessor(TOKENIZERS["words"], 4)  # two tokens beside start and end
    text = "one two three one two"
    assert words(text=[text])["word_starts"].to_list() == [[1, 2]]
    parts, statistics = words.parts([text.split()])
    assert [part.words for part in parts] == [["one", "two"], ["three", "one"], ["two"]]
    assert [part.begin for part in parts] == [0, 2, 4] and describe(statistics) == []
    _, statistics = words.measure({"text": [text, "é one", "two"]})
    assert describe(statistics) == ["3 words truncated", "1 unknown token"]


def test_the_first_part_is_what_is_served():
    """As far as it goes: what is served may have some more of the next word."""
    words = WordPreprocessor(TOKENIZERS["characters"], 11)
    served = words(text=SENTENCES)
    parts, _ = words.parts(words.words(SENTENCES))
    first = [part for part in parts if part.begin == 0]
    assert len(first) == 5 and len(parts) > 5
    for part, (ids, starts) in zip(first, rows_of(words.read_parts(first), 0), strict=True):
        row, places = rows_of(served, 0)[part.sentence]
        assert row[: len(ids) - 1] == ids[:-1]
        assert places[: len(starts)] == starts


@pytest.mark.quick(1)
@every_vocabulary
def test_a_pipeline_gives_the_same(name):
    words = WordPreprocessor(TOKENIZERS[name], 9)
    pad = words.tokenizer.special_tokens.pad
    expected = rows_of(words(text=SENTENCES), pad)
    data = tf.data.Dataset.from_tensor_slices(SENTENCES).batch(2).map(lambda x: words(text=x))
    assert [row for batch in data for row in rows_of(batch, pad)] == expected
    read = words.read({"text": SENTENCES})
    assert isinstance(read["token_ids"], np.ndarray) and rows_of(read, pad) == expected


def test_no_words_at_all():
    words = WordPreprocessor(TOKENIZERS["words"], 9)
    assert (
        words.parts([])
        == words.parts([[], []])
        == ([], {"words truncated": 0, "unknown tokens": 0})
    )
    actual = words(text=["", " "])
    assert actual["token_ids"].numpy().tolist() == [[2, 3], [2, 3]]
    assert actual["word_starts"].to_list() == [[], []]


def test_what_litert_cannot_do():
    with pytest.raises(UserError, match="LiteRT cannot split text into words"):
        WordPreprocessor(TOKENIZERS["words"], 9).check_litert()
