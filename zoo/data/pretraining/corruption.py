"""How text is corrupted that a denoising model restores.

Source: Lewis et al. 2020, "BART", section 2.2; shares: section 5.1, and of single tokens Devlin et
al. 2019, section 3.1. Each corruption takes the ids (N,) of a passage, without marks around it, and
a generator, and gives ids, so that one can follow another; what it does not need it takes unread.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.errors import UserError

TOKENS, SPANS = 0.15, 0.3  # shares of the tokens that are taken, one by one or in spans
SPAN_LENGTH = 3.0  # mean of the Poisson distribution of the tokens in a span


def token_masking(
    ids: np.ndarray, random: np.random.Generator, *, mask: int, **_: Any
) -> np.ndarray:
    """Tokens drawn at random become the mask.

    Example:
        >>> token_masking(np.arange(10, 20), np.random.default_rng(0), mask=4).tolist()
        [10, 11, 12, 13, 4, 15, 4, 17, 18, 19]
    """
    shown = ids.copy()
    shown[_drawn(len(ids), random)] = mask
    return shown


def token_deletion(ids: np.ndarray, random: np.random.Generator, **_: Any) -> np.ndarray:
    """Tokens drawn at random are gone, and nothing tells where they stood.

    Example:
        >>> token_deletion(np.arange(10, 20), np.random.default_rng(0)).tolist()
        [10, 11, 12, 13, 15, 17, 18, 19]
    """
    return np.delete(ids, _drawn(len(ids), random))


def text_infilling(
    ids: np.ndarray, random: np.random.Generator, *, mask: int, **_: Any
) -> np.ndarray:
    """Spans become one mask each, whatever their lengths; those of none insert a mask.

    Example:
        >>> text_infilling(np.arange(10, 20), np.random.default_rng(2), mask=4).tolist()
        [10, 11, 4, 15, 16, 17, 18, 19]
    """
    lengths = span_lengths(round(SPANS * len(ids)), random)
    # Spans and single tokens in a row: every way to place the spans is as likely.
    widths = np.ones(len(ids) - lengths.sum() + len(lengths), int)
    spans = random.permutation(len(widths))[: len(lengths)]
    widths[spans] = lengths
    shown = ids[widths.cumsum() - 1]
    shown[spans] = mask
    return shown


def span_lengths(tokens: int, random: np.random.Generator) -> np.ndarray:
    """Lengths of spans that have so many tokens in all, the last one cut.

    Example:
        >>> lengths = span_lengths(100, np.random.default_rng(0))
        >>> int(lengths.sum()), lengths[:5].tolist()
        (100, [2, 0, 7, 1, 4])
    """
    drawn = random.poisson(SPAN_LENGTH, size=tokens)
    while drawn.sum() < tokens:
        drawn = np.append(drawn, random.poisson(SPAN_LENGTH, size=tokens))
    ends = np.minimum(drawn.cumsum(), tokens)
    count = int(np.searchsorted(ends, tokens)) + 1 if tokens else 0
    return np.diff(ends[:count], prepend=0)


def sentence_permutation(
    ids: np.ndarray, random: np.random.Generator, *, ends: np.ndarray, **_: Any
) -> np.ndarray:
    """The sentences in an order drawn at random.

    Args:
        ids: The passage.
        random: The generator.
        ends: Of each id whether its piece ends a sentence, bool (V,).

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
    """The passage begins with a token drawn at random, and what stood before it comes last.

    Example:
        >>> document_rotation(np.arange(10, 15), np.random.default_rng(0)).tolist()
        [14, 10, 11, 12, 13]
    """
    return np.roll(ids, -int(random.integers(len(ids)))) if len(ids) else ids


def _drawn(count: int, random: np.random.Generator) -> np.ndarray:
    """Places of the tokens to take, one at least."""
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
    """Corruptions by their names, one after the other.

    Args:
        names: Of `CORRUPTIONS`.

    Raises:
        UserError: If there is none, or one is unknown; the message lists the choices.

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
            raise UserError(f"corruptions must be of {', '.join(CORRUPTIONS)}; got {wrong}")

    def __call__(
        self, ids: np.ndarray, random: np.random.Generator, mask: int, ends: np.ndarray
    ) -> np.ndarray:
        """The ids of a passage, corrupted.

        Args:
            ids: int (N,).
            random: The generator.
            mask: Id of the mask.
            ends: Of each id whether its piece ends a sentence, bool (V,).
        """
        for name in self.names:
            ids = CORRUPTIONS[name](ids, random, mask=mask, ends=ends)
        return ids
