"""Sentences of words as ids that fit into a model, each word's first piece known."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zoo.notes import Lost
from zoo.text.lost import count_unknown
from zoo.text.special_tokens import SpecialTokens
from zoo.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class Chunk:
    """A sentence, or as much of one as fits.

    Args:
        ids: The pieces of its words between start and end token, (T,).
        firsts: Where in `ids` each word begins, (W,).
        sentence: The number of the sentence.
        begin: The number of its first word in the sentence.
        cut: How many of its words are cut, as no chunk has room for one.
    """

    ids: np.ndarray
    firsts: np.ndarray
    sentence: int
    begin: int
    cut: int = 0


def chunks_of(sentences: Sequence[Sequence[str]], tokenizer: Tokenizer, limit: int) -> list[Chunk]:
    """The sentences, those that are too long in several chunks.

    A word without a piece, such as a control character, has the unknown piece; one that does not
    fit alone is cut.

    Args:
        sentences: The words of each.
        tokenizer: What makes pieces of words.
        limit: The most ids of a chunk, start and end token included.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("wordpiece", ["a red hut"], 30)
        >>> chunks = chunks_of([["a", "a", "a"], ["red"]], tokenizer, limit=4)
        >>> [(chunk.sentence, chunk.begin, len(chunk.firsts)) for chunk in chunks]
        [(0, 0, 2), (0, 2, 1), (1, 0, 1)]
    """
    marks, room = tokenizer.special_tokens, limit - 2
    every = [word for words in sentences for word in words]
    pieces = iter(tokenizer.tokenize(every).to_list() if every else [])
    chunks = []
    for number, words in enumerate(sentences):
        ids: list[int] = []
        firsts: list[int] = []
        begin = cut = 0
        for place in range(len(words)):
            of_word = next(pieces) or [marks.unknown]
            if ids and len(ids) + len(of_word) > room:
                chunks.append(_chunk(ids, firsts, number, begin, cut, marks))
                ids, firsts, begin, cut = [], [], place, 0
            firsts.append(len(ids) + 1)
            ids += of_word[:room]
            cut += len(of_word) > room
        if ids:
            chunks.append(_chunk(ids, firsts, number, begin, cut, marks))
    return chunks


def lost_in(chunks: Sequence[Chunk], special_tokens: SpecialTokens) -> Lost:
    """How many words are cut, and how many tokens have no piece.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("characters", ["ab"], 10)
        >>> lost_in(chunks_of([["ababab", "x"]], tokenizer, limit=6), tokenizer.special_tokens)
        Counter({'words cut to fit': 1, 'unknown tokens': 1})
    """
    return Lost(
        {
            "words cut to fit": sum(chunk.cut for chunk in chunks),
            "unknown tokens": sum(count_unknown(chunk.ids, special_tokens) for chunk in chunks),
        }
    )


def _chunk(
    ids: list[int], firsts: list[int], number: int, begin: int, cut: int, marks: SpecialTokens
) -> Chunk:
    whole = np.array([marks.start, *ids, marks.end], np.int32)
    return Chunk(whole, np.array(firsts, np.int32), number, begin, cut)
