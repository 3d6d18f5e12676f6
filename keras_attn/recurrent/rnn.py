"""The layer that runs a recurrent cell over a sequence."""

import functools
from typing import Any

import keras
from keras import ops

from keras_attn.functional.time_loop import time_loop, unrolled_loop


@keras.saving.register_keras_serializable(package="keras_attn")
class RNN(keras.layers.Layer):
    """Runs a recurrent cell over the time axis of a sequence.

    Source: Elman 1990; masking, states and return values follow `keras.layers.RNN`; truncated
        backpropagation through time: Williams & Peng 1990.
    Formula: `y_t, s_t = cell(x_t, s_{t-1})`, t = 1 … T

    A masked step keeps the state unchanged and repeats the previous output (zeros if there is
    none).

    Args:
        cell: A cell of this package, or a Keras cell whose states are a flat list. If the cell has
            `project_inputs`, the input projection is computed for all steps at once, before the
            loop. If it has `sequence`, that method runs the whole loop during training.
        return_sequences: Whether to return the outputs of all steps instead of the last output
            only.
        return_state: Whether to return the final states in addition to the output.
        go_backwards: Whether to process the sequence in reverse; outputs are in reversed order.
        zero_output_for_mask: Whether masked steps output zeros instead of the previous output.
        truncate: Number of steps K for truncated backpropagation through time. During training, the
            gradient stops at steps K, 2K, … (counted from 0, in processing order); outputs and
            states are unaffected. `None` backpropagates through the whole sequence.
        unroll: Whether to unroll the loop if the sequence length is known when the layer is called
            or traced. The results are the same; the graph is larger but has no loop.

    Inputs: `sequence` (B, T, D); `initial_state`, a list of (B, ·), zeros by default; `mask`
        (B, T), True for valid steps, by default Keras's implicit mask. For an attention cell also
        `memory` (B, S, D) with `memory_mask` (B, S), or the `constants` returned by the cell's
        `begin`.
    Outputs: (B, U), or (B, T, U) with `return_sequences`; with `return_state`, followed by the
        states; with `return_attention_scores`, followed by the attention weights (B, T, S).

    Raises:
        ValueError: If `return_attention_scores` is set for a cell without attention, or `truncate`
            is not positive.

    Example:
        >>> layer = RNN(keras.layers.SimpleRNNCell(5), return_sequences=True)
        >>> tuple(layer(ops.ones((2, 3, 7))).shape)
        (2, 3, 5)
    """

    stateful = False  # read by keras.layers.Bidirectional

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        zero_output_for_mask: bool = False,
        truncate: int | None = None,
        unroll: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if truncate is not None and truncate < 1:
            raise ValueError(f"truncate must be a positive integer or None; received {truncate!r}.")
        self.cell = cell
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.zero_output_for_mask = zero_output_for_mask
        self.truncate = truncate
        self.unroll = unroll
        self.supports_masking = True

    def build(self, sequence_shape: tuple, memory_shape: tuple | None = None) -> None:
        if not self.cell.built:
            step_shape = (sequence_shape[0], sequence_shape[-1])
            self.cell.build(step_shape, *([] if memory_shape is None else [memory_shape]))
            self.cell.built = True

    def call(
        self,
        sequence: Any,
        initial_state: Any = None,
        mask: Any = None,
        memory: Any = None,
        constants: Any = None,
        return_attention_scores: bool = False,
        training: bool | None = None,
        sequence_mask: Any = None,
        memory_mask: Any = None,
    ) -> Any:
        if return_attention_scores and not hasattr(self.cell, "recur_with_scores"):
            raise ValueError(
                "return_attention_scores requires a cell with attention, such as AttentionCell; "
                f"received a {type(self.cell).__name__}."
            )
        if constants is None and memory is not None:
            constants = self.cell.begin(memory, memory_mask)
        # Keras passes the implicit mask as `mask` if the sequence is the only tensor argument,
        # and as `sequence_mask` if there are others.
        mask = self._time_major_mask(sequence_mask if mask is None else mask)
        states = self._first_states(sequence, initial_state)
        inputs = self._time_major(ops.cast(sequence, self.compute_dtype))
        # A list with one sequence, or with one sequence per gate of the cell.
        own = hasattr(self.cell, "project_inputs")
        inputs = self.cell.project_inputs(inputs) if own else [inputs]

        truncate = self.truncate if training else None
        unroll = self.unroll and inputs[0].shape[0]
        # On PyTorch, Keras 3.15 supports custom gradients for functions of one output only.
        by_hand = hasattr(self.cell, "sequence") and keras.backend.backend() != "torch"
        if training and by_hand and not unroll:
            output, outputs, states = self._run_at_once(inputs, states, mask, truncate)
            maps = []
        else:
            loop = functools.partial(unrolled_loop if unroll else time_loop, truncate=truncate)
            output, outputs, states, maps = self._run_steps(
                loop, inputs, states, mask, constants, return_attention_scores
            )
        if mask is not None and self.zero_output_for_mask:
            # Not mask[-1], which does not exist for an empty sequence.
            output = ops.where(ops.any(mask[-1:], axis=0), output, 0)
            outputs = ops.where(mask, outputs, 0) if self.return_sequences else None

        result = [ops.transpose(outputs, (1, 0, 2)) if self.return_sequences else output]
        result += states if self.return_state else []
        result += [ops.transpose(m, (1, 0, 2)) for m in maps]
        return result[0] if len(result) == 1 else tuple(result)

    def _run_at_once(self, inputs, states, mask, truncate) -> tuple:
        outputs, states = self.cell.sequence(inputs, states, mask, truncate)
        output = states[0]
        if mask is not None:
            # Before the first valid step there is a state, but no output yet.
            started = ops.cumsum(ops.cast(mask, "int32"), axis=0) > 0
            outputs = ops.where(started, outputs, 0)
            output = ops.where(ops.any(mask, axis=0), output, 0)
        return output, outputs, states

    def _run_steps(self, loop, sequences, states, mask, constants, scores) -> tuple:
        run = self._one_step(constants, scores)

        def step(inputs, carried):
            *states, output_before = carried
            output, new_states, *maps = run(inputs[: len(sequences)], states)
            if mask is not None:
                keep = inputs[-1]
                pairs = zip(new_states, states, strict=True)
                new_states = [ops.where(keep, new, old) for new, old in pairs]
                output = ops.where(keep, output, output_before)
                maps = [ops.where(keep, m, 0) for m in maps]
            outputs = [output] if self.return_sequences else []
            return outputs + maps, [*new_states, output]

        batch = ops.shape(sequences[0])[1]
        no_output = ops.zeros((batch, self._output_size), dtype=states[0].dtype)
        widths = [self._output_size] if self.return_sequences else []
        widths += [ops.shape(constants["memory"])[1]] if scores else []
        inputs = sequences if mask is None else [*sequences, mask]
        stacked, (*states, output) = loop(step, inputs, [*states, no_output], widths)
        outputs = stacked.pop(0) if self.return_sequences else None
        return output, outputs, states, stacked

    def _one_step(self, constants, scores) -> Any:
        """Returns the function that runs the cell on one step's list of inputs and the states."""
        cell = self.cell
        if not hasattr(cell, "recur"):
            return lambda inputs, states: cell(inputs[0], states)
        recur = cell.recur_with_scores if scores else cell.recur
        weights = cell.loop_weights()  # read and split once, before the loop
        return lambda inputs, states: recur(inputs, states, weights, constants)

    def _first_states(self, sequence, initial_state) -> list:
        if initial_state is None:
            initial_state = self.cell.get_initial_state(ops.shape(sequence)[0])
        if not isinstance(initial_state, (list, tuple)):
            initial_state = [initial_state]
        return [ops.cast(state, self.compute_dtype) for state in initial_state]

    def _time_major(self, sequence) -> Any:
        sequence = ops.transpose(sequence, (1, 0, 2))
        return ops.flip(sequence, axis=0) if self.go_backwards else sequence

    def _time_major_mask(self, mask) -> Any:
        if mask is None:
            return None
        return self._time_major(ops.expand_dims(ops.cast(mask, "bool"), -1))

    @property
    def _state_sizes(self) -> list[int]:
        sizes = self.cell.state_size
        return list(sizes) if isinstance(sizes, (list, tuple)) else [sizes]

    @property
    def _output_size(self) -> int:
        return getattr(self.cell, "output_size", None) or self._state_sizes[0]

    def compute_mask(self, sequence: Any, mask: Any = None) -> Any:
        mask = mask if self.return_sequences else None
        return [mask, *(None for _ in self._state_sizes)] if self.return_state else mask

    def compute_output_shape(self, sequence_shape: tuple) -> Any:
        batch, length = sequence_shape[:2]
        output = (batch, length) if self.return_sequences else (batch,)
        output = (*output, self._output_size)
        if not self.return_state:
            return output
        return (output, *((batch, size) for size in self._state_sizes))

    def compute_output_spec(
        self,
        sequence: Any,
        initial_state: Any = None,
        mask: Any = None,
        memory: Any = None,
        constants: Any = None,
        return_attention_scores: bool = False,
        **kwargs: Any,
    ) -> Any:
        shapes = self.compute_output_shape(sequence.shape)
        shapes = list(shapes) if self.return_state else [shapes]
        if return_attention_scores:
            memory = constants["memory"] if memory is None else memory
            shapes.append((*sequence.shape[:2], memory.shape[1]))
        specs = [keras.KerasTensor(shape, self.compute_dtype) for shape in shapes]
        return specs[0] if len(specs) == 1 else tuple(specs)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "cell": keras.saving.serialize_keras_object(self.cell),
            "return_sequences": self.return_sequences,
            "return_state": self.return_state,
            "go_backwards": self.go_backwards,
            "zero_output_for_mask": self.zero_output_for_mask,
            "truncate": self.truncate,
            "unroll": self.unroll,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "RNN":
        if "cell" in config:
            config = {**config, "cell": keras.saving.deserialize_keras_object(config["cell"])}
        return super().from_config(config)
