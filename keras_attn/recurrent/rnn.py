"""The layer that runs a recurrent cell over a sequence."""

import math
from typing import Any

import keras
from keras import ops, tree

from keras_attn.articles import with_article
from keras_attn.checked import CheckedLayer, check_inputs
from keras_attn.functional.masks import zero_masked
from keras_attn.recurrent.arguments import (
    check_mask,
    check_optional_size,
    check_rows,
    check_sequences,
    check_states,
    shape_of,
)
from keras_attn.recurrent.stack import Run, output_size, run_cell, state_sizes
from keras_attn.recurrent.states import CarriedStates


@keras.saving.register_keras_serializable(package="keras_attn")
class RNN(CheckedLayer):
    """Runs a recurrent cell over the time axis of a sequence.

    Source: Elman 1990; masking, states and return values follow `keras.layers.RNN`; truncated
        backpropagation through time: Williams & Peng 1990.
    Formula: `y_t, s_t = cell(x_t, s_{t-1})`, t = 1 … T

    A masked step keeps the state unchanged and repeats the previous output (zeros if there is
    none).

    Args:
        cell: A cell of this package, or a Keras cell, or a list of cells for a stack, in which each
            cell reads the outputs of the previous one. If a cell has `project_inputs`, the input
            projection is computed for all steps at once, before the loop. If it has `sequence`,
            that method runs the whole loop during training.
        return_sequences: Whether to return the outputs of all steps instead of the last output
            only.
        return_state: Whether to return the final states in addition to the output.
        go_backwards: Whether to process the sequence in reverse; outputs are in reversed order.
        stateful: Whether a batch starts from the last states of the previous batch. The batch size
            must then be fixed; `reset_state` sets the states to zero.
        unroll: Whether to unroll the loop if the sequence length is known when the layer is called
            or traced. The results are the same; the graph is larger but has no loop.
        zero_output_for_mask: Whether masked steps output zeros instead of the previous output.
        truncate: Number of steps K for truncated backpropagation through time. During training, the
            gradient stops at steps K, 2K, … (counted from 0, in processing order); outputs and
            states are unaffected. `None` backpropagates through the whole sequence.

    Inputs: `sequences` (B, T, D); `initial_state`, a list of (B, ·), zeros by default; `mask`
        (B, T), True for valid steps, by default Keras's implicit mask. For an attention cell also
        `memory` (B, S, D) with `memory_mask` (B, S), or the `constants` returned by the cell's
        `begin`.
    Outputs: (B, U), or (B, T, U) with `return_sequences`; with `return_state`, followed by the
        states, of a stack by one entry for each cell: its state, or the list of its states; with
        `return_attention_scores`, followed by the attention weights (B, T, S), or (B, H, T, S) of
        an attention with heads.

    Raises:
        ValueError: If `return_attention_scores` or a memory is given for a cell without attention,
            `return_attention_scores` for an attention without attention weights,
            `truncate` is not positive, or the sequences, the mask or the states have the wrong
            shape.

    Example:
        >>> import keras
        >>> from keras import ops
        >>> from keras_attn import RNN
        >>> layer = RNN([keras.layers.SimpleRNNCell(4), keras.layers.GRUCell(5)])
        >>> tuple(layer(ops.ones((2, 3, 7))).shape)
        (2, 5)
    """

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        *,
        truncate: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if isinstance(cell, (list, tuple)):
            cell = keras.layers.StackedRNNCells(cell)
        if not (hasattr(cell, "call") and hasattr(cell, "state_size")):
            raise ValueError(
                f"cell must have the method call and the attribute state_size; received {cell!r}."
            )
        self.cell = cell
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.stateful = stateful
        self.unroll = unroll
        self.zero_output_for_mask = zero_output_for_mask
        self.truncate = check_optional_size("truncate", truncate)
        self.supports_masking = True
        self._features: int | None = None

    @property
    def state_size(self) -> list:
        return state_sizes(self.cell)

    def build(
        self,
        sequences_shape: tuple,
        initial_state_shape: Any = None,
        memory_shape: tuple | None = None,
    ) -> None:
        self._features = sequences_shape[-1]
        if not getattr(self.cell, "built", True):
            step_shape = (sequences_shape[0], self._features)
            self.cell.build(step_shape, *([] if memory_shape is None else [memory_shape]))
            self.cell.built = True
        if memory_shape is not None:
            self._widths = {"memory": memory_shape[-1]}
        if self.stateful:
            if sequences_shape[0] is None:
                raise ValueError(
                    "a stateful layer requires a fixed batch size, such as that of "
                    f"keras.Input(batch_shape=...); received the shape {tuple(sequences_shape)}."
                )
            self._carried = CarriedStates(
                sequences_shape[0], self.state_size, dtype=self.dtype_policy
            )

    @property
    def states(self) -> Any:
        """The states that a stateful layer carries to the next batch; otherwise None."""
        return self._carried.values if self.stateful and self.built else None

    def reset_state(self) -> None:
        """Sets the states of a stateful layer to zero."""
        for state in tree.flatten(self.states or []):
            state.assign(ops.zeros(state.shape, state.dtype))

    def reset_states(self) -> None:
        """Sets the states of a stateful layer to zero."""
        self.reset_state()

    def call(
        self,
        sequences: Any,
        initial_state: Any = None,
        mask: Any = None,
        training: bool | None = None,
        *,
        memory: Any = None,
        constants: Any = None,
        return_attention_scores: bool = False,
        sequences_mask: Any = None,
        memory_mask: Any = None,
    ) -> Any:
        # Keras passes the implicit mask as `mask` if the sequences are the only tensor argument,
        # and as `sequences_mask` if there are others.
        mask = sequences_mask if mask is None else mask
        if mask is not None:  # an implicit one has not been checked
            check_mask(mask.shape, sequences.shape)
        if constants is None and memory is not None:
            constants = self.cell.begin(memory, memory_mask)
        sequences = zero_masked(ops.cast(sequences, self.compute_dtype), mask)
        if self.stateful and sequences.shape[0] is None:
            sequences = self._carried.of_batch_size(sequences)
        attending = {"constants": constants, "scores": return_attention_scores}
        mask = self._time_major_mask(mask)
        output, outputs, states, maps = run_cell(
            self.cell,
            self._time_major(sequences),
            self._first_states(sequences, initial_state),
            Run(mask, bool(training), self.truncate if training else None, self.unroll),
            sequences=self.return_sequences,
            **({} if constants is None else attending),
        )
        if self.stateful:
            self._carried.assign(states)
        if mask is not None and self.zero_output_for_mask:
            # Not mask[-1], which does not exist for an empty sequence.
            output = ops.where(ops.any(mask[-1:], axis=0), output, 0)
            outputs = ops.where(mask, outputs, 0) if self.return_sequences else None

        result = [ops.transpose(outputs, (1, 0, 2)) if self.return_sequences else output]
        result += tree.pack_sequence_as(self.state_size, states) if self.return_state else []
        result += [self._weights_of_heads(each) for each in maps]
        # A cell may have another dtype than the layer.
        result = tree.map_structure(lambda x: ops.cast(x, self.compute_dtype), result)
        return result[0] if len(result) == 1 else tuple(result)

    def check(self, given: dict[str, Any]) -> None:
        sequences, initial_state = given.get("sequences"), given.get("initial_state")
        if sequences is None:
            return  # Keras says that it is missing
        shape = shape_of("sequences", sequences)
        check_sequences(shape, self._features)
        if given.get("mask") is not None:
            check_mask(shape_of("mask", given["mask"]), shape)
        if initial_state is not None:
            states = tree.flatten(initial_state)
            check_states(states, self.state_size)
            for index, state in enumerate(states):
                check_rows(f"initial_state[{index}]", state, shape[0])
        scores, memory = given.get("return_attention_scores"), given.get("memory")
        for is_given, name in ((scores, "return_attention_scores"), (memory is not None, "memory")):
            if is_given and not hasattr(self.cell, "recur_with_scores"):
                raise ValueError(
                    f"{name} requires a cell with attention, such as AttentionCell; "
                    f"received {with_article(type(self.cell).__name__)}."
                )
        if scores and self.cell.attention.weights_heads is None:
            raise ValueError(
                "return_attention_scores requires an attention with attention weights; received a "
                f"{type(self.cell.attention).__name__}."
            )
        axes = {"memory": "B S M", "memory_mask": "B S"}
        check_inputs(axes, given, self._widths or {})
        if memory is not None:
            check_rows("memory", memory, shape[0])
        if self.stateful and self.built and shape[0] not in (None, self._carried.batch_size):
            raise ValueError(
                f"sequences must have the batch size {self._carried.batch_size} that the stateful "
                f"layer was built for; received {shape}."
            )

    def get_initial_state(self, batch_size: Any) -> list:
        """Returns zeros for each state of the cell, or what the cell itself starts from."""
        if hasattr(self.cell, "get_initial_state"):
            states = self.cell.get_initial_state(batch_size=batch_size)
            return list(states) if isinstance(states, (list, tuple)) else [states]
        return tree.map_structure(
            lambda size: ops.zeros((batch_size, size), dtype=self.compute_dtype), self.state_size
        )

    def _first_states(self, sequences: Any, initial_state: Any) -> list:
        """Returns the states before the first step, as a flat list."""
        if initial_state is None and self.stateful:
            initial_state = self.states
        elif initial_state is None:
            initial_state = self.get_initial_state(ops.shape(sequences)[0])
        return [ops.cast(state, self.compute_dtype) for state in tree.flatten(initial_state)]

    def _weights_of_heads(self, weights: Any) -> Any:
        """Converts attention weights (T, B, H S) to (B, H, T, S), those (T, B, S) to (B, T, S)."""
        heads = self.cell.attention.weights_heads
        steps, rows, width = ops.shape(weights)
        if heads:
            weights = ops.reshape(weights, (steps, rows, *heads, width // math.prod(heads)))
        return ops.moveaxis(weights, 0, -2)

    def _time_major(self, sequences: Any) -> Any:
        sequences = ops.transpose(sequences, (1, 0, 2))
        return ops.flip(sequences, axis=0) if self.go_backwards else sequences

    def _time_major_mask(self, mask: Any) -> Any:
        if mask is None:
            return None
        return self._time_major(ops.expand_dims(ops.cast(mask, "bool"), -1))

    def compute_mask(self, sequences: Any, mask: Any = None) -> Any:
        mask = mask if self.return_sequences else None
        return [mask, *(None for _ in tree.flatten(self.state_size))] if self.return_state else mask

    def compute_output_shape(
        self,
        sequences_shape: tuple,
        initial_state_shape: Any = None,
        memory_shape: tuple | None = None,
    ) -> Any:
        batch, length = sequences_shape[:2]
        steps = (length,) if self.return_sequences else ()
        output = (batch, *steps, output_size(self.cell))
        if not self.return_state:
            return output
        return (output, *tree.map_structure(lambda size: (batch, size), self.state_size))

    def compute_output_spec(
        self,
        sequences: Any,
        initial_state: Any = None,
        mask: Any = None,
        training: bool | None = None,
        *,
        memory: Any = None,
        constants: Any = None,
        return_attention_scores: bool = False,
        sequences_mask: Any = None,
        memory_mask: Any = None,
    ) -> Any:
        shapes = self.compute_output_shape(sequences.shape)
        shapes = list(shapes) if self.return_state else [shapes]
        if return_attention_scores:
            length = constants["keys"].shape[-2] if memory is None else memory.shape[1]
            batch, steps = sequences.shape[:2]
            shapes.append((batch, *self.cell.attention.weights_heads, steps, length))
        specs = tree.map_shape_structure(
            lambda shape: keras.KerasTensor(shape, self.compute_dtype), shapes
        )
        return specs[0] if len(specs) == 1 else tuple(specs)

    def get_config(self) -> dict[str, Any]:
        config = {
            **super().get_config(),
            "cell": keras.saving.serialize_keras_object(self.cell),
            "return_sequences": self.return_sequences,
            "return_state": self.return_state,
            "go_backwards": self.go_backwards,
            "stateful": self.stateful,
            "unroll": self.unroll,
            "zero_output_for_mask": self.zero_output_for_mask,
        }
        # Keras's layer can be made from the config where nothing of ours is set.
        return config if self.truncate is None else config | {"truncate": self.truncate}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> "RNN":
        if "cell" in config:
            cell = keras.saving.deserialize_keras_object(config["cell"], custom_objects)
            config = {**config, "cell": cell}
        return super().from_config(config)
