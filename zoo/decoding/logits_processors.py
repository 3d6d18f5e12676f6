"""Rules that constrain the generated tokens (logits processors)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from keras import ops

from zoo.decoding.protocol import IMPOSSIBLE
from zoo.text.special_tokens import END, SpecialTokens

Words = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class LogitsProcessors:
    """Rules that exclude tokens or force them, like Hugging Face's logits processors.

    Source: no repeated n-grams: Paulus et al. 2018, section 2.5. The rules are those of Hugging
        Face's `no_repeat_ngram_size`, `min_new_tokens`, `bad_words_ids`, `forced_bos_token_id` and
        `forced_eos_token_id`. N-grams and bad words may include tokens of the prompt and the start
        token.

    Args:
        no_repeat_ngram: Size of n-grams that may occur only once in an output and its prompt; 0
            disables the rule.
        min_new_tokens: Minimum number of tokens before the end token.
        bad_words: Words that are never generated, each as a sequence of token ids.
        forced_first: Id that is forced as the first token; -1 disables the rule. Forced tokens have
            a log-probability of 0, and override all other rules.
        forced_last: Id that is forced as the last token when `max_new_tokens` is reached; -1
            disables the rule.
        max_new_tokens: Maximum number of tokens, which `forced_last` depends on.

    Raises:
        ValueError: If `no_repeat_ngram` or `min_new_tokens` is negative, or a bad word is empty.

    Example:
        >>> logits_processors = LogitsProcessors(no_repeat_ngram=2, bad_words=((6,),))
        >>> ids = ops.array([[2, 5, 4, 5, 0, 0]])  # 5 was followed by 4
        >>> processed = logits_processors(ops.zeros((1, 8)), ids, index=3, lengths=ops.array([1]))
        >>> np.flatnonzero(ops.convert_to_numpy(processed)[0]).tolist()
        [4, 6]
    """

    no_repeat_ngram: int = 0
    min_new_tokens: int = 0
    bad_words: Words = ()
    forced_first: int = -1
    forced_last: int = -1
    max_new_tokens: int = 0

    @classmethod
    def of(
        cls,
        special_tokens: SpecialTokens,
        max_new_tokens: int,
        no_repeat_ngram: int = 0,
        min_new_tokens: int = 0,
        bad_words: Sequence[Sequence[int]] = (),
    ) -> Self:
        """The rules of options of generation, and of tokens that a checkpoint forces."""
        forced = special_tokens.forced_first, special_tokens.forced_last
        words = tuple(map(tuple, bad_words))
        return cls(no_repeat_ngram, min_new_tokens, words, *forced, max_new_tokens)

    def __post_init__(self) -> None:
        for name in ("no_repeat_ngram", "min_new_tokens"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be at least 0; received {getattr(self, name)!r}.")
        if not all(len(word) for word in self.bad_words):
            raise ValueError(f"words in bad_words must not be empty; received {self.bad_words!r}.")

    def __call__(self, log_p: Any, ids: Any, index: Any, lengths: Any, end: int = END) -> Any:
        """Applies the rules to the log-probabilities of the next token.

        Args:
            log_p: Log-probabilities (B, V).
            ids: int32 tensor (B, L) of the prompts and the generated tokens. Those after `index`
                are ignored.
            index: Position of the last token.
            lengths: Length of each prompt, (B,).
            end: Id of the end token.

        Returns:
            Log-probabilities (B, V), `IMPOSSIBLE` for excluded tokens.
        """
        size, generated = log_p.shape[-1], index + 1 - lengths
        if self.no_repeat_ngram:
            log_p = _without(log_p, _repeating(ids, index, self.no_repeat_ngram, size))
        if self.min_new_tokens:
            early = ops.less(generated, self.min_new_tokens)
            log_p = _without(log_p, _at(early, end, size))
        for word in self.bad_words:
            log_p = _without(log_p, _at(_ends_with(ids, index, word[:-1]), word[-1], size))
        if self.forced_first >= 0:
            log_p = _only(log_p, ops.equal(generated, 0), self.forced_first)
        if self.forced_last >= 0:
            log_p = _only(log_p, ops.equal(generated, self.max_new_tokens - 1), self.forced_last)
        return log_p


NONE = LogitsProcessors()


def _without(log_p: Any, banned: Any) -> Any:
    """Excludes the banned tokens, bool (B, V)."""
    return ops.where(banned, IMPOSSIBLE, log_p)


def _only(log_p: Any, rows: Any, token: int) -> Any:
    """Forces a token in the given rows, bool (B,)."""
    certain = np.where(np.arange(log_p.shape[-1]) == token, 0.0, IMPOSSIBLE).astype("float32")
    return ops.where(ops.expand_dims(rows, -1), certain, log_p)


def _at(rows: Any, token: int, size: int) -> Any:
    """Mask (B, V) of one token in the given rows, bool (B,)."""
    return ops.logical_and(ops.expand_dims(rows, -1), np.arange(size) == token)


def _back(ids: Any, index: Any, steps: int) -> Any:
    """The tokens (B,) `steps` positions before `index`; arbitrary before the first position."""
    return ops.take(ids, ops.maximum(index - steps, 0), axis=1)


def _ends_with(ids: Any, index: Any, tokens: Sequence[int]) -> Any:
    """Whether each row ends with the given tokens, bool (B,)."""
    ends = ops.full_like(ids[:, 0], True, dtype="bool")
    for steps, token in enumerate(reversed(tokens)):
        same = ops.equal(_back(ids, index, steps), token)
        ends = ops.logical_and(ends, ops.logical_and(same, ops.greater_equal(index, steps)))
    return ends


def _repeating(ids: Any, index: Any, n: int, size: int) -> Any:
    """Tokens that would complete an n-gram that has occurred before, bool (B, V)."""
    rows, length = ops.shape(ids)[0], ops.shape(ids)[1]
    positions = ops.arange(length, dtype="int32")
    known = ops.logical_and(ops.less_equal(positions, index), ops.greater_equal(positions, n - 1))
    repeats = ops.logical_and(ops.expand_dims(known, 0), ops.ones_like(ids, dtype="bool"))
    for steps in range(1, n):
        before = ops.take(ids, ops.maximum(positions - steps, 0), axis=1)
        last = ops.expand_dims(_back(ids, index, steps - 1), -1)
        repeats = ops.logical_and(repeats, ops.equal(before, last))
    row = ops.expand_dims(ops.arange(rows, dtype="int32"), -1) + ops.zeros_like(ids)
    where = ops.stack([row, ops.maximum(ids, 0)], axis=-1)  # padding may be -1
    counts = ops.scatter(
        ops.reshape(where, (-1, 2)), ops.reshape(ops.cast(repeats, "float32"), (-1,)), (rows, size)
    )
    return ops.greater(counts, 0.0)
