"""Splitting documents into passages of whole sentences."""

from collections.abc import Sequence

import numpy as np

from zoo.data.pretraining.sentence_pairs import tokenized_sentences
from zoo.data_statistics import Statistics
from zoo.errors import UserError
from zoo.text.tokenizer import Tokenizer


def make_passages(
    texts: Sequence[str], tokenizer: Tokenizer, length: int
) -> tuple[list[np.ndarray], Statistics]:
    """Splits documents into passages, each of as many whole sentences as fit.

    Args:
        texts: The documents.
        tokenizer: The tokenizer.
        length: Maximum number of tokens in a passage. Longer sentences are split.

    Returns:
        The int32 ids of each passage, without special tokens, and statistics of skipped sentences
        and unknown tokens.

    Raises:
        UserError: If the length is below 1, or the texts contain no tokens.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("characters", ["ab."], 10)
        >>> passages, statistics = make_passages(["aaa. bb. a. b", "aaaaaaa."], tokenizer, 7)
        >>> [len(ids) for ids in passages]
        [5, 7, 2, 7, 2]
    """
    if length < 1:
        raise UserError(f"length must be at least 1, got {length}")
    passages: list[list[int]] = []
    documents, statistics = tokenized_sentences(texts, tokenizer)
    for sentences in documents:
        passages.append([])
        for sentence in sentences:
            for start in range(0, len(sentence), length):
                part = sentence[start : start + length]
                if len(passages[-1]) + len(part) > length:
                    passages.append([])
                passages[-1] += part
    if not passages:
        raise UserError("the texts contain no tokens")
    return [np.array(ids, np.int32) for ids in passages], statistics
