"""The layer that applies another layer to each step of a sequence."""

import inspect
from typing import Any

import keras
from keras import ops, tree

from keras_attn.checked import CheckedLayer
from keras_attn.dense_only import arguments_by_name


@keras.saving.register_keras_serializable(package="keras_attn")
class TimeDistributed(CheckedLayer, keras.layers.Wrapper):
    """Applies a layer to each step of a sequence, as to each sentence of a document.

    Source: `keras.layers.TimeDistributed`. That of Keras maps the layer over the steps, which does
        not convert to LiteRT if the layer is recurrent and the number of steps is unknown; this one
        folds the steps into the batch, which converts, and computes all steps at once.
    Formula: `y[:, s] = layer(x[:, s])`, s = 1 … S

    A layer that reads its whole batch, such as `BatchNormalization` in training, reads all steps
    of it.

    Args:
        layer: A layer, such as an `LSTM` that reads each sentence.

    Inputs: `inputs` (B, S, ...), which the layer reads as (B S, ...); `mask` (B, S) of valid steps,
        or (B, S, ...) with further axes, which the layer gets as its own mask; by default Keras's
        implicit mask.
    Outputs: Those of the layer, (B, S, ...) each. They carry on a mask (B, S), and one with more
        axes as the layer does; if the layer does not, a step is valid if any part of it is.

    Raises:
        ValueError: If the inputs have fewer than 3 axes, or the mask does not have their first
            axes.

    Example:
        >>> from keras import ops
        >>> from keras_attn import LSTM, TimeDistributed
        >>> sentences = TimeDistributed(LSTM(5))(ops.ones((2, 3, 7, 11)))
        >>> tuple(sentences.shape)
        (2, 3, 5)
    """

    def __init__(self, layer: keras.layers.Layer, **kwargs: Any) -> None:
        super().__init__(layer=layer, **kwargs)
        self.supports_masking = True

    def build(self, input_shape: tuple) -> None:
        super().build(_folded_shape(input_shape))

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        if mask is not None:  # an implicit one has not been checked
            _check_mask(mask, inputs)
        options = {"training": training, "mask": _fold(mask) if _is_inner(mask) else None}
        taken = inspect.signature(self.layer.call).parameters
        options = {name: value for name, value in options.items() if name in taken}
        batch, steps = ops.shape(inputs)[:2]
        return _unfold(self.layer(_fold(inputs), **options), batch, steps)

    def check(self, given: dict[str, Any]) -> None:
        inputs, mask = given.get("inputs"), given.get("mask")
        if inputs is None:
            return  # Keras says that it is missing
        if not isinstance(inputs, (list, tuple)) and len(inputs.shape) < 3:
            raise ValueError(
                "inputs must have at least 3 axes (batch, steps, ...); received the shape "
                f"{tuple(inputs.shape)}."
            )
        if mask is not None:
            _check_mask(mask, inputs)
        if isinstance(self.layer, CheckedLayer):  # which it does before it is built
            folded = keras.KerasTensor(_folded_shape(inputs.shape), inputs.dtype)
            self.layer.check(arguments_by_name(type(self.layer).call, (self.layer, folded), {}))

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        if mask is not None and not _is_inner(mask):
            return mask
        inner = self.layer.compute_mask(inputs, mask)  # which has the same axes for any batch
        if inner is None and mask is not None:
            return ops.any(mask, axis=tuple(range(2, len(mask.shape))))
        return inner

    def compute_output_shape(self, input_shape: tuple) -> Any:
        shapes = self.layer.compute_output_shape(_folded_shape(input_shape))
        return tree.map_shape_structure(lambda s: (*input_shape[:2], *s[1:]), shapes)


def _is_inner(mask: Any) -> bool:
    """Whether a mask masks more than whole steps."""
    return mask is not None and len(mask.shape) > 2


def _check_mask(mask: Any, inputs: Any) -> None:
    shape, expected = tuple(mask.shape), tuple(inputs.shape)
    if keras.backend.is_float_dtype(keras.backend.standardize_dtype(inputs.dtype)):
        expected = expected[:-1]  # of features, which have no mask of their own
    pairs = zip(shape, expected, strict=False)
    if 2 <= len(shape) <= len(expected) and all(a == b or None in (a, b) for a, b in pairs):
        return
    raise ValueError(
        f"mask must have the first axes of inputs, two or more of {expected}; received the shape "
        f"{shape}."
    )


def _folded_shape(shape: tuple) -> tuple:
    batch, steps, *rest = shape
    return (None if None in (batch, steps) else batch * steps, *rest)


def _fold(x: Any) -> Any:
    """Converts (B, S, ...) to (B S, ...)."""
    batch, steps, *rest = ops.shape(x)
    return ops.reshape(x, (batch * steps, *rest))


def _unfold(x: Any, batch: Any, steps: Any) -> Any:
    """Converts every tensor (B S, ...) to (B, S, ...)."""
    return tree.map_structure(lambda y: ops.reshape(y, (batch, steps, *ops.shape(y)[1:])), x)
