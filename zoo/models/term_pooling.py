"""Pooling of the terms of a text into one vector, weighted by TF-IDF."""

from collections.abc import Iterable
from typing import Any

import keras
import numpy as np
from keras import ops

# Lower bound of the norms that weights are divided by. That of a text with a known term is at least
# 1, and the square of this is a number that float16 can hold.
TINY = 1e-2


@keras.saving.register_keras_serializable(package="keras_attn")
class TermPooling(keras.layers.Layer):
    """The sum of the embeddings of a text's terms, with L2-normalized TF-IDF weights.

    An attention pooling whose weights are computed from counts instead of learned: a term that
    occurs in few texts gets a large weight, and a term that `adapt` has not seen gets weight zero.

    Source: Salton & Buckley 1988, table 1 (weights); Joulin et al. 2017, section 2 (sum of
        embeddings).
    Formula: `y = sum_i w_i E[i]` over the terms i of the text; `w = v / |v|`,
        `v_i = (1 + log n_i) idf_i`, where term i occurs n_i times;
        `idf_i = 1 + log((1 + N) / (1 + N_i))` if N_i > 0 of N texts contain term i, otherwise 0

    Args:
        num_terms: Number of terms V.
        dim: Width D of the embeddings, which are initialized with zeros.

    Inputs: `term_ids` (B, T), integers below V; `mask` (B, T), False at padding.
    Outputs: (B, D), float32; zeros for a text without known terms.

    Example:
        >>> pooling = TermPooling(num_terms=7, dim=3)
        >>> pooling.adapt([[1, 2], [1, 5, 5]])
        >>> keras.ops.convert_to_numpy(pooling.idf).round(2).tolist()
        [0.0, 1.0, 1.409999966621399, 0.0, 0.0, 1.409999966621399, 0.0]
        >>> ids = keras.ops.array([[1, 5, 5, 0]])
        >>> tuple(pooling(ids, ids > 0).shape)
        (1, 3)
    """

    def __init__(self, num_terms: int, dim: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.num_terms = num_terms
        self.dim = dim
        self.embeddings = self.add_weight(
            name="embeddings", shape=(num_terms, dim), initializer="zeros"
        )
        self.idf = self.add_weight(
            name="idf", shape=(num_terms,), initializer="ones", trainable=False, dtype="float32"
        )
        self.supports_masking = True
        self.built = True

    def adapt(self, texts: Iterable[Any]) -> None:
        """Counts the texts in which each term occurs.

        Args:
            texts: The term ids of each text.
        """
        frequencies, count = np.zeros(self.num_terms), 0
        for ids in texts:
            frequencies[np.unique(ids)] += 1
            count += 1
        self.weigh_by(frequencies, count)

    def weigh_by(self, frequencies: np.ndarray, count: int) -> None:
        """Sets the weights of terms.

        Args:
            frequencies: The number of texts with each term, (V,).
            count: The number of texts.
        """
        self.idf.assign(np.where(frequencies > 0, 1 + np.log((1 + count) / (1 + frequencies)), 0))

    def call(self, term_ids: Any, mask: Any) -> Any:
        weights = ops.cast(self.weigh(term_ids, mask), self.compute_dtype)
        embeddings = ops.take(self.embeddings, term_ids, axis=0)
        return ops.cast(ops.einsum("bt,btd->bd", weights, embeddings), "float32")

    def weigh(self, term_ids: Any, mask: Any) -> Any:
        """The weight of each position, (B, T). Repeated terms share the weight of the term.

        Args:
            term_ids: Integers (B, T).
            mask: bool tensor (B, T).
        """
        mask = ops.cast(mask, "float32")
        same = ops.equal(ops.expand_dims(term_ids, 2), ops.expand_dims(term_ids, 1))
        counts = ops.sum(ops.cast(same, "float32") * ops.expand_dims(mask, 1), axis=2)
        counts = ops.maximum(counts, 1.0)
        values = (1.0 + ops.log(counts)) * ops.take(self.idf, term_ids) * mask
        squares = ops.sum(ops.square(values) / counts, axis=1, keepdims=True)
        return values / counts * ops.rsqrt(ops.maximum(squares, TINY**2))

    def compute_mask(self, *_: Any) -> None:
        """None: the output has no time axis."""

    def compute_output_spec(self, term_ids: Any, mask: Any) -> keras.KerasTensor:
        return keras.KerasTensor((term_ids.shape[0], self.dim), "float32")

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "num_terms": self.num_terms, "dim": self.dim}
