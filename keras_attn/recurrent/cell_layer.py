"""Base class of the layers that create their own cell."""

from typing import Any

from keras_attn.recurrent.rnn import RNN


def _of_cell(name: str) -> property:
    return property(lambda self: getattr(self.cell, name))


class CellLayer(RNN):
    """Base of `Elman`, `LSTM` and `GRU`: they take the arguments of their cell, and show them.

    Args:
        cell: The cell.
        *args: Arguments of `RNN`.
        **kwargs: Arguments of `RNN` and of `keras.layers.Layer`.
    """

    units = _of_cell("units")
    activation = _of_cell("activation")
    recurrent_activation = _of_cell("recurrent_activation")
    use_bias = _of_cell("use_bias")
    kernel_initializer = _of_cell("kernel_initializer")
    recurrent_initializer = _of_cell("recurrent_initializer")
    bias_initializer = _of_cell("bias_initializer")
    unit_forget_bias = _of_cell("unit_forget_bias")
    kernel_regularizer = _of_cell("kernel_regularizer")
    recurrent_regularizer = _of_cell("recurrent_regularizer")
    bias_regularizer = _of_cell("bias_regularizer")
    kernel_constraint = _of_cell("kernel_constraint")
    recurrent_constraint = _of_cell("recurrent_constraint")
    bias_constraint = _of_cell("bias_constraint")
    dropout = _of_cell("dropout")
    recurrent_dropout = _of_cell("recurrent_dropout")
    reset_after = _of_cell("reset_after")

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["cell"]
        return {**self.cell.get_config(), **config}


def cell_options(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of `keras.layers.Layer` that a layer passes on to its cell.

    `implementation`, by which Keras chooses how to compute the same, is taken out.
    """
    kwargs.pop("implementation", None)
    return {name: kwargs[name] for name in ("dtype", "trainable") if name in kwargs}


def check_use_cudnn(use_cudnn: Any) -> Any:
    """Returns the value if it is one of those that Keras accepts."""
    if use_cudnn not in ("auto", True, False):
        raise ValueError(f"use_cudnn must be 'auto', True or False; received {use_cudnn!r}.")
    return use_cudnn
