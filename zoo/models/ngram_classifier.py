"""A linear text classifier over words and n-grams."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import keras
import numpy as np
from keras import ops

from zoo.models.arguments import FromTask, NonNegative, PositiveInt
from zoo.models.bias import Bias
from zoo.models.config import config_of
from zoo.models.term_pooling import TermPooling
from zoo.models.token_inputs import token_inputs
from zoo.models.zoo_model import ZooModel

# Below 2^31 / FACTOR, so that products of term ids fit into 32-bit integers everywhere.
FACTOR, MODULUS = 8191, 131_071


@keras.saving.register_keras_serializable(package="keras_attn")
class NgramClassifier(ZooModel):
    """A linear classifier over the TF-IDF weights of tokens and n-grams.

    A strong model for small data sets, from which networks cannot learn good features. It ignores
    word order beyond n tokens. `adapt` counts the terms of the training texts.

    Source: Joulin et al. 2017, section 2 (sums of embeddings of hashed n-grams); Salton & Buckley
        1988 (weights).
    Formula: `logits = y_1 + ngram_weight (y_2 + ... + y_n) + b`, where `y_k` is the `TermPooling`
        of the k-grams

    Args:
        vocabulary_size: Number of tokens.
        num_classes: Number of classes C.
        ngrams: Largest number n of tokens in a term.
        num_buckets: Number of hash buckets for the n-grams of each length.
        ngram_weight: Factor for the terms of two or more tokens.

    Inputs: `token_ids`, `padding_mask` (B, T).
    Outputs: `logits` (B, C), float32.

    Raises:
        ValueError: If `num_buckets` is larger than 131,071.

    Example:
        >>> model = NgramClassifier(23, num_classes=3, num_buckets=101)
        >>> model.output["logits"].shape
        (None, 3)
    """

    def __init__(
        self,
        vocabulary_size: FromTask[PositiveInt],
        num_classes: FromTask[PositiveInt],
        ngrams: PositiveInt = 2,
        num_buckets: PositiveInt = 50_021,
        ngram_weight: NonNegative = 0.3,
        dtype: Any = None,
        name: str = "ngram_classifier",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(NgramClassifier, locals())
        if num_buckets > MODULUS:
            raise ValueError(f"num_buckets must be at most {MODULUS}; received: {num_buckets}.")

        # === Layers ===
        sizes = [vocabulary_size] + (ngrams - 1) * [num_buckets]
        self.poolings = [
            TermPooling(size, num_classes, dtype=dtype, name=f"terms_{n}")
            for n, size in enumerate(sizes, 1)
        ]
        self.bias = Bias(name="logits_bias", dtype="float32")
        self.num_buckets = num_buckets

        # === Functional model ===
        inputs = token_inputs()
        tokens, *longer = [
            pooling(terms, mask=mask)
            for pooling, (terms, mask) in zip(
                self.poolings, self.terms(inputs["token_ids"], inputs["padding_mask"]), strict=True
            )
        ]
        logits = tokens
        for pooled in longer:
            logits = logits + ngram_weight * pooled
        outputs = {"logits": self.bias(logits)}
        super().__init__(inputs=inputs, outputs=outputs, name=name, **kwargs)

    def terms(self, token_ids: Any, padding_mask: Any) -> Iterator[tuple[Any, Any]]:
        """Yields ids and mask (B, T) of the k-grams that end at each position, for k = 1 ... n."""
        terms, mask = token_ids, padding_mask
        yield terms, mask
        for _ in self.poolings[1:]:
            terms = ops.pad(terms[:, :-1] % MODULUS, [[0, 0], [1, 0]])
            mask = ops.logical_and(ops.pad(mask[:, :-1], [[0, 0], [1, 0]]), padding_mask)
            # Of a single row, Keras makes a sum a BiasAdd, which LiteRT has for floats only.
            terms = (terms * FACTOR - ops.negative(token_ids % MODULUS)) % self.num_buckets
            yield terms, mask

    def adapt(self, batches: Iterable[Mapping[str, Any]]) -> None:
        """Counts the terms of the training texts.

        Args:
            batches: Batches of inputs of the model.
        """
        frequencies, count = [np.zeros(pooling.num_terms) for pooling in self.poolings], 0
        for batch in batches:
            ids, mask = (ops.convert_to_tensor(batch[x]) for x in ("token_ids", "padding_mask"))
            count += len(ids)
            for totals, (terms, present) in zip(frequencies, self.terms(ids, mask), strict=True):
                rows, columns = np.nonzero(ops.convert_to_numpy(present))
                in_rows = ops.convert_to_numpy(terms)[rows, columns].astype(np.int64)
                pairs = np.unique(rows * len(totals) + in_rows)  # each term of a text once
                np.add.at(totals, pairs % len(totals), 1)
        for pooling, totals in zip(self.poolings, frequencies, strict=True):
            pooling.weigh_by(totals, count)
