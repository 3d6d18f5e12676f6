"""The parts of the recurrent models: cells by name, layers of them, and their embeddings."""

import functools
from collections.abc import Callable
from typing import Any

import keras

from keras_attn.recurrent.elman_cell import ElmanCell
from keras_attn.recurrent.gru_cell import GRUCell
from keras_attn.recurrent.jordan import JordanCell
from keras_attn.recurrent.lstm_cell import LSTMCell
from keras_attn.recurrent.orthogonal import OrthogonalCell
from keras_attn.recurrent.rnn import RNN

CELLS: dict[str, Callable[..., Any]] = {
    "elman": ElmanCell,
    "jordan": JordanCell,
    "lstm": LSTMCell,
    # As in Cho et al. 2014; Keras's default has the reset gate after the matrix product.
    "gru": functools.partial(GRUCell, reset_after=False),
    "orthogonal": OrthogonalCell,
}


def recurrent_cell(cell: str, units: int, dtype: Any = None, bounded: bool = False) -> Any:
    """Creates a recurrent cell.

    Args:
        cell: "elman", "jordan", "lstm", "gru" or "orthogonal".
        units: Width of its state and of its output.
        dtype: Its precision.
        bounded: Whether its state must stay bounded however long the sequence is: the orthogonal
            cell then has tanh instead of modReLU.

    Raises:
        ValueError: If the name is unknown.
    """
    if cell not in CELLS:
        raise ValueError(f"cell must be one of {', '.join(CELLS)}; received {cell!r}.")
    options = {"activation": "tanh"} if bounded and cell == "orthogonal" else {}
    return CELLS[cell](units, **options, dtype=dtype)


def recurrent_layer(
    cell: str, units: int, dtype: Any = None, bounded: bool = False, **options: Any
) -> RNN:
    """Creates a recurrent layer that returns the outputs of all steps.

    Args:
        cell: As in `recurrent_cell`.
        units: As in `recurrent_cell`.
        dtype: As in `recurrent_cell`.
        bounded: As in `recurrent_cell`.
        **options: Further arguments of `RNN`.

    Raises:
        ValueError: If the name is unknown.
    """
    made = recurrent_cell(cell, units, dtype, bounded)
    return RNN(made, return_sequences=True, dtype=dtype, **options)


def recurrent_embedding(
    size: int, embedding_dim: int, dtype: Any = None, name: str | None = None
) -> Any:
    """Creates the embedding of a recurrent model.

    Its initial variance is one, for which Glorot's kernels are made. With Keras's default of 0.0008
    the states depend so little on the tokens that training stays at the frequencies of the words.

    Args:
        size: Number of tokens.
        embedding_dim: Width of the embedding.
        dtype: Its precision.
        name: Its name.
    """
    initializer = keras.initializers.RandomNormal(stddev=1.0)
    return keras.layers.Embedding(size, embedding_dim, initializer, dtype=dtype, name=name)
