"""Which tokens a masked language model has to guess, and what stands there instead."""

from dataclasses import dataclass

import numpy as np

from zoo.text.special_tokens import SpecialTokens

NOT_CHOSEN = -100  # the label where there is nothing to guess
MASKED, REPLACED = 0.8, 0.1  # shares of the chosen ones; the rest stays as it is


@dataclass(frozen=True)
class Masking:
    """Chooses tokens, hides most of them, and keeps what they were.

    Source: Devlin et al. 2019, section 3.1, task 1: 15 %, of which 80 % become the mask, 10 % a
    random token and 10 % stay; whole words: the authors' later models.

    Args:
        special_tokens: Ids that are never chosen, and that never replace a token.
        vocabulary_size: Number of ids.
        continues: Of each id whether its piece continues a word, bool (V,), to choose whole words
            by; None chooses pieces.
        share: Share of a row's tokens to choose; one at least.

    Example:
        >>> masking = Masking(SpecialTokens(mask=4), vocabulary_size=30)
        >>> ids = np.array([[2, 7, 8, 9, 3, 0]])
        >>> hidden, labels = masking(ids, np.random.default_rng(0))
        >>> int((labels != NOT_CHOSEN).sum()), np.where(labels < 0, hidden, labels).tolist()
        (1, [[2, 7, 8, 9, 3, 0]])
    """

    special_tokens: SpecialTokens
    vocabulary_size: int
    continues: np.ndarray | None = None
    share: float = 0.15

    def __call__(
        self, token_ids: np.ndarray, random: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Ids (B, T) to what the model is shown, and to its labels, -100 where not chosen."""
        chosen = np.zeros(token_ids.shape, bool)
        for row, ids in zip(chosen, token_ids, strict=True):
            row[self._choose(ids, random)] = True
        fate = random.random(token_ids.shape)
        words = np.setdiff1d(np.arange(self.vocabulary_size), self.special_tokens.ids)
        random_tokens = words[random.integers(len(words), size=token_ids.shape)]
        shown = np.where(fate < MASKED, self.special_tokens.mask, random_tokens)
        shown = np.where(chosen & (fate < MASKED + REPLACED), shown, token_ids)
        return shown.astype(np.int32), np.where(chosen, token_ids, NOT_CHOSEN).astype(np.int32)

    def _choose(self, ids: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """Places in a row, of whole words if so asked."""
        places = np.flatnonzero(~np.isin(ids, self.special_tokens.invisible))
        if not len(places):
            return places
        wanted = max(1, round(self.share * len(places)))
        if self.continues is None:
            return random.permutation(places)[:wanted]
        # A piece goes with the one before it unless a mark or another word stands between.
        begins = ~self.continues[ids[places]] | (np.diff(places, prepend=-2) > 1)
        words = np.split(places, np.flatnonzero(begins)[1:])
        found: list[np.ndarray] = []
        for i in random.permutation(len(words)):
            size = sum(map(len, found))
            if size < wanted and (size + len(words[i]) <= wanted or not found):
                found.append(words[i])
        return np.concatenate(found)
