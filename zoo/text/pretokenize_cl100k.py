"""The words of newer byte-level tokenizers, of Llama 3 and Qwen 2, which are those of cl100k."""

import tensorflow as tf

from zoo.text.programs.ragged import to_int
from zoo.text.shift import moved

LETTER, NUMBER, WHITE = 1, 2, 3  # classes of characters; others are 0
NEWLINES = (ord("\n"), ord("\r"))
APOSTROPHE, SPACE = ord("'"), ord(" ")
CONTRACTED = (("s",), ("t",), ("r", "e"), ("v", "e"), ("m",), ("l", "l"), ("d",))
LONG_S = 0x17F  # a small s, if cases do not count


def begins_cl100k_words(
    kind: tf.Tensor, codes: tf.Tensor, row: tf.Tensor, digits: int
) -> tf.Tensor:
    r"""Whether each character starts a word of the pattern of cl100k.

    Source: the pattern of cl100k_base in OpenAI's `tiktoken`, which Llama 3 has with three digits
        and Qwen 2 with one: `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|`
        ` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`.

    A word is a run of letters with one character before it that is no line break; of up to so many
    digits; of other characters, with a space before it and the line breaks behind it; whitespace
    up to its last line break; or other whitespace, of which the last character goes with the next
    word. Since there is no lookahead, all is computed from the neighbors of a character.

    Args:
        kind: The class of each character (N,).
        codes: Code points (N,), int32.
        row: The text that each is part of (N,).
        digits: Maximum number of digits of a word.
    """
    before, after = (_neighbor(kind, row, by) for by in (1, -1))
    other, letter, number, white = (tf.equal(kind, each) for each in (0, LETTER, NUMBER, WHITE))
    newline = tf.equal(codes, NEWLINES[0]) | tf.equal(codes, NEWLINES[1])
    space = tf.equal(codes, SPACE)
    starts_run = ~tf.equal(kind, before)

    # Line breaks that other characters take with them, and the whitespace that is left.
    taken = newline & _follows(other, newline, row)
    left = white & ~taken
    # Whitespace behind the last line break of its run.
    tail = left & ~_precedes(newline, white, row)
    first = left & ~_back(left, row)
    of_tail = tail & _back(newline & left, row)
    last = tail & ~tf.equal(after, WHITE) & ~tf.equal(after, -1)

    # A single character that is no line break goes with the letters behind it.
    alone = other & starts_run & ~_back(space, row)
    contraction = _contractions(alone & tf.equal(codes, APOSTROPHE), codes, row)
    prefix = (alone | last) & tf.equal(after, LETTER)
    ended = _ends(contraction, row)
    begins_letters = letter & (starts_run & ~_back(prefix, row) | ended)
    begins_others = other & starts_run & ~_back(space, row)
    begins = first | of_tail | last | begins_letters | begins_others
    return begins | _every(number, row, digits)


def _neighbor(kind: tf.Tensor, row: tf.Tensor, by: int) -> tf.Tensor:
    """The class of a neighbor in the same text; -1 for none."""
    return tf.where(tf.equal(row, moved(row, by, -1)), moved(kind, by, -1), -1)


def _back(flags: tf.Tensor, row: tf.Tensor) -> tf.Tensor:
    """Whether the character before, of the same text, has a flag."""
    return moved(flags, 1, False) & tf.equal(row, moved(row, 1, -1))


def _runs(run: tf.Tensor, row: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Where runs of flags begin, and the number of the run that each character is part of."""
    begins = run & ~_back(run, row)
    return begins, tf.cumsum(to_int(begins))


def _sums(values: tf.Tensor, number: tf.Tensor) -> tf.Tensor:
    """The sum over its run, for each character."""
    sums = tf.scatter_nd(number[:, None], values, [tf.size(number) + 1])
    return tf.gather(sums, number)


def _follows(start: tf.Tensor, run: tf.Tensor, row: tf.Tensor) -> tf.Tensor:
    """Whether a run of flags begins directly behind a character with the flag `start`."""
    begins, number = _runs(run, row)
    return run & tf.equal(_sums(to_int(begins & _back(start, row)), number), 1)


def _precedes(flags: tf.Tensor, run: tf.Tensor, row: tf.Tensor) -> tf.Tensor:
    """Whether a character of a run, or one behind it in this run, has a flag."""
    begins, number = _runs(run, row)
    counts = to_int(flags & run)
    before = tf.cumsum(counts, exclusive=True)
    at_end = _sums(tf.where(begins, before, 0), number) + _sums(counts, number)
    return run & (before < at_end)


def _every(run: tf.Tensor, row: tf.Tensor, count: int) -> tf.Tensor:
    """The first one of so many characters of each run."""
    if count == 1:
        return run
    begins, number = _runs(run, row)
    index = tf.range(tf.size(row))
    return run & tf.equal((index - _sums(tf.where(begins, index, 0), number)) % count, 0)


def _contractions(apostrophe: tf.Tensor, codes: tf.Tensor, row: tf.Tensor) -> tf.Tensor:
    """The number of letters of the contraction that begins at each apostrophe, or 0."""
    length = tf.zeros_like(codes)
    for letters in CONTRACTED:
        fits = apostrophe
        for i, each in enumerate(letters, start=1):
            here, code = tf.equal(row, moved(row, -i, -1)), moved(codes, -i, -1)
            small = tf.equal(code, ord(each)) | tf.equal(code, ord(each.upper()))
            if each == "s":
                small |= tf.equal(code, LONG_S)
            fits &= here & small
        length = tf.where(fits & tf.equal(length, 0), len(letters), length)
    return length


def _ends(contraction: tf.Tensor, row: tf.Tensor) -> tf.Tensor:
    """Whether a character is the first behind a contraction."""
    ends = tf.zeros_like(contraction, tf.bool)
    for count in (1, 2):
        by = count + 1
        same = tf.equal(row, moved(row, by, -1))
        ends |= same & tf.equal(moved(contraction, by, 0), count)
    return ends
