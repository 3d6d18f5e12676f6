"""The recurrent cells that a model of the zoo can be made of, by name."""

from typing import Any

from keras_attn.recurrent.elman import ElmanCell
from keras_attn.recurrent.gru import GRUCell
from keras_attn.recurrent.jordan import JordanCell
from keras_attn.recurrent.lstm import LSTMCell
from keras_attn.recurrent.orthogonal import OrthogonalCell
from keras_attn.recurrent.rnn import RNN

CELLS = {
    "elman": ElmanCell,
    "jordan": JordanCell,
    "lstm": LSTMCell,
    "gru": GRUCell,
    "orthogonal": OrthogonalCell,
}


def recurrent_cell(cell: str, units: int, dtype: Any = None) -> Any:
    """A new cell.

    Args:
        cell: "elman", "jordan", "lstm", "gru" or "orthogonal".
        units: Width of its state, and of its output.
        dtype: Its precision.

    Raises:
        ValueError: If the name is unknown.
    """
    if cell not in CELLS:
        raise ValueError(f"cell must be one of {', '.join(CELLS)}; received {cell!r}.")
    return CELLS[cell](units, dtype=dtype)


def recurrent_layer(cell: str, units: int, dtype: Any = None, **options: Any) -> RNN:
    """A new layer that gives the outputs of all steps.

    Args:
        cell: As in `recurrent_cell`.
        units: As in `recurrent_cell`.
        dtype: As in `recurrent_cell`.
        **options: Further arguments of `RNN`.

    Raises:
        ValueError: If the name is unknown.
    """
    return RNN(recurrent_cell(cell, units, dtype), return_sequences=True, dtype=dtype, **options)
