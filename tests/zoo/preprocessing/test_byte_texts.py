"""Words and sentences of texts in bytes are those of the same texts as strings."""

import random

import numpy as np
import pytest
import tensorflow as tf

from tests.zoo.preprocessing.vocabularies import TOKENIZERS
from tests.zoo.text.programs.test_tokenizers import BROKEN
from tests.zoo.text.texts import CORPUS, HOSTILE
from zoo.preprocessing.byte_texts import TRUNCATED, as_bytes
from zoo.preprocessing.documents import DocumentPreprocessor
from zoo.preprocessing.words import BEGINS_WORD, WordPreprocessor
from zoo.text.bert_wordpiece import BertWordPieceTokenizer

BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "one", "two", "[", "]", "mask", ".", "!"]
PREPROCESSORS = {
    "words": lambda tokenizer: WordPreprocessor(tokenizer, 13),
    "documents": lambda tokenizer: DocumentPreprocessor(tokenizer, 17, 3),
}
PIECES = [
    *("one", "two", ".", "!", '?"', "'", ")", "]", " ", "\n", "\n \n", "\r\n", "\v", "\0", "\x1e"),
    *("\t", "\f", "é", "你", "\u0301", "\u3000", "\x07", "'s", "[MASK]", "[ MASK ]"),
]
every = pytest.mark.parametrize("kind", PREPROCESSORS)


@pytest.fixture(scope="module")
def bert():
    return BertWordPieceTokenizer(BERT)


def hostile(count):
    """Mixtures of pieces, and of bytes that are not valid UTF-8."""
    rng, more = random.Random(7), [*BROKEN, b" ", b".", b"\n", b"one"]
    mixed = ("".join(rng.choices(PIECES, k=rng.randrange(23))).encode() for _ in range(count))
    return [*mixed, *(b"".join(rng.choices(more, k=rng.randrange(13))) for _ in range(count))]


def traced(preprocessor, *sizes):
    """Function from texts to features, for any sizes or for one."""
    rows, size = sizes or (None, None)
    names = {"text_bytes": [rows, size], "text_lengths": [rows]}
    function = tf.function(preprocessor, autograph=False).get_concrete_function(
        **{name: tf.TensorSpec(shape, tf.int32, name) for name, shape in names.items()}
    )

    def call(texts):
        given = as_bytes({"text": texts})
        missing = (size or 0) - given["text_bytes"].shape[1]
        padded = np.pad(given["text_bytes"], [(0, 0), (0, max(0, missing))], constant_values=-7)
        given["text_bytes"] = padded
        actual = function(**{name: tf.constant(x) for name, x in given.items()})
        return {name: x.numpy() for name, x in actual.items()}

    call.shapes = function.output_shapes
    return call


@pytest.mark.quick(2)
@every
@pytest.mark.parametrize("name", ["pad 1", "bert", "characters", "pad -1"])
def test_features_are_those_of_strings(kind, name, bert):
    preprocessor = PREPROCESSORS[kind](bert if name == "bert" else TOKENIZERS[name])
    call, shorter = traced(preprocessor.in_bytes()), [*HOSTILE[:11], *CORPUS]
    for texts in ([text.encode() for text in shorter], hostile(70), [b""], [b" ", b".\n\n"]):
        valid = tf.constant([text.decode(errors="replace") for text in texts])
        expected, actual = preprocessor(text=valid), call(texts)
        np.testing.assert_array_equal(actual["token_ids"], expected["token_ids"])
        if kind == "words":
            starts = [np.flatnonzero(row).tolist() for row in actual[BEGINS_WORD]]
            assert starts == expected["word_starts"].to_list()


@every
def test_one_size(kind):
    """A graph for one size has no other inside; `length` is the number of tokens."""
    preprocessor = PREPROCESSORS[kind](TOKENIZERS["words"])
    call = traced(preprocessor.in_bytes(length=6), 1, 41)
    assert all(shape.is_fully_defined() for shape in call.shapes.values())
    shorter = type(preprocessor)(preprocessor.tokenizer, 6, *([3] if kind == "documents" else []))
    for text in ["", "one. two three", "one two three one two. three", "\n".join("é" * 14)]:
        expected = shorter(text=[text])["token_ids"].numpy()
        actual = call([text])["token_ids"]
        inside = tuple(map(slice, expected.shape))
        np.testing.assert_array_equal(actual[inside], expected)
        assert actual.sum() == expected.sum()  # 0 elsewhere, which is padding


@every
def test_what_was_cut(kind):
    """Texts of more tokens than there is room for, and of more bytes."""
    preprocessor = PREPROCESSORS[kind](TOKENIZERS["words"])
    room = preprocessor.room
    texts = [" ".join(["one"] * count) for count in (1, room, room + 1)]
    read = preprocessor.in_bytes()
    assert read(**as_bytes({"text": texts}))[TRUNCATED].numpy().tolist() == [0, 0, 1]
    given = as_bytes({"text": ["one two"]})
    actual = read(text_bytes=given["text_bytes"][:, :5], text_lengths=given["text_lengths"])
    expected = preprocessor(text=["one t"])["token_ids"]
    np.testing.assert_array_equal(actual["token_ids"], expected)
    assert actual[TRUNCATED].numpy().tolist() == [1]


@every
def test_numbers_that_are_no_bytes(kind):
    """Also those that programs use as boundaries of parts of texts."""
    read = PREPROCESSORS[kind](TOKENIZERS["words"]).in_bytes()
    row = np.array([[111, 110, 101, number, 32] for number in (-1, 256, 257, 258, 1 << 30, 255)])
    given = {"text_bytes": row.astype("int32"), "text_lengths": np.full(6, 5, np.int32)}
    ids = read(**given)["token_ids"].numpy().reshape(6, -1)
    assert (ids == ids[-1]).all()
