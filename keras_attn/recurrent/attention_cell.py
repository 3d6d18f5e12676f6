"""A recurrent decoder cell that attends to a memory, such as encoder outputs, at every step."""

import math
from typing import Any

import keras
from keras import initializers, ops

from keras_attn.attention.memory import memory_attention
from keras_attn.checked import check_inputs
from keras_attn.functional.masks import zero_masked
from keras_attn.recurrent.step_layer import StepLayer


@keras.saving.register_keras_serializable(package="keras_attn")
class AttentionCell(StepLayer):
    """Recurrent cell that attends to a memory, such as encoder outputs, at every step.

    The keys of the memory are computed once and shared by all steps.

    Source: Luong et al. 2015, section 3.3 and equation 5 (input feeding, score from the new hidden
        state); Bahdanau et al. 2015, section A.2.2 (score from the previous hidden state); Xu et
        al. 2015, section 4.2.1 (gate) and equation 7 (deep output).
    Formula: luong: `h_t = cell([x_t; h̃_{t-1}], h_{t-1})`, `c_t = attention(h_t, memory)`;
        bahdanau: `c_t = attention(h_{t-1}, memory)`, `h_t = cell([x_t; c_t], h_{t-1})`; both:
        `h̃_t = tanh([c_t; h_t] W)`, or with `deep_output` `h̃_t = x_t + [c_t; h_t] W`; with `gate`
        and the hidden state q that attends, `c_t = sigmoid(q w + b) attention(q, memory)`

    Args:
        cell: Inner cell: `LSTMCell`, `GRUCell`, or another cell that has `project_inputs`,
            `loop_weights`, `recur` and `projected_size`, and whose first state is its hidden state.
        attention: Layer that attends to the memory, such as `Attention`, `MultiHeadAttention` or
            `LinearAttention`: any layer with the protocol `MemoryAttention`, or its serialized
            form. Its dropout draws a mask for each step.
        order: "luong" (attend after the inner cell) or "bahdanau" (attend before it).
        units: Size U of the output h̃. Defaults to the output size of `cell`.
        gate: Whether the hidden state decides how much of the context to use.
        deep_output: Whether the output adds the input to context and hidden state, without tanh.
            U must be the width D of the input.
        kernel_initializer: Initializer of the output kernel W, of the kernel for the vector fed to
            the inner cell, and of the kernel w of the gate.

    Inputs: `x` (B, D), the states [*states of `cell`, h̃ (B, U)] and the `constants` that `begin`
        returned for a memory (B, S, M).
    Outputs: h̃' (B, U) and the new states; with `return_attention_scores`, followed by the
        attention weights, those of all heads in one row (B, H S), or (B, S) without heads.

    Raises:
        ValueError: If `order` is unknown, `attention` lacks methods of `MemoryAttention`, the
            memory is missing, or with `deep_output` U is not D.

    Example:
        >>> from keras import ops
        >>> from keras_attn import AttentionCell
        >>> from keras_attn.attention.attention import Attention
        >>> from keras_attn.recurrent.gru_cell import GRUCell
        >>> from keras_attn.recurrent.rnn import RNN
        >>> layer = RNN(AttentionCell(GRUCell(5), Attention(score="general")))
        >>> output, maps = layer(
        ...     ops.ones((2, 3, 7)), memory=ops.ones((2, 11, 4)), return_attention_scores=True
        ... )
        >>> tuple(output.shape), tuple(maps.shape)
        ((2, 5), (2, 3, 11))
    """

    def __init__(
        self,
        cell: Any,
        attention: Any,
        order: str = "luong",
        units: int | None = None,
        gate: bool = False,
        deep_output: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if order not in ("luong", "bahdanau"):
            raise ValueError(f"order must be 'luong' or 'bahdanau'; received {order!r}.")
        self.cell = cell
        self.attention = memory_attention(attention)
        self.order = order
        self.units = self.output_size = units or cell.output_size
        self.gate, self.deep_output = gate, deep_output
        self.state_size = [*keras.tree.flatten(cell.state_size), self.units]
        self.kernel_initializer = initializers.get(kernel_initializer)

    def build(self, input_shape: tuple, memory_shape: tuple | None = None) -> None:
        if memory_shape is None:
            raise ValueError("AttentionCell requires a memory: call RNN(cell)(x, memory=memory).")
        self._features = input_shape[-1]
        if self.deep_output and self.units != self._features:
            raise ValueError(
                "deep_output requires units equal to the width of the inputs; received "
                f"units={self.units} and inputs of width {self._features}."
            )
        hidden = self.cell.output_size
        shapes = ((input_shape[0], 1, hidden), memory_shape)
        # Both are already built if they were loaded from a file.
        if not self.cell.built:
            self.cell.build(input_shape)
        if not self.attention.built:
            self.attention.build(*shapes)
        context_shape = self.attention.compute_output_shape(*shapes)
        if len(context_shape) != 3:
            raise ValueError(
                f"attention must return contexts of one axis of features; received {context_shape}."
            )
        context = context_shape[-1]
        fed = self.units if self.order == "luong" else context
        self.feed_kernel = self.add_weight(
            (fed, self.cell.projected_size), self.kernel_initializer, name="feed_kernel"
        )
        self.output_kernel = self.add_weight(
            (context + hidden, self.units), self.kernel_initializer, name="output_kernel"
        )
        if self.gate:
            self.gate_kernel = self.add_weight(
                (hidden, 1), self.kernel_initializer, name="gate_kernel"
            )
            self.gate_bias = self.add_weight((1,), "zeros", name="gate_bias")

    def check(self, given: dict[str, Any]) -> None:
        super().check(given)
        constants = given.get("constants") or {}
        if isinstance(constants, dict):  # `recur` refuses what is not
            heads = " H" * len(self.attention.weights_heads or ())
            check_inputs({"memory": "B S M", "keys": f"B{heads} S P"}, constants, {})

    def begin(self, memory: Any, memory_mask: Any = None) -> dict[str, Any]:
        """Prepares what all steps share, batch axis first, such as the keys of the memory."""
        mask = None if memory_mask is None else ops.cast(memory_mask, "bool")
        memory = zero_masked(ops.cast(memory, self.compute_dtype), mask)
        constants: dict[str, Any] = self.attention.prepare_memory(memory, mask)
        return constants

    def project_inputs(self, x: Any, training: bool | None = False) -> list:
        """Projects the inputs for the inner cell, which can be done before the loop.

        With `deep_output`, the list ends with the inputs; with attention dropout in training, with
        a seed for each step.
        """
        projected = self.cell.project_inputs(x, training=training)
        if self.deep_output:
            projected = [*projected, x]
        if self._drops(training):
            steps = ops.shape(x)[:-2]  # of a sequence (T, B, D), or none of a single step (B, D)
            seeds = self.attention.dropout_seeds(math.prod(steps))
            projected = [*projected, ops.reshape(seeds, (*steps, 1, 2))]
        return projected

    def _drops(self, training: Any) -> bool:
        return bool(training and self.attention.dropout)

    def loop_weights(self, rows: Any = None) -> dict[str, Any]:
        """Returns the weights that `recur` needs, read once and shared by all steps.

        Args:
            rows: In training, the batch size, for which the inner cell draws its dropout masks.
        """
        return {**self._own_weights(), "cell": self.cell.loop_weights(rows)}

    def _own_weights(self) -> dict[str, Any]:
        own = {"feed": ops.copy(self.feed_kernel), "output": ops.copy(self.output_kernel)}
        if self.gate:
            own["gate"] = (ops.copy(self.gate_kernel), ops.copy(self.gate_bias))
        return own

    def recur(
        self,
        projected: list,
        states: list,
        weights: dict[str, Any] | None = None,
        constants: Any = None,
        training: Any = None,
    ) -> tuple[Any, list]:
        """Runs one step from projected inputs; returns h̃' and the new states."""
        return self.recur_with_scores(projected, states, weights, constants, training)[:2]

    def recur_with_scores(
        self,
        projected: list,
        states: list,
        weights: dict[str, Any] | None = None,
        constants: Any = None,
        training: Any = None,
    ) -> tuple[Any, list, Any]:
        """Like `recur`, but also returns the attention weights.

        Those of all heads are in one row: (B, H S), or (B, S) without heads. They are None if the
        attention has none.
        """
        if constants is None:
            raise ValueError("constants must be what AttentionCell.begin(memory) returns.")
        weights = weights or self._own_weights()
        *inner, fed = states
        x = seed = None
        if self._drops(training):
            *projected, seed = projected
        if self.deep_output:
            *projected, x = projected
        gate = weights.get("gate")
        if self.order == "bahdanau":
            context, maps = self._attend(inner[0], constants, gate, training, seed)
            fed = context
        fed = ops.split(ops.matmul(fed, weights["feed"]), len(projected), axis=-1)
        projected = [sum(pair) for pair in zip(projected, fed, strict=True)]
        h, inner = self.cell.recur(projected, inner, weights.get("cell"), training=training)
        if self.order == "luong":
            context, maps = self._attend(h, constants, gate, training, seed)
        output = ops.matmul(ops.concatenate([context, h], axis=-1), weights["output"])
        output = ops.tanh(output) if x is None else x + output
        return output, [*inner, output], maps

    def _attend(
        self, query: Any, constants: dict[str, Any], gate: Any, training: Any, seed: Any
    ) -> tuple[Any, Any]:
        context, weights = self.attention.attend_to_memory(
            ops.expand_dims(query, 1), constants, training, None if seed is None else seed[0]
        )
        context = ops.cast(ops.squeeze(context, 1), self.compute_dtype)
        if weights is not None:
            rows = (ops.shape(query)[0], self.weights_width(constants))
            weights = ops.cast(ops.reshape(weights, rows), self.compute_dtype)
        if gate is not None:
            kernel, bias = gate
            context = ops.sigmoid(ops.matmul(query, kernel) + bias) * context
        return context, weights

    def weights_width(self, constants: dict[str, Any]) -> Any:
        """Number H S of the attention weights of one step, or S without heads."""
        return math.prod(self.attention.weights_heads) * ops.shape(constants["keys"])[-2]

    def call(
        self,
        inputs: Any,
        states: list,
        constants: Any = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
    ) -> tuple:
        projected = self.project_inputs(self.cast(inputs), training)
        step = self.recur_with_scores(projected, self.cast(states), None, constants, training)
        return step if return_attention_scores else step[:2]

    # Keras asks with the arguments of `build`, to show a model.
    def compute_output_shape(
        self, input_shape: tuple, states_shape: Any = None, memory_shape: tuple | None = None
    ) -> tuple:
        return super().compute_output_shape(input_shape, states_shape)

    def first_output(self, state: Any) -> Any:
        """The output h̃ before the first step: zeros (B, U), for a state (B, ·) of the cell."""
        return ops.zeros_like(state[:, :1]) * ops.zeros((1, self.units), dtype=state.dtype)

    def get_initial_state(self, batch_size: Any = None) -> list:
        last_output = ops.zeros((batch_size, self.units), dtype=self.compute_dtype)
        return [*self.cell.get_initial_state(batch_size), last_output]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "cell": keras.saving.serialize_keras_object(self.cell),
            "attention": keras.saving.serialize_keras_object(self.attention),
            "order": self.order,
            "units": self.units,
            "gate": self.gate,
            "deep_output": self.deep_output,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "AttentionCell":
        cell = keras.saving.deserialize_keras_object(config["cell"])
        return cls(**{**config, "cell": cell})
