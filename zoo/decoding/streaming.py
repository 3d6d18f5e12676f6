"""Streaming generation: tokens one at a time."""

from codecs import utf_8_decode
from collections.abc import Iterable, Iterator
from typing import Any

import keras
from keras import ops

from zoo.decoding.protocol import Decoder, column
from zoo.decoding.rng import row_seeds
from zoo.decoding.token_by_token import TokenByToken


class TracedStep:
    """A `Decoder` whose step is traced, only once, on TensorFlow.

    Args:
        model: The `Decoder`.
    """

    def __init__(self, model: Decoder) -> None:
        self.encode, self.initial_state = model.encode, model.initial_state
        self.read, self.step = model.read, model.step
        if keras.backend.backend() == "tensorflow":
            import tensorflow as tf

            self.step = tf.function(model.step, autograph=False, reduce_retracing=True)


def stream(
    decoding: TokenByToken, inputs: dict[str, Any], seed: int | None = None
) -> Iterator[int]:
    """Generates tokens until the end token, which is not included.

    Args:
        decoding: Greedy decoding or sampling. The tokens are those that its `generate` generates
            for the first row of a batch.
        inputs: Inputs of the model's `encode`, with one row.
        seed: Random seed of sampling.

    Returns:
        Iterator over the ids.
    """
    constant, state = decoding.start(inputs, row_seeds(seed, ops.arange(1)))
    while not bool(state["ended"][0]):
        state = decoding.step(constant, state)
        token = int(column(state["token_ids"], state["index"])[0])
        if token != decoding.special_tokens.end:
            yield token


def pieces(texts: Iterable[bytes]) -> Iterator[str]:
    """Yields what is new in a text that grows. Joined, the pieces are the whole text.

    Args:
        texts: Iterable of the text so far, in UTF-8, after each token.

    Example:
        >>> list(pieces([b"H", b"H\\xc3", b"H\\xc3\\xbc", b"H\\xc3\\xbc\\xc3"]))
        ['H', 'ü', '\ufffd']
    """
    whole, shown = b"", 0
    for whole in texts:
        # Wait for the remaining bytes of an incomplete character,
        text, _ = utf_8_decode(whole, "replace", False)
        if len(text) > shown:
            yield text[shown:]
            shown = len(text)
    # unless there are no more tokens.
    if rest := whole.decode(errors="replace")[shown:]:
        yield rest
