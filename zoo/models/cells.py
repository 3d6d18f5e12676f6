"""What recurrent models of the zoo are made of: cells by name, and the embeddings they read."""

from typing import Any

import keras

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


def recurrent_cell(cell: str, units: int, dtype: Any = None, bounded: bool = False) -> Any:
    """A new cell.

    Args:
        cell: "elman", "jordan", "lstm", "gru" or "orthogonal".
        units: Width of its state, and of its output.
        dtype: Its precision.
        bounded: Whether a state may not grow with each step, as where it goes through a text
            without an end: the orthogonal cell then has tanh for modReLU.

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
    """A new layer that gives the outputs of all steps.

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
    """A new embedding for a recurrent layer to read.

    Its variance is one, which Glorot's kernels expect. Of Keras's 0.0008 so little reaches the
    states that translation stays at the frequencies of the words.

    Args:
        size: Number of tokens.
        embedding_dim: Width of each one's vector.
        dtype: Its precision.
        name: Its name.
    """
    initializer = keras.initializers.RandomNormal(stddev=1.0)
    return keras.layers.Embedding(size, embedding_dim, initializer, dtype=dtype, name=name)
