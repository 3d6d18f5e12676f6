"""What every decoder of the zoo that goes on from a prompt has in common."""

from typing import Any, ClassVar

import keras
from keras import ops

Tensors = dict[str, Any]


class LanguageModel(keras.Model):
    """A model from tokens to the logits of the next token.

    Source: Bengio et al. 2003, section 2.
    Formula: `logits[b, t] = f(tokens[b, :t + 1])`

    Subclasses build a functional model from `language_model_inputs()` to `{"logits": (B, T, V)}`,
    and give the same computation in steps. Decoding algorithms know these methods and nothing
    else. `hidden_dim` is the width of what passes between layers; `max_sequence_length` the most
    tokens that the model can see, or None where there is no end.
    """

    hidden_dim: int
    max_sequence_length: int | None = None
    attends: ClassVar[bool] = False

    def encode(self, inputs: Tensors) -> Any:
        """There is nothing to know but how many prompts there are."""
        return inputs["token_ids"][:, :1]

    def initial_state(self, memory: Any, max_length: Any) -> Tensors:
        """The state before the first token.

        Args:
            memory: What `encode` gave.
            max_length: Greatest number of tokens to read.
        """
        return {
            "memory": memory,
            "cache": self.initial_cache(ops.shape(memory)[0], max_length),
            "index": ops.convert_to_tensor(0, "int32"),
        }

    def initial_cache(self, batch_size: Any, max_length: Any) -> Any:
        """What steps write: a nest of tensors with the batch first."""
        raise NotImplementedError

    def read(self, tokens: Any, count: Any, state: Tensors) -> Tensors:
        """The state after the first `count` of the tokens (B, P), all read at once."""
        raise NotImplementedError

    def step(self, tokens: Any, state: Tensors) -> tuple[Any, Tensors]:
        """One token in, the logits of the next one out.

        Args:
            tokens: int32 tensor (B,).
            state: What `initial_state`, `read` or the step before gave.

        Outputs: Logits (B, V) in float32, and the new state.
        """
        raise NotImplementedError


def language_model_inputs() -> Tensors:
    """Symbolic inputs of every language model: `token_ids` and `padding_mask` (B, T)."""
    dtypes = {"token_ids": "int32", "padding_mask": "bool"}
    return {name: keras.Input((None,), dtype=dtype, name=name) for name, dtype in dtypes.items()}
