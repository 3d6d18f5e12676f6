"""Byte-level BPE gives the ids that Hugging Face's `tokenizers` gives, and the text back."""

import collections
import itertools
import json
import random
import unicodedata

import numpy as np
import pytest
import tensorflow as tf

from tests.zoo.pretrained.tiny_gpt2 import MERGES as WORDS
from tests.zoo.pretrained.tiny_gpt2 import theirs
from tests.zoo.text.programs.batches import as_bytes, as_rows
from zoo.errors import UserError
from zoo.preprocessing.prompts import PromptPreprocessor
from zoo.text import load_tokenizer
from zoo.text.byte_bpe import ByteBPETokenizer, byte_characters
from zoo.text.pretokenize import byte_words, kinds
from zoo.text.special_tokens import SPECIALS

BYTES = byte_characters()
# Pairs that show wherever a word begins or ends in the wrong place, and those of one symbol twice.
MERGES = [
    *WORDS,
    *(f"{x} {y}" for x in "aT1.'Ċ" for y in "aT1.'ĊĠ" if f"{x} {y}" not in WORDS),
    *(f"{x} {BYTES[lead]}" for x in "a1Ġ" for lead in range(0xC2, 0xF5)),
    *(f"{BYTES[last]} {x}" for x in "a1" for last in range(0x80, 0xC0)),
    *("Ġ Ġ", "ĠĠ Ġ", "aa aa", "aaaa a", "' s", "' l", "'l l", "s a", "' re"),
]
VOCABULARY = [*BYTES.values(), *(merge.replace(" ", "") for merge in MERGES), "<|endoftext|>"]
END = len(VOCABULARY) - 1
THEIRS = theirs(VOCABULARY, MERGES)
OURS = ByteBPETokenizer(VOCABULARY, MERGES, {"start": END, "end": END})
OF_DIGITS = ByteBPETokenizer(VOCABULARY, MERGES, {"start": END, "end": END}, split_digits=True)
# What words end at, and what tends to be taken for something else.
PARTS = [
    *("a man", "is", "the ", "T", "é", "ß", "e\u0301", "你", "ठ्ठ", "🙂", "👩‍👧", "1", "²½", "٣"),
    *(" ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\u2028", "\x85", "\x1c", "\u200b"),
    *("'", "'s", "'LL", "'ll", "'re", "'ves", "''d", ".", "...", "<|endoftext|>", "\x00", "\ufffd"),
    *("\u1c89", "\U000105c0", "\U00011bf0", "\U0010ffff"),  # some newer than TensorFlow's Unicode
]


def mixtures(count, seed):
    rng = random.Random(seed)
    return ["".join(rng.choices(PARTS, k=rng.randrange(12))) for _ in range(count)]


def any_text(count, seed):
    """Characters from everywhere, most of them of the first planes."""
    rng = random.Random(seed)

    def character():
        code = rng.randrange(rng.choice([0x80, 0x3000, 0x20000, 0x110000]))
        return "?" if 0xD800 <= code < 0xE000 else chr(code)

    return ["".join(character() for _ in range(rng.randrange(30))) for _ in range(count)]


@pytest.mark.parametrize("texts", [mixtures(1500, 3), any_text(1500, 4)], ids=["parts", "any"])
def test_ids_are_theirs_and_text_comes_back_to_the_byte(texts):
    ids = OURS.tokenize(texts)
    for text, row in zip(texts, ids.to_list(), strict=True):
        assert row == THEIRS.encode(text).ids, repr(text)
    assert OURS.detokenize(ids).numpy().tolist() == [text.encode() for text in texts]


@pytest.mark.parametrize("texts", [mixtures(1500, 5), any_text(1500, 6)], ids=["parts", "any"])
def test_digits_of_their_own_as_in_smollm2(texts):
    theirs_of_digits = theirs(VOCABULARY, MERGES, split_digits=True)
    ids = OF_DIGITS.tokenize(texts)
    for text, row in zip(texts, ids.to_list(), strict=True):
        assert row == theirs_of_digits.encode(text).ids, repr(text)
    assert OF_DIGITS.detokenize(ids).numpy().tolist() == [text.encode() for text in texts]


@pytest.mark.parametrize("pattern", ["llama3", "qwen2"])
@pytest.mark.parametrize("texts", [mixtures(1500, 7), any_text(1500, 8)], ids=["parts", "any"])
def test_words_of_llama_3_and_qwen_2(texts, pattern):
    special = {"start": END, "end": END}
    ours = ByteBPETokenizer(VOCABULARY, MERGES, special, pattern=pattern)
    texts = [unicodedata.normalize("NFC", text) for text in texts]
    ids = ours.tokenize(texts)
    whole = theirs(VOCABULARY, MERGES, pattern=pattern)
    for text, row in zip(texts, ids.to_list(), strict=True):
        assert row == whole.encode(text).ids, repr(text)
    assert ours.detokenize(ids).numpy().tolist() == [text.encode() for text in texts]
    assert ids.to_list() != OURS.tokenize(texts).to_list()


