"""Base class of all cells: the shapes of the inputs and outputs of a step."""

from typing import Any

import keras
from keras import ops

from keras_attn.checked import CheckedLayer
from keras_attn.recurrent.arguments import check_states, check_width


class StepLayer(CheckedLayer):
    """Base of the cells: checks what goes into a step, and tells the shapes of what comes out.

    A subclass sets `state_size` and `output_size`, and in `build` the number of features of the
    inputs as `_features`.

    Args:
        **kwargs: Keyword arguments of `keras.layers.Layer`.
    """

    state_size: Any
    output_size: int
    _features: int | None = None

    def check(self, given: dict[str, Any]) -> None:
        name = type(self).call.__code__.co_varnames[1]
        if name in given:
            check_width(name, given[name], self._features)
        if "states" in given:
            check_states(keras.tree.flatten(given["states"]), self.state_size, "states")

    def cast(self, inputs: Any) -> Any:
        """Casts integers, too, which Keras leaves as they are; `inputs` may be nested."""
        return keras.tree.map_structure(lambda x: ops.cast(x, self.compute_dtype), inputs)

    def compute_output_shape(self, input_shape: tuple, states_shape: Any = None) -> tuple:
        batch = input_shape[0]
        if states_shape is None:
            states_shape = [(batch, size) for size in keras.tree.flatten(self.state_size)]
        return (batch, self.output_size), states_shape

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        return keras.Operation.compute_output_spec(self, *args, **kwargs)  # traces `call`
