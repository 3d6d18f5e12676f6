"""Each tokenizer as a tensor program gives the ids and the texts that it gives itself."""

import random

import numpy as np
import pytest
import tensorflow as tf

from tests.zoo.pretrained import tiny_gemma, tiny_unigram
from tests.zoo.text.programs.batches import as_bytes, as_rows, as_texts
from tests.zoo.text.test_unigram import ours as of_xlm_roberta
from tests.zoo.text.texts import CORPUS, HOSTILE
from zoo.text import train_tokenizer
from zoo.text.bert_wordpiece import BertWordPieceTokenizer
from zoo.text.byte_bpe import ByteBPETokenizer, byte_characters
from zoo.text.byte_fallback_bpe import ByteFallbackBPETokenizer
from zoo.text.programs.ragged import BOUNDARY, END
from zoo.text.special_tokens import MASK
from zoo.text.tokenizers import TRAINABLE
from zoo.text.words import WordTokenizer

WORDS = [
    "the",
    "##s",
    "h",
    "##a",
    "##t",
    "un",
    "##a",
    "##ff",
    "##able",
    "!",
    "[",
    "]",
    "mask",
    "한",
]
BERT = dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", MASK, *WORDS, "a", "你", "é", "e", "##e"])
MERGES = ["h e", "Ġ t", "Ġt he", "l l", "he ll", "Ġ Ġ", "a a", "aa aa", "' s", "Ã ©", "0 0", "e r"]
GPT2 = [*byte_characters().values(), *(merge.replace(" ", "") for merge in MERGES), "<|end|>"]
PIECES = [
    *("a", "b", "é", "é\u0301", " ", "  ", "\n", "\t", "\x00", "!", "'s", "'", "the", "unaffable"),
    *(
        "hat",
        "##s",
        "[MASK]",
        "[SEP]",
        "你",
        "한",
        "한국",
        "İ",
        "ß",
        "ſ",
        "😀",
        "👩\u200d👧",
        "שלום",
    ),
    *("\u202e", "\ufffd", "\u00a0", "\u3000", "▁", "12", "x" * 130, "aaaa", "hello", "Zürich", "e"),
]
BROKEN = [b"\xff", b"\xc3", b"\xe4\xbd", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\x80", b"\xf5", b"a"]


def gpt2(**options):
    special = {"start": len(GPT2) - 1, "end": len(GPT2) - 1}
    return ByteBPETokenizer(GPT2, MERGES, special, **options)


def unigram():
    return of_xlm_roberta(charsmap=tiny_unigram.encoded(tiny_unigram.learned().charsmap))


def gemma():
    pieces, merges = tiny_gemma.learned()
    whole = [pieces.index(each) for each in (*tiny_gemma.RUNS, *tiny_gemma.TAGS)]
    special = {"start": tiny_gemma.START, "end": tiny_gemma.END, "pad": tiny_gemma.PAD}
    return ByteFallbackBPETokenizer(pieces, [" ".join(x) for x in merges], special, whole=whole)


MADE = {
    **{kind: lambda kind=kind: train_tokenizer(kind, CORPUS, 113) for kind in TRAINABLE},
    "bert": lambda: BertWordPieceTokenizer(list(BERT)),
    "cased bert": lambda: BertWordPieceTokenizer(list(BERT), lowercase=False, split_chinese=False),
    "gpt2": gpt2,
    "smollm2": lambda: gpt2(split_digits=True),
    "llama 3": lambda: gpt2(pattern="llama3"),
    "qwen 2": lambda: gpt2(pattern="qwen2"),
    "unigram": unigram,
    "gemma": gemma,
    "no words": lambda: WordTokenizer(list(BERT)[:5]),
}


@pytest.fixture(scope="module", params=MADE)
def tokenizer(request):
    return MADE[request.param]()


@pytest.fixture(scope="module")
def program(tokenizer):
    """The program, which is traced once for all sizes."""
    made = tokenizer.program
    numbers = [tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None], tf.int32)]
    encode = tf.function(made.encode, input_signature=numbers, autograph=False)
    return made._replace(encode=encode)


def texts(count, seed=0):
    rng = random.Random(seed)

    def text():
        kind = rng.random()
        if kind < 0.2:
            codes = (rng.randrange(0x110000) for _ in range(rng.randrange(30)))
            return "".join(chr(code) for code in codes if not 0xD800 <= code < 0xE000)
        if kind < 0.3:
            return rng.choice(CORPUS + HOSTILE)
        return "".join(rng.choice(PIECES) for _ in range(rng.randrange(40)))

    return ["", *(text() for _ in range(count - 1))]


