"""Sentence pairs for next-sentence prediction: true and random successors, truncated tokens."""

import numpy as np
import pytest

from zoo.data.batching.masked import MaskedPairs
from zoo.data.pretraining.sentence_pairs import make_pairs
from zoo.data_statistics import describe
from zoo.errors import UserError
from zoo.text import train_tokenizer
from zoo.text.sentences import split_sentences
from zoo.text.special_tokens import END, PAD, START

DOCUMENTS = [
    " ".join(f"{a}{b}." for b in "abcdefghijklmnop"[: 16 - n]) for n, a in enumerate("tuvwxyz")
]
TOKENIZER = train_tokenizer("characters", DOCUMENTS, 60)


def sentences_of(text):
    return [part + "." for part in text.replace(" ", "").split(".") if part]


def arrays(pairs):
    """The ids of pairs, padded, and which are random."""
    ids, is_random = pairs.columns["token_ids"], pairs.columns["is_random"].values
    return ids.batch(np.arange(len(ids)), len(ids), (ids.lengths.max(),)), is_random


def test_sentences():
    text = "One. Two!\n\n Three?  four.five\r\n"
    assert split_sentences(text) == ["One.", "Two!", "Three?", "four.five"]
    assert split_sentences(" \n ") == []


def test_a_pair_goes_on_in_its_document_or_comes_from_another():
    token_ids, is_random = arrays(make_pairs(DOCUMENTS * 20, TOKENIZER, 41, seed=1))
    assert token_ids.shape[1] == 41 and len(token_ids) == len(is_random)
    follows = following = 0
    for ids, other in zip(token_ids, is_random, strict=True):
        length = int((ids != PAD).sum())
        first_end, second_end = np.flatnonzero(ids == END)
        assert ids[0] == START and second_end == length - 1 and first_end > 1
        assert first_end < second_end - 1  # neither is empty
        first, second = (
            TOKENIZER.detokenize(part[None]).numpy()[0].decode().replace(" ", "")
            for part in (ids[1:first_end], ids[first_end + 1 : second_end])
        )
        if not other:
            follows += 1
            # Where nothing was cut, the letter of the next sentence is the next one.
            if first.endswith(".") and len(second) > 1 and second[0] in "tuvwxyz":
                following += ord(second[1]) == ord(first[-2]) + 1 and second[0] == first[-3]
    share = follows / len(is_random)
    assert abs(share - 0.5) < 5 * 0.5 / np.sqrt(len(is_random)) + 0.1
    assert following > 0.5 * follows


def test_a_second_text_is_of_another_document_where_it_is_said_to_be():
    """Which document a text is of, the first letters of its sentences tell."""
    told_apart = 0
    for seed in range(5):
        token_ids, is_random = arrays(make_pairs(DOCUMENTS, TOKENIZER, 23, seed=seed))
        for ids, other in zip(token_ids, is_random, strict=True):
            end = np.flatnonzero(ids == END)[0]
            first, second = (
                set(TOKENIZER.detokenize(part[None]).numpy()[0].decode()) & set("tuvwxyz")
                for part in (ids[:end], ids[end:])
            )
            if first and second:  # what is cut may have lost them
                assert (first != second) == bool(other), (first, second, other)
                told_apart += int(other)
    assert told_apart > 30


def test_what_pairs_are_without_is_counted():
    """All sentences but one have ten tokens, so each pair of them eleven too many."""
    text = "taaaaaaaa tbbbbbbbb".replace(" ", ". ") + ".\n\0\ntcccccc\u0436cc"
    tokenizer = train_tokenizer("characters", [text[:-3]], 60)
    lengths = [len(ids) for ids in tokenizer.tokenize(split_sentences(text)).to_list()]
    assert lengths == [11, 11, 0, 11]
    pairs = make_pairs([text], tokenizer, 14, seed=3)
    assert describe(pairs.statistics) == [
        "1 sentence without tokens",
        "1 unknown token",
        f"{11 * len(pairs.columns['is_random'])} tokens truncated from pairs longer than 14",
    ]


def test_no_sentence_is_lost():
    """Each of a document comes in its first texts, or where a second one follows."""
    ids = make_pairs(DOCUMENTS[:2], TOKENIZER, 200, seed=2).columns["token_ids"]
    text = "".join(TOKENIZER.detokenize(row[None]).numpy()[0].decode() for row in ids)
    for sentence in sentences_of(DOCUMENTS[0]):
        assert sentence in text.replace(" ", "")


def test_one_document_and_one_sentence():
    token_ids, is_random = arrays(make_pairs(["ta. tb. tc."], TOKENIZER, 9))
    assert set(is_random) <= {0, 1} and (token_ids[:, 0] == START).all()
    one = make_pairs(["ta"], TOKENIZER, 9)
    assert len(one.columns["token_ids"]) == 0
    with pytest.raises(UserError, match="at least two sentences"):
        MaskedPairs(one, 9, None, 1, None)
    with pytest.raises(UserError, match="must be at least 5, got 4"):
        make_pairs(DOCUMENTS, TOKENIZER, 4)
