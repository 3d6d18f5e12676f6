"""The tokens that a language model itself chooses, with which a bundle is compared."""

from collections.abc import Sequence

import numpy as np
from keras import ops

from zoo.decoding.protocol import log_probabilities
from zoo.decoding.streaming import TracedStep
from zoo.models.language_model import LanguageModel
from zoo.text.special_tokens import SpecialTokens


class Greedy:
    """Continues prompts with the most probable tokens.

    Prompts are read eagerly, and all have caches of one length: one traced step serves them all.

    Args:
        model: The model.
        special_tokens: The special tokens of its tokenizer.
        max_length: Number of tokens of the caches.

    Example:
        >>> from zoo.models.llama import Llama
        >>> model = Llama(9, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=16)
        >>> greedy = Greedy(model, SpecialTokens(end=8), max_length=16)
        >>> 1 <= len(greedy([4, 5], 3)) <= 3
        True
    """

    def __init__(
        self, model: LanguageModel, special_tokens: SpecialTokens, max_length: int
    ) -> None:
        self._model, self._special = TracedStep(model), special_tokens
        self.max_length = max_length

    def __call__(self, prompt: Sequence[int], count: int) -> list[int]:
        """The tokens after a prompt, up to the end token.

        Args:
            prompt: The ids of the prompt, at least one.
            count: Maximum number of tokens; fewer, where the caches are full before.
        """
        ids = ops.convert_to_tensor([list(prompt)], "int32")
        state = self._model.initial_state(self._model.encode({"token_ids": ids}), self.max_length)
        state = self._model.read(ids, len(prompt) - 1, state)
        token, chosen = ids[:, -1], []
        for _ in range(min(count, self.max_length - len(prompt))):
            logits, state = self._model.step(token, state)
            scores = log_probabilities(logits, self._special)
            token = ops.cast(ops.argmax(scores, axis=-1), "int32")
            chosen.append(int(np.asarray(ops.convert_to_numpy(token))[0]))
            if chosen[-1] == self._special.end:
                break
        return chosen