def check(tokenizer, program, batch):
    expected = tokenizer.tokenize(batch).to_list()
    ids, counts = program.encode(*as_bytes(batch))
    for text, actual, wanted in zip(
        batch, as_rows(ids.numpy(), counts.numpy()), expected, strict=True
    ):
        assert actual == wanted, text


@pytest.mark.quick(2)
def test_ids(tokenizer, program):
    batch = texts(400)
    for start in range(0, len(batch), 101):
        check(tokenizer, program, batch[start : start + 101])


def test_hostile_texts(tokenizer, program):
    for batch in (CORPUS, HOSTILE, HOSTILE[:1], [""], ["", "  "]):
        check(tokenizer, program, batch)


def of_size(text, size=10_000):
    """A text, repeated and cut to a number of bytes."""
    whole = (text * (size // len(text.encode()) + 1)).encode()[:size].decode(errors="ignore")
    return whole + "x" * (size - len(whole.encode()))


@pytest.mark.thorough(2)
def test_texts_of_ten_thousand_bytes(tokenizer, program):
    mixed = [of_size("".join(texts(count, seed=count))) for count in (700, 90)]
    check(tokenizer, program, [*mixed, "", of_size("the hat ")])


@pytest.mark.long
@pytest.mark.parametrize("part", ["a", "unaffable", "é", "😀", "!", " ", "\u0301", "你"])
def test_ten_thousand_bytes_without_a_space(tokenizer, program, part):
    check(tokenizer, program, [of_size(part), "a"])


def test_no_texts(tokenizer, program):
    ids, counts = program.encode(*(tf.zeros(shape, tf.int32) for shape in ([0, 7], [0])))
    assert ids.shape[0] == 0 and counts.shape == (0,)
    text_bytes, lengths = program.decode(tf.zeros([0, 7], tf.int32))
    assert text_bytes.shape[0] == 0 and lengths.shape == (0,)


@pytest.mark.quick(2)
def test_parts_of_a_row_are_texts_of_their_own(tokenizer, program):
    every = [text.encode() for text in texts(150, seed=9)]
    rows = [every[start : start + start % 5] for start in range(0, len(every), 3)]
    flat = [[x for part in row for x in (BOUNDARY, END, *part)] for row in rows]
    numbers = tf.ragged.constant(flat, tf.int32)
    lengths = tf.cast(numbers.row_lengths(), tf.int32)
    ids, counts = program.encode(numbers.to_tensor(), lengths)
    boundary, expected = (
        tokenizer.vocabulary_size,
        iter(tokenizer.tokenize(sum(rows, [])).to_list()),
    )
    wanted = [[i for _ in row for i in (boundary, *next(expected))] for row in rows]
    assert as_rows(ids.numpy(), counts.numpy()) == wanted


def test_invalid_utf8_is_replaced(tokenizer, program):
    rng = random.Random(3)
    broken = [b"".join(rng.choices(BROKEN, k=rng.randrange(9))) for _ in range(300)]
    ids, counts = program.encode(*as_bytes(broken))
    valid = [text.decode(errors="replace") for text in broken]
    assert as_rows(ids.numpy(), counts.numpy()) == tokenizer.tokenize(valid).to_list()


def test_one_size(tokenizer):
    """A graph for one size has no other inside, and pads with the id of padding."""
    made, texts = tokenizer.program, ["a hat, the hat", "é"]
    text_bytes, lengths = as_bytes(texts)
    given = tf.constant(text_bytes), tf.constant(lengths)
    encode = tf.function(made.encode, autograph=False).get_concrete_function(*given)
    assert all(shape.is_fully_defined() for shape in encode.output_shapes)
    ids, counts = (x.numpy() for x in encode(*given))
    expected = tokenizer.tokenize(texts).to_list()
    assert as_rows(ids, counts) == expected
    inside = np.arange(ids.shape[1]) < counts[:, None]
    assert set(ids[~inside]) <= {tokenizer.special_tokens.pad}

    decode = tf.function(made.decode, autograph=False).get_concrete_function(tf.constant(ids))
    assert all(shape.is_fully_defined() for shape in decode.output_shapes)
    actual = as_texts(*decode(tf.constant(ids)))
    assert actual == tokenizer.detokenize(ids).numpy().tolist()


def test_texts(tokenizer, program):
    """Decoded from any ids, also while a text is being continued."""
    rng = np.random.default_rng(5)
    ids = rng.integers(0, tokenizer.vocabulary_size, (97, 13)).astype("int32")
    ids[3], ids[5, 4:] = tokenizer.special_tokens.pad, tokenizer.special_tokens.pad
    for continues in (False, True):
        actual = as_texts(*program.decode(tf.constant(ids), continues))
        assert actual == tokenizer.detokenize(ids, continues).numpy().tolist()