@pytest.mark.parametrize("pattern", ["llama3", "qwen2"])
def test_words_of_all_short_texts(pattern):
    """Of up to five characters of each kind that the pattern tells apart."""
    kinds = [itertools.product("a1.' \n\t", repeat=size) for size in range(6)]
    texts = ["".join(each) for kind in kinds for each in kind]
    ours = ByteBPETokenizer(VOCABULARY, MERGES, {"start": END, "end": END}, pattern=pattern)
    expected = theirs(VOCABULARY, MERGES, pattern=pattern).encode_batch(texts)
    assert ours.tokenize(texts).to_list() == [each.ids for each in expected]


@pytest.mark.parametrize("pattern", ["gpt2", "llama3"])
def test_words_of_the_vocabulary_that_no_merges_make(pattern):
    """As in Llama 3's, of which 588 words are such; some end as others begin."""
    whole = [" manis", "manis", "isis", "isa", " manisis", "TTT", "is ", " ²½"]
    encoded = ["".join(BYTES[each] for each in word.encode()) for word in whole]
    vocabulary = [*VOCABULARY[:-1], *(x for x in encoded if x not in VOCABULARY), "<|end|>"]
    special = dict.fromkeys(("start", "end"), len(vocabulary) - 1)
    how = {"pattern": pattern, "ignore_merges": True}
    ours = ByteBPETokenizer(vocabulary, MERGES, special, **how)
    rng = random.Random(3)
    parts = [*PARTS, "a man", "is", "is", *whole]
    texts = ["".join(rng.choices(parts, k=rng.randrange(7))) for _ in range(1500)]
    expected = [each.ids for each in theirs(vocabulary, MERGES, **how).encode_batch(texts)]
    merged = theirs(vocabulary, MERGES, pattern=pattern).encode_batch(texts)
    assert sum(row != each.ids for row, each in zip(expected, merged, strict=True)) > 100
    assert ours.tokenize(texts).to_list() == expected
    ids, counts = ours.program.encode(*as_bytes(texts))
    assert as_rows(ids.numpy(), counts.numpy()) == expected
    again = ByteBPETokenizer(**ours.facts())
    assert again.tokenize(texts).to_list() == expected


def test_a_vocabulary_that_merges_make_has_no_such_words():
    special = {"start": END, "end": END}
    assert ByteBPETokenizer(VOCABULARY, MERGES, special, ignore_merges=True)._unmerged is None


@pytest.mark.parametrize(
    "options", [{"pattern": "cl100k"}, {"pattern": "qwen2", "split_digits": True}]
)
def test_an_unknown_pattern_is_refused(options):
    with pytest.raises(UserError, match="pattern must be one of gpt2, llama3, qwen2"):
        ByteBPETokenizer(VOCABULARY, MERGES, {"start": END, "end": END}, **options)


@pytest.mark.parametrize("texts", [mixtures(700, 8), any_text(700, 9)], ids=["parts", "any"])
def test_bytes_that_the_vocabulary_lacks_are_left_out_as_theirs_are(texts):
    """SmolLM2's vocabulary lacks some; what is beside them may then be merged."""
    lacking = {BYTES[byte] for byte in (0, 0x20, 0x80, 0xC3, 0xC4, ord("'"))}
    merges = [each for each in MERGES if not lacking & set(each)]
    vocabulary = [piece for piece in VOCABULARY[:-1] if not lacking & set(piece)]
    vocabulary.append("<|endoftext|>")
    special = dict.fromkeys(("start", "end"), len(vocabulary) - 1)
    ours, whole = ByteBPETokenizer(vocabulary, merges, special), theirs(vocabulary, merges)
    expected = [whole.encode(text).ids for text in texts]
    assert ours.tokenize(texts).to_list() == expected
    text_bytes, lengths = as_bytes(texts)
    ids, counts = ours.program.encode(text_bytes, lengths)
    assert as_rows(ids.numpy(), counts.numpy()) == expected


def test_characters_are_of_the_kind_they_say():
    """Those at which our kinds change, those before them, and some of all others."""
    places = np.flatnonzero(np.diff(kinds(), prepend=-1))
    codes = {*places.tolist(), *(places[1:] - 1).tolist(), *range(0, 0x110000, 331)}
    shown = [f"a{chr(i)}a1{chr(i)}1 {chr(i)}" for i in sorted(codes) if not 0xD800 <= i < 0xE000]
    texts = ["\n".join(shown[i : i + 97]) for i in range(0, len(shown), 97)]
    actual = OURS.tokenize(texts).to_list()
    assert len(shown) > 5000
    assert actual == [each.ids for each in THEIRS.encode_batch(texts)]


def test_ids_of_captions_are_theirs(data_path):
    pairs = data_path("multi30k/val.en-de.tsv").read_text("utf-8")
    texts = pairs.replace("\t", "\n").split("\n")
    assert OURS.tokenize(texts).to_list() == [each.ids for each in THEIRS.encode_batch(texts)]


def test_long_words_take_all_merges():
    texts = ["a" * 1001, "withthe" * 97, " " * 55 + "man", "ananan" * 31]
    assert OURS.tokenize(texts).to_list() == [THEIRS.encode(text).ids for text in texts]


