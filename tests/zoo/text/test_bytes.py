"""Bytes as tokens, and prompts of any tokenizer."""

import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from zoo.errors import UserError
from zoo.text import load_tokenizer, train_tokenizer
from zoo.text.codec import TextCodec
from zoo.text.prompts import PromptCodec
from zoo.text.special_tokens import END, PAD

TOKENIZER = train_tokenizer("bytes", [], 300)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), min_size=1))
@settings(deadline=None, max_examples=40)
def test_every_text_comes_back_whole(texts):
    ids = TOKENIZER.tokenize(texts)
    assert [len(row) for row in ids.to_list()] == [len(text.encode()) for text in texts]
    assert [text.decode() for text in TOKENIZER.detokenize(ids).numpy()] == texts
    assert [text.decode() for text in TOKENIZER.detokenize(ids.to_tensor(PAD)).numpy()] == texts


def test_names_of_bytes():
    assert TOKENIZER.vocabulary_size == 260 == len(set(TOKENIZER.vocabulary))
    assert [TOKENIZER.vocabulary[i] for i in TOKENIZER.tokenize(["a\n "]).flat_values] == [
        "a", "<0A>", "<20>",
    ]  # fmt: skip


def test_a_folder_gives_it_back(tmp_path):
    TOKENIZER.save(tmp_path)
    assert load_tokenizer(tmp_path).facts() == TOKENIZER.facts()


def test_litert_is_told_what_else_to_take():
    with pytest.raises(UserError, match="LiteRT cannot split text into bytes"):
        TOKENIZER.check_litert()


def test_sources_end_in_the_end_token():
    ids = TextCodec(TOKENIZER, limit=3).encode(["abc", "a", ""]).numpy()
    assert ids.tolist() == [[101, 102, 3], [101, 3, 0], [3, 0, 0]]


@pytest.mark.parametrize("kind", ["bytes", "wordpiece", "sentencepiece", "characters"])
def test_prompts_keep_their_ends_and_are_never_empty(kind):
    pytest.importorskip("sentencepiece") if kind == "sentencepiece" else None
    texts = ["one two three", "two", ""]
    tokenizer = train_tokenizer(kind, ["one two three"] * 3, 40)
    codec, whole = PromptCodec(tokenizer, limit=4), tokenizer.tokenize(texts).to_list()
    found = codec.encode(tf.constant(texts)).numpy().tolist()
    for row, ids in zip(found, whole, strict=True):
        assert [i for i in row if i != PAD] == (ids[-4:] or [END])
    (alone,) = codec.encode(tf.constant([""])).numpy().tolist()
    assert [i for i in alone if i != PAD] == [END]
