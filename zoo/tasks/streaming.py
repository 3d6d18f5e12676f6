"""Tokens one at a time, as they are written."""

from codecs import utf_8_decode
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import keras
import numpy as np
from keras import ops

from zoo.decoding.generate import check_options
from zoo.decoding.logits_processors import NONE, LogitsProcessors
from zoo.decoding.protocol import log_probabilities
from zoo.decoding.rng import row_seeds, uniform
from zoo.decoding.sampling import draw
from zoo.text.special_tokens import SpecialTokens


class Streamer:
    """Goes on from a prompt, a token at a time; the step is traced once.

    Args:
        model: A `LanguageModel`.
        special_tokens: The ids of its vocabulary that stand for no text.
    """

    def __init__(self, model: keras.Model, special_tokens: SpecialTokens) -> None:
        self._model, self._specials = model, special_tokens
        self._step = model.step
        if keras.backend.backend() == "tensorflow":
            import tensorflow as tf

            self._step = tf.function(model.step, autograph=False, reduce_retracing=True)

    def __call__(
        self,
        token_ids: np.ndarray,
        max_new_tokens: int,
        temperature: float = 0.0,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int | None = None,
        logits_processors: LogitsProcessors = NONE,
    ) -> Iterator[int]:
        """The tokens after one prompt, until the end token, which is not among them.

        Args:
            token_ids: int32 ids (P,) of the prompt.
            max_new_tokens: Greatest number of tokens.
            temperature: As in `zoo.decoding.generate`.
            top_k: As there.
            top_p: As there.
            seed: As there: the tokens are those of a batch's first row.
            logits_processors: What outputs may not hold.

        Raises:
            ValueError: If an argument is out of its range.
        """
        # Not a generator itself: what is wrong is told now, not when the first token is asked for.
        check_options(max_new_tokens, temperature, top_k, top_p, logits_processors.min_new_tokens)
        return self._tokens(
            token_ids, max_new_tokens, temperature, top_k, top_p, seed, logits_processors
        )

    def _tokens(
        self,
        token_ids: np.ndarray,
        max_new_tokens: int,
        temperature: float,
        top_k: int,
        top_p: float,
        seed: int | None,
        logits_processors: LogitsProcessors,
    ) -> Iterator[int]:
        model, seeds = self._model, row_seeds(seed, ops.arange(1))
        prompt = ops.convert_to_tensor(token_ids[None], "int32")
        memory = model.encode({"token_ids": prompt})
        state = model.initial_state(memory, len(token_ids) - 1 + max_new_tokens)
        state = model.read(prompt, ops.convert_to_tensor(len(token_ids) - 1, "int32"), state)
        tokens: Any = prompt[:, -1]
        count = len(token_ids)
        ids = np.pad(token_ids, (0, max_new_tokens))[None].astype("int32")
        for last in range(count - 1, count - 1 + max_new_tokens):
            logits, state = self._step(tokens, state)
            log_p = log_probabilities(logits, self._specials)
            known, length = ops.convert_to_tensor(ids), ops.convert_to_tensor([count])
            log_p = logits_processors(log_p, known, last, length, self._specials.end)
            if temperature:
                tokens = draw(log_p / temperature, uniform(seeds, last), top_k, top_p)
            else:
                tokens = ops.cast(ops.argmax(log_p, axis=-1), "int32")
            token = int(tokens[0])
            if token == self._specials.end:
                return
            ids[0, last + 1] = token
            yield token


def pieces(tokens: Iterable[int], decode: Callable[[list[int]], bytes]) -> Iterator[str]:
    """The text of tokens as it grows; together it is the text of them all.

    Args:
        tokens: Ids, as they come.
        decode: From all ids so far to UTF-8.

    Example:
        >>> list(pieces([72, 195, 188, 195], bytes))
        ['H', 'ü', '\ufffd']
    """
    written: list[int] = []
    found, shown = b"", 0
    for token in tokens:
        written.append(token)
        found = decode(written)
        # Half a letter is not shown until it is whole,
        text, _ = utf_8_decode(found, "replace", False)
        if len(text) > shown:
            yield text[shown:]
            shown = len(text)
    # or nothing follows.
    if rest := found.decode(errors="replace")[shown:]:
        yield rest
