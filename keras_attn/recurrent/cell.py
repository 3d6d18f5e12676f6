"""Base class of the cells that replace those of Keras."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import keras
from keras import activations, constraints, initializers, ops, regularizers

from keras_attn.dropout import random_keep
from keras_attn.recurrent.activations import get_activation
from keras_attn.recurrent.arguments import check_rates, check_size
from keras_attn.recurrent.gates import project
from keras_attn.recurrent.step_layer import StepLayer

PARTS = ("kernel", "recurrent", "bias")


class RecurrentCell(StepLayer):
    """Base of `ElmanCell`, `LSTMCell` and `GRUCell`: their weights, dropout, and one step.

    A subclass has `recur`, which runs one step from projected inputs, and `sequence`, which runs
    all steps with a hand-written gradient where `by_hand` says so. It sets `gates`, the number of
    kernels (D, U) that stand side by side in one, and `gradients`, for each activation the
    functions whose gradient is written by hand.

    Args:
        units: Size U of the hidden state.
        functions: The activations, in the order of `gradients`.
        use_bias: Whether there is a bias.
        initial: Initializers of the kernel, the recurrent kernel and the bias.
        regular: Their regularizers.
        constrained: Their constraints.
        dropout: Dropout rate of the inputs.
        recurrent_dropout: Dropout rate of the hidden state in its products with the kernel.
        seed: Random seed of dropout.
    """

    gates = 1
    gradients: Mapping[str, Collection[Callable]]

    def __init__(
        self,
        units: int,
        functions: tuple,
        use_bias: bool,
        initial: tuple,
        regular: tuple,
        constrained: tuple,
        dropout: float,
        recurrent_dropout: float,
        seed: int | None,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("implementation", None)  # by which Keras chooses how to compute the same
        super().__init__(**kwargs)
        check_rates(dropout=dropout, recurrent_dropout=recurrent_dropout)
        self.units = self.output_size = check_size("units", units)
        self.state_size: int | list[int] = self.units
        self.projected_size = self.gates * self.units
        for name, function in zip(self.gradients, functions, strict=True):
            setattr(self, name, get_activation(function, name))
        self.use_bias = use_bias
        for part, *options in zip(PARTS, initial, regular, constrained, strict=True):
            setattr(self, f"{part}_initializer", initializers.get(options[0]))
            setattr(self, f"{part}_regularizer", regularizers.get(options[1]))
            setattr(self, f"{part}_constraint", constraints.get(options[2]))
        self.dropout = dropout
        self.recurrent_dropout = recurrent_dropout
        self.seed = seed
        if dropout or recurrent_dropout:
            self.seed_generator = keras.random.SeedGenerator(seed)

    @property
    def by_hand(self) -> bool:
        """Whether `sequence`, whose gradient is written by hand, computes what `recur` does."""
        by_hand = (getattr(self, name) in known for name, known in self.gradients.items())
        return all(by_hand) and not self.recurrent_dropout

    def build(self, input_shape: tuple) -> None:
        shape = (self.units, self.projected_size)
        self._features = input_shape[-1]
        self.kernel = self._add_weight("kernel", (input_shape[-1], shape[1]))
        self.recurrent_kernel = self._add_weight("recurrent", shape, name="recurrent_kernel")
        self.bias = self._add_weight("bias", self._bias_shape()) if self.use_bias else None

    def _add_weight(self, part: str, shape: tuple, name: str | None = None, **options: Any) -> Any:
        """Adds a weight with the initializer, regularizer and constraint of one of `PARTS`."""
        return self.add_weight(
            shape,
            options.pop("initializer", getattr(self, f"{part}_initializer")),
            regularizer=getattr(self, f"{part}_regularizer"),
            constraint=getattr(self, f"{part}_constraint"),
            name=name or part,
            **options,
        )

    def _bias_shape(self) -> tuple:
        return (self.projected_size,)

    def _input_bias(self) -> Any:
        """Returns the bias that is added before the loop, or None."""
        return self.bias

    def project_inputs(self, x: Any, training: bool | None = False) -> list:
        """Projects the inputs, before the loop: (..., D) to a list of (..., U), one per gate."""
        masks = []
        if training and self.dropout:
            # As in Keras, recurrent dropout brings with it one mask for each gate.
            count = self.gates if self.recurrent_dropout else 1
            masks = self._masks(self.dropout, (ops.shape(x)[-2], x.shape[-1]), count)
        return project(x, self.kernel, self._input_bias(), self.gates, masks)

    def loop_weights(self, rows: Any = None) -> dict[str, Any]:
        """Returns what `recur` needs beside the inputs, read once and shared by all steps.

        Args:
            rows: In training, the batch size, for which the masks of recurrent dropout are drawn.
        """
        weights = self._loop_weights()
        if rows is not None and self.recurrent_dropout:
            weights["masks"] = self._masks(self.recurrent_dropout, (rows, self.units), self.gates)
        return weights

    def _loop_weights(self) -> dict[str, Any]:
        raise NotImplementedError

    def _masks(self, rate: float, shape: tuple, count: int) -> list:
        """Draws dropout masks: 0 for what is dropped, and 1 / (1 - rate) for what is kept."""
        kept = (random_keep(shape, rate, self.seed_generator.next()) for _ in range(count))
        return [ops.cast(keep, self.compute_dtype) / (1 - rate) for keep in kept]

    def call(self, inputs: Any, states: Any, training: bool | None = False) -> tuple[Any, Any]:
        inputs, states = self.cast(inputs), self.cast(states)
        bare = not isinstance(states, (list, tuple))
        draws = training and self.recurrent_dropout
        weights = self.loop_weights(ops.shape(inputs)[0]) if draws else None
        states = [states] if bare else states
        output, states = self.recur(self.project_inputs(inputs, training), states, weights)
        return output, states[0] if bare else states

    def get_initial_state(self, batch_size: Any = None) -> list:
        sizes = keras.tree.flatten(self.state_size)
        return [ops.zeros((batch_size, size), dtype=self.compute_dtype) for size in sizes]

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "units": self.units, "use_bias": self.use_bias}
        config |= {name: activations.serialize(getattr(self, name)) for name in self.gradients}
        for kind in (initializers, regularizers, constraints):
            option = kind.__name__.rsplit(".", 1)[-1].removesuffix("s")
            for part in PARTS:
                name = f"{part}_{option}"
                config[name] = kind.serialize(getattr(self, name))
        names = ("dropout", "recurrent_dropout", "seed")
        return config | {name: getattr(self, name) for name in names}
