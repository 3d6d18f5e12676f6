"""Documents as pairs of texts, the second of which follows the first or comes from elsewhere."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from zoo.data_statistics import Statistics
from zoo.errors import UserError
from zoo.text.statistics import count_unknown
from zoo.text.tokenizer import Tokenizer

MARKS = 3  # the start token, and an end token behind each text
SHORT = 0.1  # share of the pairs that are shorter than they could be

_CHUNK = 1 << 16  # sentences tokenized at a time
_END_OF_SENTENCE = re.compile(r"(?<=[.!?])\s+|\s*\n\s*")
Ids = list[int]


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, as far as punctuation and line ends tell.

    Example:
        >>> split_sentences("To be. Or not?\\n  That is")
        ['To be.', 'Or not?', 'That is']
    """
    return [part for part in _END_OF_SENTENCE.split(text) if part.strip()]


@dataclass(frozen=True)
class SentencePairs:
    """Pairs as padded ids.

    Args:
        token_ids: int32 (N, T): start token, first text, end token, second text, end token.
        is_random: int32 (N,): 0 where the second text follows the first, 1 where it does not.
        pad: the id that fills up rows.
        statistics: what of the documents is in no pair, or unknown.
    """

    token_ids: np.ndarray
    is_random: np.ndarray
    pad: int = 0
    statistics: Statistics = field(default_factory=Statistics)

    def __str__(self) -> str:
        count, length = self.token_ids.shape
        share = (self.token_ids == self.pad).mean()
        return f"{count} pairs of up to {length} tokens, {share:.0%} padding"


def make_pairs(
    texts: Sequence[str], tokenizer: Tokenizer, length: int, seed: int = 0
) -> SentencePairs:
    """Cuts documents into pairs of runs of sentences; every second one goes on elsewhere.

    Source: Devlin et al. 2019, section 3.1, task 2, and appendix A.2.

    Args:
        texts: the documents.
        tokenizer: what makes ids of them.
        length: the most tokens T of a pair, marks included; 5 at least.
        seed: of what is drawn.

    Raises:
        UserError: if there are no two sentences.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("characters", ["abc"], 10)
        >>> pairs = make_pairs(["a. b.", "c."], tokenizer, 12)
        >>> int(pairs.token_ids[0, 0]), pairs.token_ids.shape[1]
        (2, 12)
    """
    if length < MARKS + 2:
        raise UserError(f"a pair has {MARKS} marks: its length must be at least 5, got {length}")
    documents, statistics = tokenized_sentences(texts, tokenizer)
    if sum(map(len, documents)) < 2:
        raise UserError("there are no two sentences to make a pair of")
    random = np.random.default_rng(seed)
    pairs = [pair for i in range(len(documents)) for pair in _of(documents, i, length, random)]
    special = tokenizer.special_tokens
    ids = np.full((len(pairs), length), special.pad, np.int32)
    for row, (first, second, _, cut) in zip(ids, pairs, strict=True):
        tokens = [special.start, *first, special.end, *second, special.end]
        row[: len(tokens)] = tokens
        statistics[f"tokens cut off from pairs of more than {length}"] += cut
    others = np.array([other for _, _, other, _ in pairs], np.int32)
    return SentencePairs(ids, others, special.pad, statistics)


def tokenized_sentences(
    texts: Sequence[str], tokenizer: Tokenizer
) -> tuple[list[list[Ids]], Statistics]:
    """The sentences of each document as ids; those without any are left out, and counted.

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
    documents = [[found for found in islice(every, len(document)) if found] for document in split]
    return [document for document in documents if document], statistics


def _of(
    documents: list[list[Ids]], number: int, length: int, random: np.random.Generator
) -> list[tuple[Ids, Ids, int, int]]:
    """The pairs of one document: first text, second text, whether that is from elsewhere, and how
    many tokens of the two did not fit.
    """
    sentences, room = documents[number], length - MARKS
    found, begin = [], 0
    while begin < len(sentences):
        wanted = int(random.integers(2, room + 1)) if random.random() < SHORT else room
        end, size = begin, 0
        while end < len(sentences) and size < wanted:
            size += len(sentences[end])
            end += 1
        cut = begin + (int(random.integers(1, end - begin)) if end - begin > 1 else 1)
        first = _joined(sentences[begin:cut])
        other = int(end - begin < 2 or random.random() < 0.5)
        if other:
            second = _elsewhere(documents, number, wanted - len(first), random)
            begin = cut  # what was not used comes in the next pair
        else:
            second, begin = _joined(sentences[cut:end]), end
        over = max(0, len(first) + len(second) - room)
        found.append((*_shortened(first, second, room, random), other, over))
    return found


def _elsewhere(
    documents: list[list[Ids]], number: int, size: int, random: np.random.Generator
) -> Ids:
    """A run of sentences of another document, or of the only one, of about a size."""
    other = number
    if len(documents) > 1:
        other = (number + int(random.integers(1, len(documents)))) % len(documents)
    place = int(random.integers(len(documents[other])))
    ids = list(documents[other][place])
    while len(ids) < size and place + 1 < len(documents[other]):
        place += 1
        ids += documents[other][place]
    return ids


def _joined(sentences: list[Ids]) -> Ids:
    return [token for ids in sentences for token in ids]


def _shortened(first: Ids, second: Ids, room: int, random: np.random.Generator) -> tuple[Ids, Ids]:
    """Both texts, the longer one cut at either end until the two fit."""
    while len(first) + len(second) > room:
        longer = first if len(first) > len(second) else second
        longer.pop(0 if random.random() < 0.5 else -1)
    return first, second
