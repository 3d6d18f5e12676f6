"""Whole words as tokens, beside BERT's own splitting."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import normalizers, pre_tokenizers

from tests.zoo.text.texts import CORPUS, HOSTILE
from zoo.errors import UserError
from zoo.text import load_tokenizer, train_tokenizer
from zoo.text.words import WordTokenizer

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
TOKENIZER = WordTokenizer.train(CORPUS, 41)


def words(text):
    actual = pre_tokenizers.BertPreTokenizer().pre_tokenize_str(
        normalizers.BertNormalizer().normalize_str(text)
    )
    return [word for word, _ in actual]


@settings(max_examples=60, deadline=None)
@given(text=st.text(st.sampled_from([*CORPUS[0], *"Zé,! \t你"]), max_size=41))
def test_tokens_are_the_known_words(text):
    expected = [word if word in TOKENIZER.vocabulary else "[UNK]" for word in words(text)]
    (ids,) = TOKENIZER.tokenize([text]).to_list()
    assert [TOKENIZER.vocabulary[i] for i in ids] == expected


def test_hostile_texts_are_words_or_unknown():
    ids = TOKENIZER.tokenize(HOSTILE)
    assert ids[0].shape[0] == ids[1].shape[0] == 0
    assert not set(ids.flat_values.numpy()) & {0, 2, 3}


def test_the_most_frequent_words_are_taken():
    actual = train_tokenizer("words", iter(["b b a a. C", "c b é", "d"]), 5 + 4)
    assert actual.vocabulary == [*SPECIAL, "b", "a", "c", "."]
    assert actual.tokenize(["B E. d"]).to_list() == [[5, 1, 8, 1]]


@pytest.mark.parametrize("texts", [[], ["", " \t"]])
def test_nothing_to_learn_from(texts):
    with pytest.raises(UserError, match="the texts are empty"):
        WordTokenizer.train(texts, 7)


def test_save_and_load(tmp_path):
    TOKENIZER.save(tmp_path)
    loaded = load_tokenizer(tmp_path)
    assert type(loaded) is WordTokenizer and loaded.vocabulary == TOKENIZER.vocabulary
    assert loaded.tokenize(CORPUS).to_list() == TOKENIZER.tokenize(CORPUS).to_list()
