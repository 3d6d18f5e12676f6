"""BERT's tokenizer against that of the `tokenizers` package, character by character."""

import functools

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import BertWordPieceTokenizer as Theirs

from tests.zoo.pretrained.tiny_bert import VOCABULARY
from tests.zoo.text.programs.batches import as_bytes, as_rows
from zoo.errors import UserError
from zoo.text import load_tokenizer
from zoo.text.bert_wordpiece import BertWordPieceTokenizer, replaced

# Pieces of one character each for what is to come through, and some longer ones.
LETTERS = "abcdehinorstuxABÉéäßœœıσςй你好가ᄀ½²🙂.,!?'-[]#$+="
PIECES = [*VOCABULARY, *(c for c in dict.fromkeys(LETTERS) if c not in VOCABULARY)]
PIECES += [f"##{piece}" for piece in PIECES[6:] if f"##{piece}" not in PIECES and piece[:2] != "##"]
WAYS = [
    {"lowercase": True},
    {"lowercase": False},
    {"lowercase": True, "strip_accents": False},
    {"lowercase": False, "strip_accents": True, "split_chinese": False},
]


@functools.cache
def pair(number):
    """One of the ways, of ours and of theirs. Every character has a place in ours, which takes
    seconds: not while tests are collected, as each worker does that."""
    options = {"lowercase": True, "strip_accents": None, "split_chinese": True} | WAYS[number]
    theirs = Theirs(
        {piece: i for i, piece in enumerate(PIECES)},
        handle_chinese_chars=options["split_chinese"],
        strip_accents=options["strip_accents"],
        lowercase=options["lowercase"],
    )
    return BertWordPieceTokenizer(PIECES, **WAYS[number]), theirs


LIKELY = st.text(st.sampled_from(LETTERS + " \t\n\u00a0\u200b\u0301\u2028\ufeff\0"), max_size=40)
# Hypothesis tries texts that the code contains; theirs reads each special token, ours does not.
ANY = st.text(max_size=40).filter(lambda text: "[" not in text)
TEXTS = st.lists(st.one_of(ANY, LIKELY), min_size=1, max_size=20)


def long_words():
    """Words around the limit of 100 characters after normalization, of one byte each and more."""
    for size in (99, 100, 101, 5000):
        yield from (each * size for each in ("a", "é", "🙂", "e\u0301"))
        yield "the " + "a" * (size - 1) + "é, " + "o\u00ad" * size
        yield "a" * size + "é" * size + "🙂!" + "x" * size
        yield "가" * (size // 2) + "a"  # of two characters each


@pytest.mark.parametrize("number", range(len(WAYS)))
def test_words_of_more_than_100_characters_are_unknown_as_theirs(number):
    ours, theirs = pair(number)
    texts = [*long_words()]
    expected = [each.ids for each in theirs.encode_batch(texts, add_special_tokens=False)]
    assert ours.tokenize(texts).to_list() == expected
    ids, counts = ours.program.encode(*map(tf.constant, as_bytes(texts)))
    assert as_rows(ids.numpy(), counts.numpy()) == expected
    assert [len(row) for row in expected[::7]] == [99, 100, 1, 1]


@pytest.mark.quick(1)
@pytest.mark.parametrize("number", range(len(WAYS)))
@settings(max_examples=40, deadline=None)
@given(texts=TEXTS)
@example(texts=["Ein größerer Hut, ½ Meter; co-\u00adoperate x\u0301 ﬁ İ ǆ", "a" * 100])
@example(texts=["你好a가b\u3000\u2029c\u0085d"])
def test_ids_are_theirs(number, texts):
    ours, theirs = pair(number)
    expected = [each.ids for each in theirs.encode_batch(texts, add_special_tokens=False)]
    assert ours.tokenize(texts).to_list() == expected


def test_every_character_becomes_what_it_becomes_there():
    ours, theirs = pair(0)
    texts = [f"a{chr(code)}b" for code in range(0x20000) if not 0xD800 <= code < 0xE000]
    actual = ours.tokenize(texts).to_list()
    expected = [each.ids for each in theirs.encode_batch(texts, add_special_tokens=False)]
    wrong = [t for t, f, e in zip(texts, actual, expected, strict=True) if f != e]
    assert not wrong


def test_a_mask_in_a_text_is_the_mask():
    tokenizer = BertWordPieceTokenizer(PIECES)
    (ids,) = tokenizer.tokenize(["the [MASK], a[MASK][MASK]! [ MASK"]).to_list()
    pieces = [PIECES[i] for i in ids]
    assert pieces[-8:] == ["[MASK]", ",", "a", "[MASK]", "[MASK]", "!", "[", "mask"]


@given(
    rows=st.lists(st.lists(st.integers(7, 9), max_size=9), min_size=1, max_size=4),
    pattern=st.lists(st.integers(7, 9), min_size=1, max_size=3).filter(
        lambda p: not any(p[: len(p) - i] == p[i:] for i in range(1, len(p)))
    ),
)
@settings(max_examples=100, deadline=None)
def test_patterns_are_replaced_row_by_row(rows, pattern):
    actual = replaced(tf.ragged.constant(rows, tf.int32, ragged_rank=1), pattern, 4).to_list()
    expected = []
    for row in rows:
        text = "".join(map(str, row)).replace("".join(map(str, pattern)), "4")
        expected.append([int(digit) for digit in text])
    assert actual == expected


@pytest.mark.thorough
def test_it_is_saved_with_how_it_splits(tmp_path):
    tokenizer = BertWordPieceTokenizer(PIECES, lowercase=False, split_chinese=False)
    tokenizer.save(tmp_path)
    again = load_tokenizer(tmp_path)
    texts = ["A man, a DOG", "你好"]
    assert again.facts() == tokenizer.facts() and again.special_tokens == tokenizer.special_tokens
    assert again.tokenize(texts).to_list() == tokenizer.tokenize(texts).to_list()
    assert again.special_tokens.invisible == (0, 2, 3, 4) and again.special_tokens.mask == 5


def test_marks_are_silent_in_text():
    tokenizer = BertWordPieceTokenizer(PIECES)
    ids = [[3, *tokenizer.tokenize(["red hats"]).to_list()[0], 4, 0, 0]]
    assert tokenizer.detokenize(np.array(ids)).numpy()[0] == b"red hats"


def test_a_vocabulary_without_marks_is_refused():
    with pytest.raises(UserError, match=r"must contain \[CLS\], \[MASK\]"):
        BertWordPieceTokenizer(["[PAD]", "[UNK]", "[SEP]", "a"])


def test_a_vocabulary_with_a_token_twice_is_refused():
    with pytest.raises(UserError, match="must not contain a token twice"):
        BertWordPieceTokenizer([*PIECES, PIECES[-1]])