@pytest.mark.thorough
def test_a_pipeline_and_a_saved_model_give_the_same(tmp_path):
    texts = mixtures(23, 7)
    expected = OURS.tokenize(texts).to_list()
    batches = tf.data.Dataset.from_tensor_slices(texts).batch(5).map(OURS.tokenize)
    assert [row for batch in batches for row in batch.to_list()] == expected

    module = tf.Module()
    prompts = PromptPreprocessor(OURS, 64)
    module.encode = tf.function(
        lambda text: prompts(text=text), [tf.TensorSpec([None], tf.string)], autograph=False
    )
    tf.saved_model.save(module, str(tmp_path / "saved"))
    actual = tf.saved_model.load(str(tmp_path / "saved")).encode(tf.constant(texts))
    ids = actual["token_ids"].numpy()
    assert [row[row >= 0].tolist() for row in ids] == [row[-64:] or [END] for row in expected]


def test_bytes_that_are_no_text_are_replaced():
    ids = OURS.tokenize(tf.constant([b"a\xff man"]))
    assert OURS.detokenize(ids).numpy()[0].decode() == "a\ufffd man"


def test_marks_and_padding_are_silent():
    ids = np.array([[VOCABULARY.index("Ġman"), END, -1], [-1, -1, -1]])
    assert OURS.detokenize(ids).numpy().tolist() == [b" man", b""]


@pytest.mark.parametrize("tokenizer", [OURS, OF_DIGITS], ids=["GPT-2", "SmolLM2"])
def test_it_is_saved_and_loaded(tmp_path, tokenizer):
    tokenizer.save(tmp_path)
    again = load_tokenizer(tmp_path)
    assert (again.facts(), again.special_tokens) == (tokenizer.facts(), tokenizer.special_tokens)
    assert again.split_digits == tokenizer.split_digits
    assert json.loads((tmp_path / "tokenizer.json").read_text("utf-8"))["kind"] == "byte-bpe"


@pytest.mark.parametrize(
    ("vocabulary", "merges", "message"),
    [
        (VOCABULARY[256:], [], "must contain the tokens of single bytes"),
        (VOCABULARY, ["a you"], "must contain the token 'ayou'"),
        (VOCABULARY, ["a n d"], "a merge must be two tokens separated by a space"),
    ],
)
def test_what_does_not_fit_is_named(vocabulary, merges, message):
    with pytest.raises(UserError, match=message):
        ByteBPETokenizer(vocabulary, merges, {"start": END, "end": END})


def test_litert_is_told_what_else_to_do():
    with pytest.raises(UserError, match="export without strings"):
        OURS.check_litert()


# --- Training ---

CORPUS = [
    "the hat of the man",
    "A man  in a hat,\n the men in hats",
    "den Hüten, é🙂",
    "12 1999",
] * 3


def test_each_merge_is_of_the_most_frequent_pair():
    """Sennrich et al. 2016, algorithm 1, which does not say which of several comes first."""
    learned = ByteBPETokenizer.train(CORPUS, 260 + 31)
    merges = [tuple(merge.split(" ")) for merge in learned.facts()["merges"]]
    assert len(merges) == 31
    words = collections.Counter()
    for text in CORPUS:
        for word in byte_words(tf.constant([text])).to_list()[0]:
            words[tuple(BYTES[byte] for byte in word)] += 1
    for merge in merges:
        pairs = collections.Counter()
        for word, count in words.items():
            for pair in itertools.pairwise(word):
                pairs[pair] += count
        assert pairs[merge] == max(pairs.values()) > 1, merge
        merged = collections.Counter()
        for word, count in words.items():
            merged[_merged(word, merge)] += count
        words = merged


def _merged(word, pair):
    parts, index = [], 0
    while index < len(word):
        here = word[index : index + 2] == pair
        parts.append("".join(pair) if here else word[index])
        index += 2 if here else 1
    return tuple(parts)


def test_trained_vocabularies_restore_every_byte():
    learned = ByteBPETokenizer.train(CORPUS, 300)
    assert learned.vocabulary[:4] == list(SPECIALS) and learned.vocabulary_size <= 300
    texts = [*mixtures(300, 11), *any_text(300, 12), *CORPUS]
    ids = learned.tokenize(texts)
    assert learned.detokenize(ids).numpy().tolist() == [text.encode() for text in texts]
    assert (ids.flat_values.numpy() > 3).all()
    of_corpus = learned.tokenize(CORPUS).flat_values
    assert len(of_corpus) < 0.6 * sum(len(text.encode()) for text in CORPUS)
    special = learned.special_tokens
    assert (special.pad, special.unknown, special.start, special.end) == (0, 1, 2, 3)
    assert ByteBPETokenizer.train(CORPUS, 300).facts() == learned.facts()


def test_a_small_vocabulary_has_all_bytes():
    learned = ByteBPETokenizer.train(["ab ab"], 5)
    assert learned.vocabulary_size == 260 and not learned.facts()["merges"]
