"""Bytes as tokens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zoo.errors import UserError
from zoo.text import load_tokenizer, train_tokenizer
from zoo.text.special_tokens import PAD

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
