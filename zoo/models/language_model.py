"""The interface of language models: logits of whole sequences, and decoding in steps."""

from typing import Any

import keras
from keras import ops

from zoo.models.zoo_model import Tensors, ZooModel


class LanguageModel(ZooModel):
    """A model that predicts the next token.

    Source: Bengio et al. 2003, section 2.
    Formula: `logits[b, t] = f(tokens[b, :t + 1])`

    Subclasses build a functional model from `language_model_inputs()` to `{"logits": (B, T, V)}`,
    and implement the same computation step by step; decoding algorithms use only these methods.
    `hidden_dim` is the width of the hidden states; `max_sequence_length` is the maximum number of
    tokens, or None if there is no limit; `stateful_batch_size` is the batch size of stateful
    training, in which states continue in the next batch, or 0.
    """

    hidden_dim: int
    stateful_batch_size: int = 0

    def encode(self, inputs: Tensors) -> Any:
        """The memory for `initial_state`. It is only used for its first axis, the batch."""
        return inputs["token_ids"][:, :1]

    def initial_state(self, memory: Any, max_length: Any) -> Tensors:
        """The state before the first token.

        Args:
            memory: The output of `encode`.
            max_length: Maximum number of tokens to process.
        """
        return {
            "memory": (),
            "cache": self.initial_cache(ops.shape(memory)[0], max_length),
            "index": ops.convert_to_tensor(0, "int32"),
        }

    def initial_cache(self, batch_size: Any, max_length: Any) -> Any:
        """The cache before the first token: a pytree of tensors whose first axis is the batch."""
        raise NotImplementedError

    def read(self, tokens: Any, count: Any, state: Tensors) -> Tensors:
        """The state after the first `count` of the tokens (B, P), which are processed at once."""
        raise NotImplementedError

    def step(self, tokens: Any, state: Tensors) -> tuple[Any, Tensors]:
        """Processes one token, and predicts the next one.

        Args:
            tokens: int32 tensor (B,).
            state: The state after the previous step, or from `initial_state` or `read`.

        Outputs: Logits (B, V) in float32, and the new state.
        """
        raise NotImplementedError


def language_model_inputs() -> Tensors:
    """Symbolic inputs of every language model: `token_ids` and `padding_mask` (B, T)."""
    dtypes = {"token_ids": "int32", "padding_mask": "bool"}
    return {name: keras.Input((None,), dtype=dtype, name=name) for name, dtype in dtypes.items()}
