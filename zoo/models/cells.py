"""The parts of the recurrent models: cells by name, recurrent layers, and embeddings."""

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
        units: Width of the state and of the output.
        dtype: Dtype policy of the cell.
        bounded: Whether the state must stay bounded for sequences of any length. If so, the
            activation of the orthogonal cell is tanh instead of modReLU.

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
        cell: See `recurrent_cell`.
        units: See `recurrent_cell`.
        dtype: See `recurrent_cell`.
        bounded: See `recurrent_cell`.
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

    The initial variance is one, which Glorot's initialization of kernels assumes. With Keras's
    default variance of 0.0008, the states depend so little on the tokens that the model learns
    nothing but the word frequencies.

    Args:
        size: Number of tokens.
        embedding_dim: Width of the embedding.
        dtype: Dtype policy of the layer.
        name: Name of the layer.
    """
    initializer = keras.initializers.RandomNormal(stddev=1.0)
    return keras.layers.Embedding(size, embedding_dim, initializer, dtype=dtype, name=name)
