"""Whole words with their case and their spaces, beside BERT's own splitting."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import pre_tokenizers

from tests.zoo.text.texts import CORPUS, HOSTILE
from zoo.errors import UserError
from zoo.text import load_tokenizer, train_tokenizer
from zoo.text.cased_words import CasedWordTokenizer, words_of
from zoo.text.special_tokens import SPECIALS

TEXTS = ["A red hat, a well-known hut.", "(Ein Hut!)  Zé , 你好 don't", *CORPUS]
TOKENIZER = CasedWordTokenizer.train(TEXTS, 1_009)
SOME = CasedWordTokenizer.train(TEXTS, 31)
PIECES = ["hat", "A", "é", ",", "-", "'", "(", " ", "  ", "\n", "\u00a0", "▁", "你", "x", "\ufffd"]
texts = st.lists(st.sampled_from(PIECES), max_size=13).map("".join)


def expected(text):
    """The words by BERT's splitting, each with a mark if a space, or nothing, is before it."""
    text = text.replace("▁", "⁇")  # is a punctuation mark, too, and unknown likewise
    words = pre_tokenizers.BertPreTokenizer().pre_tokenize_str(text)
    return [
        ("▁" if not begin or text[begin - 1].isspace() else "") + word.replace("⁇", "\ufffd")
        for word, (begin, _) in words
    ]


@settings(max_examples=200, deadline=None)
@given(text=texts)
def test_tokens_are_the_known_words_with_their_spaces(text):
    words = expected(text)
    assert words_of(text) == words
    known = {"▁\ufffd", "\ufffd"}  # of which no vocabulary is learned
    wanted = [w if w in SOME.vocabulary and w not in known else "[UNK]" for w in words]
    (ids,) = SOME.tokenize([text]).to_list()
    assert [SOME.vocabulary[i] for i in ids] == wanted


def test_texts_of_known_words_come_back():
    ids = TOKENIZER.tokenize(TEXTS)
    assert 1 not in ids.flat_values.numpy()
    back = [text.decode() for text in TOKENIZER.detokenize(ids).numpy()]
    assert back == [re.sub(r"\s+", " ", text).strip() for text in TEXTS]


def test_hostile_texts_are_words_or_unknown():
    ids = TOKENIZER.tokenize(HOSTILE)
    assert ids[0].shape[0] == ids[1].shape[0] == 0
    assert not set(ids.flat_values.numpy()) & {0, 2, 3}


def test_the_most_frequent_words_are_taken():
    actual = train_tokenizer("cased-words", iter(["b b a a.", "B b a.", "d"]), 4 + 3)
    assert actual.vocabulary == [*SPECIALS, "▁a", "▁b", "."]
    assert actual.tokenize(["b B. d ."]).to_list() == [[5, 1, 6, 1, 1]]


@pytest.mark.parametrize("texts", [[], ["", " \t"], ["▁"]])
def test_nothing_to_learn_from(texts):
    with pytest.raises(UserError, match="the texts are empty"):
        CasedWordTokenizer.train(texts, 7)


def test_an_empty_word_is_refused():
    with pytest.raises(UserError, match="must not contain an empty word"):
        CasedWordTokenizer([*SPECIALS, "▁"])


def test_save_and_load(tmp_path):
    SOME.save(tmp_path)
    loaded = load_tokenizer(tmp_path)
    assert loaded.kind == "cased-words"
    assert loaded.tokenize(TEXTS).to_list() == SOME.tokenize(TEXTS).to_list()
