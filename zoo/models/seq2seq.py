"""What every encoder-decoder of the zoo has in common: its inputs and its decoding protocol."""

from typing import Any, ClassVar

import keras

Tensors = dict[str, Any]


class Seq2Seq(keras.Model):
    """A model from source and target tokens to the logits of the next target tokens.

    Source: Sutskever et al. 2014, section 2.
    Formula: `logits[b, t] = f(source[b], target[b, :t + 1])`

    Subclasses build a functional model from `seq2seq_inputs()` to `{"logits": (B, T, V)}`, and give
    the same computation in steps. Decoding algorithms know these methods and nothing else.
    `hidden_dim` is the width of what passes between layers; the learning rate depends on it.
    `max_sequence_length` is the number of positions there are, or None where there is no end; a
    source and a target take `positions_of` them.
    `attends` tells whether there are attention maps to ask for.
    """

    hidden_dim: int
    max_sequence_length: int | None = None
    attends: ClassVar[bool] = True

    @staticmethod
    def positions_of(source_length: int, target_length: int) -> int:
        """How many positions a source and its target take; each side has its own by default."""
        return max(source_length, target_length)

    @property
    def attention_layers(self) -> list[str]:
        """The names of `attention_maps`."""
        return []

    def encode(self, inputs: Tensors) -> Tensors:
        """What decoding needs to know of the source.

        Args:
            inputs: `source_ids` (B, S) and `source_mask` (B, S); other entries are not read.

        Outputs: A nest of tensors, the batch first in each.
        """
        raise NotImplementedError

    def initial_state(self, memory: Tensors, max_length: int) -> Tensors:
        """The state before the first step.

        Args:
            memory: What `encode` gave.
            max_length: Greatest number of steps to come.

        Outputs: `memory`, what steps only read, and `cache`, what they write: nests of tensors with
            the batch first; and `index`, the number of the step to come.
        """
        raise NotImplementedError

    def step(self, tokens: Any, state: Tensors) -> tuple[Any, Tensors]:
        """One target token in, the logits of the next one out.

        Args:
            tokens: int32 tensor (B,).
            state: What `initial_state` or the step before gave.

        Outputs: Logits (B, V) in float32, and the new state.
        """
        raise NotImplementedError

    def attention_maps(self, inputs: Tensors) -> Tensors:
        """Where each target position looked in the source, by name of the layer.

        Args:
            inputs: As the inputs of the model.

        Outputs: A dictionary of tensors (B, H, T, S).
        """
        raise NotImplementedError


def seq2seq_inputs() -> Tensors:
    """Symbolic inputs of every encoder-decoder: (B, S) of the source and (B, T) of the target."""
    dtypes = {
        "source_ids": "int32",
        "source_mask": "bool",
        "target_ids": "int32",
        "target_mask": "bool",
    }
    return {name: keras.Input((None,), dtype=dtype, name=name) for name, dtype in dtypes.items()}


def check_shared_vocabulary(source_size: int, target_size: int) -> None:
    """Raises a ValueError unless one embedding can serve both sides."""
    if source_size != target_size:
        raise ValueError(
            "share_embeddings needs source_vocabulary_size equal to target_vocabulary_size; "
            f"received {source_size} and {target_size}."
        )
