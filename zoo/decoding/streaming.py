"""Streaming generation: tokens one at a time."""

from codecs import utf_8_decode
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import keras
from keras import ops

from zoo.decoding.generate import check_options
from zoo.decoding.logits_processors import NONE, LogitsProcessors
from zoo.decoding.protocol import Decoder, begin, log_probabilities, prompt_of
from zoo.decoding.rng import row_seeds, uniform
from zoo.decoding.sampling import draw
from zoo.text.special_tokens import SpecialTokens


class Streamer:
    """Writes about a source, or continues a prompt, token by token. The step is traced only once.

    Args:
        model: A `Decoder`.
        special_tokens: Ids of the special tokens of its vocabulary.
    """

    def __init__(self, model: Decoder, special_tokens: SpecialTokens) -> None:
        self._model, self._special_tokens = model, special_tokens
        self._step = model.step
        if keras.backend.backend() == "tensorflow":
            import tensorflow as tf

            self._step = tf.function(model.step, autograph=False, reduce_retracing=True)

    def __call__(
        self,
        inputs: dict[str, Any],
        max_new_tokens: int,
        temperature: float = 0.0,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int | None = None,
        logits_processors: LogitsProcessors = NONE,
    ) -> Iterator[int]:
        """Generates tokens until the end token, which is not included.

        Args:
            inputs: Inputs of the model's `encode`, with one row.
            max_new_tokens: Maximum number of tokens.
            temperature: Sampling temperature; 0 is greedy decoding.
            top_k: Sample from this many most probable tokens; 0 samples from all.
            top_p: Nucleus sampling: the smallest set of tokens with this total probability.
            seed: Random seed of sampling. The tokens are those that `zoo.decoding.generate` samples
                for the first row of a batch.
            logits_processors: Rules that constrain the generated tokens.

        Returns:
            Iterator over the ids.

        Raises:
            ValueError: If an argument is out of range.
        """
        # Not a generator function, so that invalid arguments raise at once.
        check_options(max_new_tokens, temperature, top_k, top_p, logits_processors.min_new_tokens)
        return self._tokens(
            inputs, max_new_tokens, temperature, top_k, top_p, seed, logits_processors
        )

    def _tokens(
        self,
        inputs: dict[str, Any],
        max_new_tokens: int,
        temperature: float,
        top_k: int,
        top_p: float,
        seed: int | None,
        logits_processors: LogitsProcessors,
    ) -> Iterator[int]:
        model, special, seeds = self._model, self._special_tokens, row_seeds(seed, ops.arange(1))
        prompt = prompt_of(inputs, special)
        state, padded = begin(model, model.encode(inputs), prompt, max_new_tokens, special)
        ids, first = ops.convert_to_numpy(padded).copy(), int(prompt.lengths[0]) - 1
        tokens: Any = padded[:, first]
        for last in range(first, first + max_new_tokens):
            logits, state = self._step(tokens, state)
            log_p = log_probabilities(logits, special)
            known = ops.convert_to_tensor(ids)
            log_p = logits_processors(log_p, known, last, prompt.lengths, special.end)
            if temperature:
                tokens = draw(log_p / temperature, uniform(seeds, last), top_k, top_p)
            else:
                tokens = ops.cast(ops.argmax(log_p, axis=-1), "int32")
            token = int(tokens[0])
            if token == special.end:
                return
            ids[0, last + 1] = token
            yield token


def pieces(tokens: Iterable[int], decode: Callable[[list[int]], bytes]) -> Iterator[str]:
    """Yields the text of generated tokens piece by piece. Joined, the pieces are the whole text.

    Args:
        tokens: Iterable of ids.
        decode: Function from a list of ids to their text in UTF-8.

    Example:
        >>> list(pieces([72, 195, 188, 195], bytes))
        ['H', 'ü', '\ufffd']
    """
    ids: list[int] = []
    decoded, shown = b"", 0
    for token in tokens:
        ids.append(token)
        decoded = decode(ids)
        # Wait for the remaining bytes of an incomplete character,
        text, _ = utf_8_decode(decoded, "replace", False)
        if len(text) > shown:
            yield text[shown:]
            shown = len(text)
    # unless there are no more tokens.
    if rest := decoded.decode(errors="replace")[shown:]:
        yield rest
