"""The choice between words and characters as the terms of a linear text classifier."""

import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from zoo.tasks.baselines.sampling import sampled

TEXTS = 5_000  # maximum number of texts to compare on
SHARE = 0.2  # of them that are held out
LABELS = 256  # maximum number of labels to compare with
LENGTH = 256  # characters that 95 % of texts must not exceed: attention to all pairs takes memory
NGRAMS = 4  # maximum number of characters in a term
BUCKETS = 1 << 16
SMOOTHING = 0.3
SIGNIFICANT = 2.0  # standard errors


def prefers_characters(texts: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether n-grams of characters tell the labels of held-out texts better than words do.

    Complement naive Bayes answers, since it needs no iterations. Words are kept unless the
    difference is significant, and in long texts.

    Source: Rennie et al. 2003, table 4 (complement naive Bayes); McNemar 1947 (significance).
    Formula: `(b - c) / sqrt(b + c) > 2`, where n-grams alone are right in b texts, words in c

    Args:
        texts: Texts.
        labels: Their labels.

    Example:
        >>> stems = ["red", "hut", "sing", "run", "dim", "pat", "kin", "bold", "wet", "low"]
        >>> words = [(stem + end, end) for stem in stems for end in ("ness", "ing", "ful")]
        >>> prefers_characters(*zip(*words * 3, strict=True))
        True
    """
    rows = sampled(len(texts), TEXTS)
    texts, labels = [texts[row].lower() for row in rows], [labels[row] for row in rows]
    names, classes = np.unique(np.array(labels), return_inverse=True)
    held_out = np.zeros(len(rows), bool)
    held_out[sampled(len(rows), int(SHARE * len(rows)), seed=1)] = True
    long = np.quantile([len(text) for text in texts], 0.95) > LENGTH
    if long or not 2 <= len(names) <= LABELS or not held_out.any():
        return False
    right = [
        _answers(texts, classes, held_out, terms) == classes[held_out]
        for terms in (words_of, characters_of)
    ]
    words, characters = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
    return bool(characters - words > SIGNIFICANT * np.sqrt(characters + words))


def words_of(text: str) -> Iterator[str]:
    """The words of a text, and pairs of neighbors.

    Example:
        >>> list(words_of("a red hat"))
        ['a', 'red', 'hat', 'a red', 'red hat']
    """
    words = text.split()
    yield from words
    yield from map(" ".join, zip(words, words[1:], strict=False))


def characters_of(text: str) -> Iterator[str]:
    """The n-grams of 1 to 4 characters of a text.

    Example:
        >>> list(characters_of("abc"))
        ['a', 'b', 'c', 'ab', 'bc', 'abc']
    """
    for length in range(1, NGRAMS + 1):
        for start in range(len(text) - length + 1):
            yield text[start : start + length]


def _answers(
    texts: Sequence[str],
    classes: np.ndarray,
    held_out: np.ndarray,
    terms: Callable[[str], Iterator[str]],
) -> np.ndarray:
    """The classes of the held-out texts, by complement naive Bayes on the others."""
    counts = [Counter(zlib.crc32(term.encode()) % BUCKETS for term in terms(x)) for x in texts]
    rows = np.repeat(np.arange(len(texts)), [len(each) for each in counts])
    columns = np.array([term for each in counts for term in each], "int64")
    values = np.log1p([count for each in counts for count in each.values()])
    inside = ~held_out[rows]
    frequencies = np.bincount(columns[inside], minlength=BUCKETS)
    values *= 1 + np.log((1 + len(texts)) / (1 + frequencies[columns]))
    values /= np.sqrt(np.bincount(rows, values**2, len(texts)))[rows]
    number = int(classes.max()) + 1
    sums = np.bincount(
        classes[rows[inside]] * BUCKETS + columns[inside], values[inside], number * BUCKETS
    ).reshape(number, BUCKETS)
    others = sums.sum(axis=0) - sums + SMOOTHING
    weights = -np.log(others / others.sum(axis=1, keepdims=True))
    weights /= np.abs(weights).sum(axis=1, keepdims=True)
    rows, columns, values = (each[~inside] for each in (rows, columns, values))
    scores = [np.bincount(rows, values * weight[columns], len(texts)) for weight in weights]
    best: np.ndarray = np.stack(scores, axis=1)[held_out].argmax(axis=1)
    return best
