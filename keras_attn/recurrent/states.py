"""The states that a stateful layer carries from one batch to the next."""

import sys
from typing import Any

import keras

OF_ONNX = "keras.src.export.onnx"  # Keras's module that writes ONNX


class CarriedStates(keras.layers.Layer):
    """Holds the last states of the previous batch: variables of the layer, but no weights of it.

    As in Keras, `get_weights` and files leave them out. Unlike in Keras, they are tracked, so that
    `fit` and `predict` carry them on JAX, too.
    """

    def __init__(self, batch_size: int, sizes: Any, **kwargs: Any) -> None:
        super().__init__(trainable=False, **kwargs)
        self.batch_size = batch_size
        self.values = keras.tree.map_structure(
            lambda size: self.add_weight((batch_size, size), "zeros", name="rnn_state"), sizes
        )
        self.built = True

    def of_batch_size(self, sequences: Any) -> Any:
        """Returns sequences of an unknown batch size, which fails in the graph if it is another.

        A last batch of one row would otherwise be computed with the states of all rows.
        """
        return keras.ops.reshape(sequences, (self.batch_size, *keras.ops.shape(sequences)[1:]))

    def assign(self, states: list) -> None:
        """Stores the last states.

        Raises:
            ValueError: If Keras exports the model to ONNX, whose variables are constants: each call
                would start with the states that the layer had when it was exported.
        """
        if _is_exported_to_onnx():
            raise ValueError(
                "A stateful layer cannot be exported to ONNX, which keeps no states between calls. "
                "Export the model with stateful=False; states may be inputs and outputs of it, by "
                "initial_state and return_state."
            )
        for variable, state in zip(keras.tree.flatten(self.values), states, strict=True):
            variable.assign(keras.ops.cast(state, variable.dtype))

    @property
    def weights(self) -> list:
        return []

    def save_own_variables(self, store: Any) -> None:
        pass

    def load_own_variables(self, store: Any) -> None:
        pass


def _is_exported_to_onnx() -> bool:
    """Whether Keras traces the layer to write it as ONNX, of which it tells layers nothing."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_globals.get("__name__") == OF_ONNX:
            return True
    return False
