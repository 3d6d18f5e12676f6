"""GPT-2's pre-tokenization: splits text into words that include the space before them."""

import functools

import numpy as np
import tensorflow as tf

from zoo.text.pretokenize_cl100k import LETTER, NUMBER, WHITE, begins_cl100k_words
from zoo.text.programs.code_points import CODE_POINTS, CodePointTable
from zoo.text.shift import moved

# Character classes. All letters and numbers are in the first four planes of Unicode.
_OTHER = 0
_PLANES = range(0x40000)
_ENDINGS = ("s", "t", "m", "d", "re", "ve", "ll")


GPT2, LLAMA3, QWEN2 = PATTERNS = ("gpt2", "llama3", "qwen2")
DIGITS = {LLAMA3: 3, QWEN2: 1}  # maximum number of digits of a word


def byte_words(
    texts: tf.Tensor, split_digits: bool = False, pattern: str = GPT2
) -> tf.RaggedTensor:
    """Splits texts (B,) into words, ragged (B, words). Joined, the words are the text again.

    Source: Radford et al. 2019, section 2.2; the pattern in the `encoder.py` of the authors' code.

    A word is a run of letters, of numbers or of other characters, with the space before it if there
    is one, or one of the contractions 's 't 're 've 'm 'll 'd. A run of whitespace is a word, too,
    but if a word follows, the run ends before its last character. The original is a regular
    expression with a lookahead, which TensorFlow does not support. Instead, whether a character
    starts a word is computed from its neighbors. Bytes that are not valid UTF-8 become U+FFFD.

    Args:
        texts: The texts (B,).
        split_digits, pattern: See `begins_words`.

    Example:
        >>> byte_words(tf.constant(["It's  12!", ""])).to_list()
        [[b'It', b"'s", b' ', b' 12', b'!'], []]
    """
    characters = tf.strings.unicode_decode(texts, "UTF-8")
    codes, row = characters.flat_values, characters.value_rowids()
    begins = begins_words(codes, row, split_digits, pattern)
    words = tf.RaggedTensor.from_value_rowids(
        codes, tf.cumsum(tf.cast(begins, tf.int64)) - 1, validate=False
    )
    encoded = tf.strings.unicode_encode(words, "UTF-8")
    rows = tf.boolean_mask(row, begins)
    return tf.RaggedTensor.from_value_rowids(encoded, rows, characters.nrows(), validate=False)


def begins_words(
    codes: tf.Tensor, row: tf.Tensor, split_digits: bool = False, pattern: str = GPT2
) -> tf.Tensor:
    """Whether each character starts a word.

    Args:
        codes: Code points (N,), int32.
        row: The text that each is part of (N,).
        split_digits: Whether each digit is a word of its own, without the space before it, as in
            SmolLM2's tokenizer. Digits are all characters that Unicode calls numbers.
        pattern: The words of which tokenizer: "gpt2", "llama3" or "qwen2".

    Example:
        >>> codes = tf.constant([ord(character) for character in "a 12"])
        >>> row = tf.zeros_like(codes)
        >>> [begins_words(codes, row, each).numpy().tolist() for each in (False, True)]
        [[True, True, False, False], [True, True, True, True]]
    """
    kind = _kinds()(codes)
    if pattern in DIGITS:
        return begins_cl100k_words(kind, codes, row, DIGITS[pattern])
    if split_digits:  # into texts of their own, and the text between digits likewise
        is_digit = tf.equal(kind, NUMBER)
        new_row = ~tf.equal(row, moved(row, 1, -1))
        row = tf.cumsum(tf.cast(new_row | is_digit | moved(is_digit, 1, False), row.dtype))
    kind_before, kind_after = (
        tf.where(tf.equal(row, moved(row, by, -1)), moved(kind, by, -1), -1) for by in (1, -1)
    )
    is_space = tf.equal(codes, ord(" "))
    white = tf.equal(kind, WHITE)
    word_follows = ~tf.equal(kind_after, WHITE) & ~tf.equal(kind_after, -1)
    joins = tf.equal(kind, kind_before) & ~(white & word_follows)
    after_space = moved(is_space, 1, False) & ~tf.equal(kind_before, -1)
    begins = ~(joins | (after_space & ~white))

    for ending in _ENDINGS:
        is_ending = begins & tf.equal(codes, ord("'"))
        for i, letter in enumerate(ending, start=1):
            here = tf.equal(row, moved(row, -i, -1)) & tf.equal(moved(codes, -i, -1), ord(letter))
            is_ending &= here
        begins &= ~moved(is_ending, 1, False)
        begins |= moved(is_ending, 1 + len(ending), False)
    return begins


def is_white(codes: tf.Tensor) -> tf.Tensor:
    """Whether code points are whitespace, bool.

    Example:
        >>> is_white(tf.constant([ord(each) for each in "a \u2003\u200b"])).numpy().tolist()
        [False, True, True, False]
    """
    return tf.equal(_kinds()(codes), WHITE)


@functools.cache
def _kinds() -> CodePointTable:
    return CodePointTable(kinds())


def kinds() -> np.ndarray:
    """The class of each code point.

    The classes are those of Hugging Face's `tokenizers`, whose version of Unicode is newer than
    Python's.
    """
    from tokenizers import Regex, pre_tokenizers

    every = "".join(chr(code) for code in _PLANES if not 0xD800 <= code < 0xE000)
    classes = np.full(CODE_POINTS, _OTHER)
    for kind, name in ((LETTER, r"\p{L}+"), (NUMBER, r"\p{N}+"), (WHITE, r"\s+")):
        splitter = pre_tokenizers.Split(Regex(name), "removed", invert=True)
        for run, _ in splitter.pre_tokenize_str(every):
            classes[ord(run[0]) : ord(run[-1]) + 1] = kind
    return classes
