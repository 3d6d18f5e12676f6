"""Splitting documents into passages of whole sentences."""

from collections.abc import Sequence

from zoo.data.batching.padded_columns import Sequences
from zoo.data.batching.tokenized import Tokenized
from zoo.data.pretraining.sentence_pairs import tokenized_sentences
from zoo.errors import UserError
from zoo.text.tokenizer import Tokenizer


def make_passages(texts: Sequence[str], tokenizer: Tokenizer, length: int) -> Tokenized:
    """Splits documents into passages, each of as many whole sentences as fit.

    Args:
        texts: The documents.
        tokenizer: The tokenizer.
        length: Maximum number of tokens in a passage. Longer sentences are split.

    Returns:
        The column `token_ids`, the ids of each passage without special tokens; and statistics of
        skipped sentences and unknown tokens.

    Raises:
        UserError: If the length is below 1.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("characters", ["ab."], 10)
        >>> passages = make_passages(["aaa. bb. a. b", "aaaaaaa."], tokenizer, 7)
        >>> [len(ids) for ids in passages.columns["token_ids"]]
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
    column = Sequences.of(passages, tokenizer.special_tokens.pad)
    return Tokenized({"token_ids": column}, statistics)
