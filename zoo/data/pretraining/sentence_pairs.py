"""Sentence pairs for next-sentence prediction."""

from collections.abc import Sequence
from itertools import islice

import numpy as np

from zoo.data.batching.padded_columns import Numbers, Sequences
from zoo.data.batching.tokenized import Tokenized
from zoo.data_statistics import Statistics
from zoo.errors import UserError
from zoo.text.sentences import split_sentences
from zoo.text.statistics import count_unknown
from zoo.text.tokenizer import Tokenizer

NUM_SPECIAL = 3  # the start token, and an end token after each text
SHORT = 0.1  # fraction of the pairs that are deliberately shorter than the maximum length

_CHUNK = 1 << 16  # sentences tokenized at a time
Ids = list[int]


def make_pairs(
    texts: Sequence[str], tokenizer: Tokenizer, length: int, seed: int | Sequence[int] = 0
) -> Tokenized:
    """Splits documents into pairs of texts for next-sentence prediction.

    Each text is one or more sentences. In half of the pairs the second text is random, instead of
    the one that follows the first.

    Source: Devlin et al. 2019, section 3.1, task 2, and appendix A.2.

    Args:
        texts: The documents.
        tokenizer: The tokenizer.
        length: Maximum number of tokens T of a pair, including 3 special tokens; at least 5.
        seed: Random seed.

    Returns:
        The columns `token_ids`, of start token, first text, end token, second text and end token;
        and `is_random`, 0 if the second text follows the first, otherwise 1. The statistics are
        the number of skipped sentences, unknown tokens and truncated tokens. There are no pairs of
        fewer than two sentences.

    Raises:
        UserError: If the length is below 5.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("characters", ["abc"], 10)
        >>> pairs = make_pairs(["a. b.", "c."], tokenizer, 12)
        >>> int(pairs.columns["token_ids"][0][0]), len(pairs.columns["is_random"])
        (2, 3)
    """
    if length < NUM_SPECIAL + 2:
        raise UserError(
            f"length, including {NUM_SPECIAL} special tokens, must be at least 5, got {length}"
        )
    documents, statistics = tokenized_sentences(texts, tokenizer)
    if sum(map(len, documents)) < 2:
        documents = []  # as the last piece of a long document may be
    random = np.random.default_rng(seed)
    pairs = [pair for i in range(len(documents)) for pair in _pairs(documents, i, length, random)]
    special = tokenizer.special_tokens
    for _, _, _, truncated in pairs:
        statistics[f"tokens truncated from pairs longer than {length}"] += truncated
    ids = [
        [special.start, *first, special.end, *second, special.end] for first, second, _, _ in pairs
    ]
    is_random = np.array([pair[2] for pair in pairs], np.int32)
    column = Sequences.of(ids, special.pad)
    return Tokenized({"token_ids": column, "is_random": Numbers(is_random)}, statistics)


def tokenized_sentences(
    texts: Sequence[str], tokenizer: Tokenizer
) -> tuple[list[list[Ids]], Statistics]:
    """Splits documents into sentences and tokenizes them.

    Returns:
        The ids of the sentences of each document, without those that have no tokens; and statistics
        of skipped sentences and unknown tokens.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("characters", ["ab"], 10)
        >>> documents, statistics = tokenized_sentences(["a. b", " ", "b"], tokenizer)
        >>> documents, statistics["unknown tokens"]
        ([[[4, 5, 1], [4, 6]], [[4, 6]]], 1)
    """
    split = [split_sentences(text) for text in texts]
    sentences = [sentence for document in split for sentence in document]
    ids: list[Ids] = []
    for i in range(0, len(sentences), _CHUNK):
        ids += tokenizer.tokenize(sentences[i : i + _CHUNK]).to_list()
    flat = np.array([token for sentence in ids for token in sentence], np.int32)
    statistics = Statistics(
        {
            "sentences without tokens": sum(not sentence for sentence in ids),
            "unknown tokens": count_unknown(flat, tokenizer.special_tokens),
        }
    )
    every = iter(ids)
    documents = [
        [tokens for tokens in islice(every, len(document)) if tokens] for document in split
    ]
    return [document for document in documents if document], statistics


def _pairs(
    documents: list[list[Ids]], number: int, length: int, random: np.random.Generator
) -> list[tuple[Ids, Ids, int, int]]:
    """The pairs of one document. Each is a tuple of the first text, the second text, whether the
    second is random, and the number of truncated tokens.
    """
    sentences, room = documents[number], length - NUM_SPECIAL
    pairs, begin = [], 0
    while begin < len(sentences):
        target_length = int(random.integers(2, room + 1)) if random.random() < SHORT else room
        end, size = begin, 0
        while end < len(sentences) and size < target_length:
            size += len(sentences[end])
            end += 1
        cut = begin + (int(random.integers(1, end - begin)) if end - begin > 1 else 1)
        first = _concatenated(sentences[begin:cut])
        is_random = int(end - begin < 2 or random.random() < 0.5)
        if is_random:
            second = _random_text(documents, number, target_length - len(first), random)
            begin = cut  # the unused sentences start the next pair
        else:
            second, begin = _concatenated(sentences[cut:end]), end
        excess = max(0, len(first) + len(second) - room)
        pairs.append((*_truncated(first, second, room, random), is_random, excess))
    return pairs


def _random_text(
    documents: list[list[Ids]], number: int, size: int, random: np.random.Generator
) -> Ids:
    """Consecutive sentences with about `size` tokens, from another document if there is one."""
    other = number
    if len(documents) > 1:
        other = (number + int(random.integers(1, len(documents)))) % len(documents)
    index = int(random.integers(len(documents[other])))
    ids = list(documents[other][index])
    while len(ids) < size and index + 1 < len(documents[other]):
        index += 1
        ids += documents[other][index]
    return ids


def _concatenated(sentences: list[Ids]) -> Ids:
    return [token for ids in sentences for token in ids]


def _truncated(first: Ids, second: Ids, room: int, random: np.random.Generator) -> tuple[Ids, Ids]:
    """Removes tokens from either end of the longer text until the two fit."""
    while len(first) + len(second) > room:
        longer = first if len(first) > len(second) else second
        longer.pop(0 if random.random() < 0.5 else -1)
    return first, second
