"""Texts that went through MediaPipe's BERT tokenizer have the ids of training."""

import numpy as np
import pytest
import tensorflow as tf

from tests.zoo.pretrained import tiny_bert
from zoo.mediapipe.characters import Characters
from zoo.text.bert_wordpiece import BertWordPieceTokenizer
from zoo.text.programs.repeated import unrolled

TEXTS = [
    "A man in a RED hat.",
    "dogs, running!",
    "ÜBER a dög",
    "u\u0308ber ma\u0301n",
    "a\u00a0red\u3000hat\u2028runs",
    "a\u00a0zzz\u3000hat\u00a0ёж",
    "hat你你b",
    "red\U0001f642 dog \U0001f642 man",
    "re\u200bd \u00adhat",
    "\u0130b \u03a3\u0391\u03a3 ß",
    " a\tman\nin\r\nred \x0b hat ",
    "x" * 101 + " man",
    "[UNK] [SEP] # ##s #s",
    "a«b»—“e”…",
    "",
]


MORE = ["\u0308", "#", "##b", "##n", "«", "…", "x", "ß", "1"]


@pytest.mark.quick(1)
@pytest.mark.parametrize("options", [{}, {"strip_accents": False}], ids=["stripped", "accents"])
def test_ids_are_those_of_the_tokenizer(options):
    tokenizer = BertWordPieceTokenizer([*tiny_bert.VOCABULARY, *MORE], **options)
    characters = Characters(tokenizer)
    ids, mask = map(tf.constant, characters.read(TEXTS))
    actual, counts = tokenizer.program.encode(*characters(ids, mask))
    rows = [row[:count].tolist() for row, count in zip(actual.numpy(), counts, strict=True)]
    assert rows == tokenizer.tokenize(TEXTS).to_list()
    assert len({*map(tuple, rows)}) == len(TEXTS)


def test_the_ids_of_mediapipe():
    """As its sources say: of these texts, and of this vocabulary."""
    characters = Characters(BertWordPieceTokenizer(tiny_bert.VOCABULARY))
    ids, mask = characters.read(["A Ü!dꀀ", "a b你"])
    pieces = [
        [characters.vocabulary[i] for i in row[row_mask > 0]]
        for row, row_mask in zip(ids, mask, strict=True)
    ]
    assert pieces == [
        ["[CLS]", "a", "Ü", "!", "[UNK]", "[SEP]"],
        ["[CLS]", "a", "b", "你", "[SEP]"],
    ]
    assert mask.sum(axis=1).tolist() == [6, 5] and ids[1, 5] == 0


@pytest.mark.thorough
def test_without_loops_the_same():
    tokenizer = BertWordPieceTokenizer(tiny_bert.VOCABULARY)
    characters = Characters(tokenizer)

    def encoded(ids, mask):
        with unrolled():
            return tokenizer.program.encode(*characters(ids, mask))

    inputs = characters.read(TEXTS)
    specs = [tf.TensorSpec(x.shape, tf.int32) for x in inputs]
    traced = tf.function(encoded, autograph=False).get_concrete_function(*specs)
    kinds = {each.type for each in traced.graph.get_operations()}
    assert not {kind for kind in kinds if "While" in kind or "If" in kind}
    actual, counts = traced(*map(tf.constant, inputs))
    expected, same = tokenizer.program.encode(*characters(*map(tf.constant, inputs)))
    np.testing.assert_array_equal(counts, same)
    np.testing.assert_array_equal(actual[:, : expected.shape[1]], expected)
