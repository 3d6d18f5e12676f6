"""The word vectors of a file that the embeddings of a model start from."""

from typing import Any

import keras
import numpy as np

from zoo.data.readers.word_vectors import WordVectors, read_word_vectors
from zoo.errors import UserError
from zoo.models.options import has_option
from zoo.registry import MODELS
from zoo.text.tokenizer import Tokenizer

OPTION = "embedding_dim"  # of the models whose embeddings may have any width


def check_embeddings(model: str, task: str) -> None:
    """Raises a `UserError` if the model of a task cannot take word vectors."""
    if not has_option(model, OPTION):
        able = [
            row.name
            for row in MODELS.values()
            if task in row.tasks and has_option(row.name, OPTION)
        ]
        choices = f"; choose from {', '.join(able)}" if able else ""
        raise UserError(f"{model} does not take word vectors as embeddings{choices}")


def vectors_for(path: str, tokenizer: Tokenizer, options: dict[str, Any]) -> WordVectors:
    """Reads the vectors of a vocabulary, and sets the width of the model's embeddings.

    Args:
        path: The file.
        tokenizer: The tokenizer.
        options: Options of the model.

    Raises:
        UserError: If `embedding_dim` is another width than that of the vectors.
    """
    vectors = read_word_vectors(path, {word: i for i, word in enumerate(tokenizer.vocabulary)})
    if options.setdefault(OPTION, vectors.dim) != vectors.dim:
        raise UserError(
            f"{path} has vectors of {vectors.dim} numbers, and {OPTION} is {options[OPTION]}"
        )
    return vectors


def load_vectors(model: keras.Model, vectors: WordVectors) -> None:
    """Sets the embeddings of the words that a file has.

    Those of all other tokens stay random, with the standard deviation of the vectors.
    """
    for layer in model.layer_groups[0]:
        table = np.array(layer.embeddings)
        table *= vectors.vectors.std() / max(float(table.std()), 1e-12)
        table[vectors.rows] = vectors.vectors
        layer.embeddings.assign(table)
