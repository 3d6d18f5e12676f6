"""Documents as passages: runs of whole sentences that fit a length."""

from collections.abc import Sequence

import numpy as np

from zoo.data.pretraining.sentence_pairs import tokenized_sentences
from zoo.data_statistics import Statistics
from zoo.errors import UserError
from zoo.text.tokenizer import Tokenizer


def make_passages(
    texts: Sequence[str], tokenizer: Tokenizer, length: int
) -> tuple[list[np.ndarray], Statistics]:
    """Cuts documents into passages, each of as many sentences as fit.

    Args:
        texts: the documents.
        tokenizer: what makes ids of them.
        length: the most tokens of a passage; a longer sentence is cut into several.

    Returns:
        int32 ids of each passage, without marks; and what of the documents is in none, or unknown.

    Raises:
        UserError: if the texts have no token.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("characters", ["ab."], 10)
        >>> passages, statistics = make_passages(["aaa. bb. a. b", "aaaaaaa."], tokenizer, 7)
        >>> [len(ids) for ids in passages]
        [5, 7, 2, 7, 2]
    """
    if length < 1:
        raise UserError(f"a passage has one token at least, got a length of {length}")
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
        raise UserError("the texts hold no token to learn from")
    return [np.array(ids, np.int32) for ids in passages], statistics
