"""Limits of words and tokens: longer ones are cut or left out before a vocabulary is learned."""

from collections import Counter
from collections.abc import Iterator, Sequence

from zoo.data_statistics import Statistics, record
from zoo.errors import UserError

LONGEST_TOKEN = 256  # bytes; tensorflow-text's operators refuse longer ones
# Bytes of a word. The limit is high because in languages without spaces a sentence is one word. It
# exists because learning takes quadratic time in the length of a word.
LONGEST_WORD = 4096


def check_tokens(vocabulary: Sequence[str]) -> None:
    """Checks that tensorflow-text's operators can take the tokens of a vocabulary.

    Raises:
        UserError: If a token is not a string, has a null character or more than 256 bytes, not
            counting the prefix "##", or is there twice.

    Example:
        >>> check_tokens(["a", "##" + "b" * 300])
        Traceback (most recent call last):
        ...
        zoo.errors.UserError: token 1 of the vocabulary has 300 bytes; expected at most 256
    """
    for number, token in enumerate(vocabulary):
        if not isinstance(token, str) or "\0" in token:
            raise UserError(f"token {number} of the vocabulary is {token!r:.40}; expected text")
        size = byte_length(token.removeprefix("##"))
        if size > LONGEST_TOKEN:
            raise UserError(
                f"token {number} of the vocabulary has {size} bytes; expected at most "
                f"{LONGEST_TOKEN}"
            )
    if len(set(vocabulary)) != len(vocabulary):
        raise UserError("a vocabulary must not contain a token twice")


def byte_length(text: str) -> int:
    """Number of bytes of a text in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def shorter_words(words: Counter[str], longest: int) -> Counter[str]:
    """The words of at most `longest` bytes; records how many are left out.

    Raises:
        UserError: If there are words, but none of them is that short.

    Example:
        >>> shorter_words(Counter(["ab", "abcd", "ab"]), 4)
        Counter({'ab': 2, 'abcd': 1})
    """
    kept = Counter({word: count for word, count in words.items() if byte_length(word) <= longest})
    left_out = words.total() - kept.total()
    record(Statistics({f"words of more than {longest} bytes left out of the vocabulary": left_out}))
    if words and not kept:
        raise UserError(
            f"cannot learn a vocabulary: the texts have only words of more than {longest} bytes"
        )
    return kept


def record_cut(count: int, longest: int) -> None:
    """Records how many words a learner sees cut, because they have more than `longest` bytes."""
    record(Statistics({f"words cut at {longest} bytes to learn the vocabulary": count}))


def parts(word: str, longest: int = LONGEST_TOKEN) -> Iterator[str]:
    """Cuts a word into parts of at most `longest` bytes, between characters.

    Example:
        >>> list(parts("aéab", 3))
        ['aé', 'ab']
    """
    if byte_length(word) <= longest:
        yield word
        return
    begin = size = 0
    for position, character in enumerate(word):
        more = byte_length(character)
        if size + more > longest:
            yield word[begin:position]
            begin, size = position, 0
        size += more
    yield word[begin:]
