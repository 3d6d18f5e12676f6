"""Corruptions of text for training denoising models.

Source: Lewis et al. 2020, "BART", section 2.2; fraction of corrupted tokens: section 5.1 for spans,
Devlin et al. 2019, section 3.1, for single tokens.

Each corruption maps the ids (N,) of a passage, without special tokens, to new ids, so corruptions
can be applied one after the other. All accept the same keyword arguments, and ignore those that
they do not need.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.errors import UserError

TOKENS, SPANS = 0.15, 0.3  # fractions of the tokens that are corrupted, one by one or in spans
SPAN_LENGTH = 3.0  # mean of the Poisson distribution of span lengths


def token_masking(
    ids: np.ndarray, random: np.random.Generator, *, mask: int, **_: Any
) -> np.ndarray:
    """Replaces random tokens with the mask.

    Example:
        >>> token_masking(np.arange(10, 20), np.random.default_rng(0), mask=4).tolist()
        [10, 11, 12, 13, 4, 15, 4, 17, 18, 19]
    """
    corrupted = ids.copy()
    corrupted[_random_positions(len(ids), random)] = mask
    return corrupted


def token_deletion(ids: np.ndarray, random: np.random.Generator, **_: Any) -> np.ndarray:
    """Deletes random tokens.

    Example:
        >>> token_deletion(np.arange(10, 20), np.random.default_rng(0)).tolist()
        [10, 11, 12, 13, 15, 17, 18, 19]
    """
    return np.delete(ids, _random_positions(len(ids), random))


def text_infilling(
    ids: np.ndarray, random: np.random.Generator, *, mask: int, **_: Any
) -> np.ndarray:
    """Replaces each of several random spans with one mask. Spans of length 0 insert a mask.

    Example:
        >>> text_infilling(np.arange(10, 20), np.random.default_rng(2), mask=4).tolist()
        [10, 11, 4, 15, 16, 17, 18, 19]
    """
    lengths = span_lengths(round(SPANS * len(ids)), random)
    # A sequence of spans and single tokens, in which all positions of the spans are equally likely.
    widths = np.ones(len(ids) - lengths.sum() + len(lengths), int)
    spans = random.permutation(len(widths))[: len(lengths)]
    widths[spans] = lengths
    corrupted = ids[widths.cumsum() - 1]
    corrupted[spans] = mask
    return corrupted


def span_lengths(tokens: int, random: np.random.Generator) -> np.ndarray:
    """Random span lengths with a given sum. The last span is shortened to fit.

    Example:
        >>> lengths = span_lengths(100, np.random.default_rng(0))
        >>> int(lengths.sum()), lengths[:5].tolist()
        (100, [2, 0, 7, 1, 4])
    """
    lengths = random.poisson(SPAN_LENGTH, size=tokens)
    while lengths.sum() < tokens:
        lengths = np.append(lengths, random.poisson(SPAN_LENGTH, size=tokens))
    ends = np.minimum(lengths.cumsum(), tokens)
    count = int(np.searchsorted(ends, tokens)) + 1 if tokens else 0
    return np.diff(ends[:count], prepend=0)


def sentence_permutation(
    ids: np.ndarray, random: np.random.Generator, *, ends: np.ndarray, **_: Any
) -> np.ndarray:
    """Shuffles the sentences.

    Args:
        ids: Ids of the passage, (N,).
        random: Random generator.
        ends: Whether each token ends a sentence, bool (V,).

    Example:
        >>> ends = np.arange(20) == 9
        >>> ids = np.array([10, 9, 11, 12, 9, 13])
        >>> sentence_permutation(ids, np.random.default_rng(5), ends=ends).tolist()
        [11, 12, 9, 13, 10, 9]
    """
    cuts = np.flatnonzero(ends[ids]) + 1
    sentences = np.split(ids, cuts[cuts < len(ids)])
    return np.concatenate([sentences[i] for i in random.permutation(len(sentences))])


def document_rotation(ids: np.ndarray, random: np.random.Generator, **_: Any) -> np.ndarray:
    """Rotates the passage so that it starts with a random token.

    Example:
        >>> document_rotation(np.arange(10, 15), np.random.default_rng(0)).tolist()
        [14, 10, 11, 12, 13]
    """
    return np.roll(ids, -int(random.integers(len(ids)))) if len(ids) else ids


def _random_positions(count: int, random: np.random.Generator) -> np.ndarray:
    """Positions of the tokens to corrupt, at least one."""
    return random.permutation(count)[: max(1, round(TOKENS * count))]


CORRUPTIONS = {
    corruption.__name__: corruption
    for corruption in (
        token_masking,
        token_deletion,
        text_infilling,
        sentence_permutation,
        document_rotation,
    )
}


@dataclass(frozen=True)
class Corruption:
    """Applies corruptions one after the other.

    Args:
        names: Names of the corruptions, which are the keys of `CORRUPTIONS`.

    Raises:
        UserError: If there are no names, or one is unknown.

    Example:
        >>> corrupt = Corruption(("sentence_permutation", "text_infilling"))
        >>> ends = np.arange(20) % 5 == 4
        >>> corrupt(np.arange(10, 20), np.random.default_rng(5), mask=4, ends=ends).tolist()
        [15, 16, 4, 10, 11, 12, 13, 14]
    """

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        unknown = [name for name in self.names if name not in CORRUPTIONS]
        if unknown or not self.names:
            wrong = repr(unknown[0]) if unknown else "none"
            raise UserError(f"corruptions must be some of {', '.join(CORRUPTIONS)}; got {wrong}")

    def __call__(
        self, ids: np.ndarray, random: np.random.Generator, mask: int, ends: np.ndarray
    ) -> np.ndarray:
        """Corrupts a passage.

        Args:
            ids: Ids of the passage, (N,).
            random: Random generator.
            mask: Id of the mask token.
            ends: Whether each token ends a sentence, bool (V,).

        Returns:
            Ids of the corrupted passage, whose length may differ.
        """
        for name in self.names:
            ids = CORRUPTIONS[name](ids, random, mask=mask, ends=ends)
        return ids
