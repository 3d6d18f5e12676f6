"""The interface of encoder-decoders: logits of whole sequences, and decoding in steps."""

from typing import Any

import keras

from zoo.models.zoo_model import Tensors, ZooModel


class Seq2Seq(ZooModel):
    """A model that predicts the next token of a target, given its source.

    Source: Sutskever et al. 2014, section 2.
    Formula: `logits[b, t] = f(source[b], target[b, :t + 1])`

    Subclasses build a functional model from `seq2seq_inputs()` to `{"logits": (B, T, V)}`, and
    implement the same computation step by step; decoding algorithms use only these methods.
    `hidden_dim` is the width of the hidden states, on which the default learning rate depends.
    `max_sequence_length` is the number of positions, or None if there is no limit; a source and its
    target need `positions_of` of them.
    """

    hidden_dim: int

    source_embedding: keras.layers.Layer
    target_embedding: keras.layers.Layer

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers that `freeze` may freeze: the embeddings, as one group."""
        return [self.word_embeddings]

    @property
    def word_embeddings(self) -> list[keras.layers.Layer]:
        both = [self.source_embedding, self.target_embedding]
        return both[:1] if both[0] is both[1] else both

    @staticmethod
    def positions_of(source_length: int, target_length: int) -> int:
        """Number of positions that a source and its target need. By default, each has its own."""
        return max(source_length, target_length)

    def encode(self, inputs: Tensors) -> Tensors:
        """Encodes the source.

        Args:
            inputs: `source_ids` (B, S) and `source_mask` (B, S); other entries are ignored.

        Outputs: The memory: a pytree of tensors whose first axis is the batch.
        """
        raise NotImplementedError

    def initial_state(self, memory: Tensors, max_length: int) -> Tensors:
        """The state before the first step.

        Args:
            memory: The output of `encode`.
            max_length: Maximum number of steps.

        Outputs: `memory`, which steps only read, and `cache`, which steps update, both pytrees of
            tensors whose first axis is the batch; and `index`, the number of the next step.
        """
        raise NotImplementedError

    def read(self, tokens: Any, count: Any, state: Tensors) -> Tensors:
        """The state: there is no prompt; see `zoo.decoding.protocol.Decoder`."""
        return state

    def step(self, tokens: Any, state: Tensors) -> tuple[Any, Tensors]:
        """Processes one target token, and predicts the next one.

        Args:
            tokens: int32 tensor (B,).
            state: The state after the previous step, or from `initial_state`.

        Outputs: Logits (B, V) in float32, and the new state.
        """
        raise NotImplementedError


def seq2seq_inputs() -> Tensors:
    """Symbolic inputs of every encoder-decoder: (B, S) for the source, (B, T) for the target."""
    dtypes = {
        "source_ids": "int32",
        "source_mask": "bool",
        "target_ids": "int32",
        "target_mask": "bool",
    }
    return {name: keras.Input((None,), dtype=dtype, name=name) for name, dtype in dtypes.items()}


def check_shared_vocabulary(
    source_size: int, target_size: int, option: str = "share_embeddings"
) -> None:
    """Raises a ValueError if source and target cannot share a vocabulary, as an option requires."""
    if source_size != target_size:
        raise ValueError(
            f"{option} requires source_vocabulary_size equal to target_vocabulary_size; "
            f"received {source_size} and {target_size}."
        )
