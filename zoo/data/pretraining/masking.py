"""Masking tokens for masked language models."""

from dataclasses import dataclass

import numpy as np

from zoo.text.special_tokens import SpecialTokens

NOT_CHOSEN = -100  # label of tokens that are not predicted
MASKED, REPLACED = 0.8, 0.1  # fractions of the chosen tokens; the rest is unchanged


@dataclass(frozen=True)
class Masking:
    """Chooses the tokens that a model predicts, and masks most of them in its inputs.

    Source: Devlin et al. 2019, section 3.1, task 1: 15 % of the tokens are chosen, of which 80 %
        are replaced with the mask, 10 % with a random token, and 10 % are unchanged. Whole words:
        the authors' later models.

    Args:
        special_tokens: Ids of the special tokens, which are never chosen and never replace a token.
        vocabulary_size: Number of ids V.
        continues: Whether each token continues a word, bool (V,), for whole-word masking. If None,
            tokens are chosen one by one.
        share: Fraction of the tokens of a row that are chosen, at least one.

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
        """Masks random tokens.

        Args:
            token_ids: Ids (B, T).
            random: Random generator.

        Returns:
            The model's inputs, int32 (B, T), and its labels, int32 (B, T): the original ids of the
            chosen tokens, and -100 elsewhere.
        """
        chosen = np.zeros(token_ids.shape, bool)
        for row, ids in zip(chosen, token_ids, strict=True):
            row[self._choose(ids, random)] = True
        u = random.random(token_ids.shape)
        ordinary = np.setdiff1d(np.arange(self.vocabulary_size), self.special_tokens.ids)
        random_tokens = ordinary[random.integers(len(ordinary), size=token_ids.shape)]
        inputs = np.where(u < MASKED, self.special_tokens.mask, random_tokens)
        inputs = np.where(chosen & (u < MASKED + REPLACED), inputs, token_ids)
        return inputs.astype(np.int32), np.where(chosen, token_ids, NOT_CHOSEN).astype(np.int32)

    def _choose(self, ids: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """Random positions among the ids of a row, of whole words if `continues` is given."""
        indices = np.flatnonzero(~np.isin(ids, self.special_tokens.invisible))
        if not len(indices):
            return indices
        budget = max(1, round(self.share * len(indices)))
        if self.continues is None:
            return random.permutation(indices)[:budget]
        # A token that continues a word is chosen together with the token directly before it.
        begins = ~self.continues[ids[indices]] | (np.diff(indices, prepend=-2) > 1)
        words = np.split(indices, np.flatnonzero(begins)[1:])
        chosen: list[np.ndarray] = []
        for i in random.permutation(len(words)):
            size = sum(map(len, chosen))
            if size < budget and (size + len(words[i]) <= budget or not chosen):
                chosen.append(words[i])
        return np.concatenate(chosen)
