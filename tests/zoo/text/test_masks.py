"""Masks, spaces before texts, and words of byte-level BPE, as `tokenizers` has them."""

import numpy as np
import pytest
import tensorflow as tf

from tests.zoo.pretrained.tiny_encoders import byte_bpe, their_byte_bpe
from zoo.errors import UserError
from zoo.preprocessing.byte_texts import as_bytes
from zoo.text.byte_bpe import ByteBPETokenizer
from zoo.text.special_tokens import SpecialTokens
from zoo.text.tokenizers import tokenizer_of

TEXTS = [
    "A man in a red hat.",
    "a <mask> in  \n <mask><mask>.",
    "<mask>",
    "  <mask> dog",
    "x\u3000<mask>\u2003y <mas",
    "",
    " ",
    "  a  b ",
    "it's 12!\n\n dogs'll 😀 e\u0301 你好 العربية\x00\x07 <mask>e",
    "<mask>\n",
    "a\u200b<mask>",
    " \u00a0\u1680\u2028<mask>",
    "\u0085<mask> \x1c<mask>\x1d",
    "<<mask>>",
    "\ufeff<mask> <MASK> < mask >",
    "man" * 200,
]
SPECIAL = {"start": 0, "pad": 1, "end": 2, "unknown": 3, "second_start": 2}


def ours(**how):
    vocabulary, merges = byte_bpe()
    return ByteBPETokenizer(vocabulary, merges, {**SPECIAL, "mask": len(vocabulary) - 1}, **how)


def of_program(encode, texts):
    ids, counts = encode(*as_bytes({"text": texts}).values())
    return [row[:count].tolist() for row, count in zip(ids.numpy(), counts.numpy(), strict=True)]


@pytest.mark.parametrize("strips", [True, False])
@pytest.mark.parametrize("prefix", [True, False])
def test_ids_are_those_of_tokenizers(prefix, strips):
    theirs = their_byte_bpe(prefix, strips)
    tokenizer = ours(prefix_space=prefix, mask_strips=strips)
    expected = [theirs.encode(text, add_special_tokens=False).ids for text in TEXTS]
    assert sum(each.count(tokenizer.special_tokens.mask) for each in expected) > 12
    assert tokenizer.tokenize(TEXTS).to_list() == expected
    assert of_program(tokenizer.program.encode, TEXTS) == expected
    assert tokenizer_of({"kind": tokenizer.kind, **tokenizer.facts()}).facts() == tokenizer.facts()


@pytest.mark.parametrize("prefix", [True, False])
def test_words_that_are_given_alone_follow_a_space(prefix):
    """As in Hugging Face's library, which requires `add_prefix_space` for words."""
    theirs, words = their_byte_bpe(True), ["a", "man's", "<mask>", "你", "...", "dog"]
    expected = [theirs.encode(word, add_special_tokens=False).ids for word in words]
    tokenizer = ours(prefix_space=prefix)
    assert tokenizer.of_words.tokenize(words).to_list() == expected
    assert tokenizer.of_words.of_words is tokenizer.of_words


@pytest.mark.parametrize("prefix", [True, False])
def test_words_of_passages_have_their_places_and_the_same_ids(prefix):
    theirs, texts = their_byte_bpe(prefix), [text.replace("<mask>", "hat") for text in TEXTS]
    tokenizer = ours(prefix_space=prefix)
    words = tokenizer.separate_words(*as_bytes({"text": texts}).values())
    ids, counts = tokenizer.encode_words(words.text_bytes, words.lengths)
    boundary = tokenizer.vocabulary_size
    for row, text in enumerate(texts):
        encoding = theirs.encode(text, add_special_tokens=False)
        actual = ids.numpy()[row][: counts.numpy()[row]]
        assert actual[actual != boundary].tolist() == encoding.ids
        # Each word of theirs, by the bytes of its characters that are no space before it.
        expected, whole = [], text.encode()
        starts = np.cumsum([0, *(len(each.encode()) for each in text)])
        spans = {}
        for word, (begin, end) in zip(encoding.word_ids, encoding.offsets, strict=True):
            first, last = spans.get(word, (begin, end))
            spans[word] = min(first, begin), max(last, end)
        for begin, end in spans.values():
            begin, end = starts[begin], starts[end]
            space = whole[begin : begin + 1] == b" "
            blank = not whole[begin:end].decode().strip(" \n\u3000\u2003\u00a0\u1680\u2028\u0085")
            expected.append((-1, -1) if blank else (begin + space, end))
        places = np.stack([words.begins.numpy()[row], words.ends.numpy()[row]], axis=-1)
        assert [tuple(each) for each in places[: len(expected)].tolist()] == expected, text


def test_a_mask_of_one_byte_is_refused():
    vocabulary, merges = byte_bpe()
    with pytest.raises(UserError, match="the mask token '!' must have at least two bytes"):
        ByteBPETokenizer(vocabulary, merges, {**SPECIAL, "mask": vocabulary.index("!")})


def test_between_two_texts_are_two_ids():
    from zoo.preprocessing.text import TextPreprocessor

    theirs, tokenizer = their_byte_bpe(), ours()
    preprocessor = TextPreprocessor(tokenizer, 64, pairs=True, start=True)
    seconds = ["a dog", "", "<mask> hat"]
    expected = [theirs.encode(*pair).ids for pair in zip(TEXTS, seconds, strict=False)]
    features = preprocessor(text=TEXTS[:3], second=seconds)["token_ids"].numpy()
    assert [row[row != 1].tolist() for row in features] == expected
    rows = [tuple(as_bytes({"text": texts}).values()) for texts in (TEXTS[:3], seconds)]
    of_bytes = preprocessor.of_bytes(*rows)[0]["token_ids"].numpy()
    assert [row[row != 1].tolist() for row in of_bytes] == expected
    assert SpecialTokens(**tokenizer.facts()["special_tokens"]).between == (2, 2)
    assert tf.reduce_any(tf.equal(features, 3)).numpy() == (3 in np.concatenate(expected))
