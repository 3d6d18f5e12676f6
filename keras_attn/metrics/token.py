"""Token-level metrics for `model.compile(metrics=…)`, without padding."""

import keras
from keras import ops

from keras_attn.dense_only import dense_only
from keras_attn.losses import token_crossentropy, token_weights
from keras_attn.losses.masked import ImplicitMask, check_labels


class _TokenMean(keras.metrics.Metric):
    """Weighted mean of a per-token value over all tokens since the last reset."""

    def __init__(self, ignore_id: int, name: str, dtype=None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.ignore_id = int(ignore_id)
        self.total = self.add_variable((), "zeros", dtype="float32", name="total")
        self.count = self.add_variable((), "zeros", dtype="float32", name="count")
        self._implicit_mask = ImplicitMask()

    def token_values(self, labels, logits):
        raise NotImplementedError

    @dense_only
    def update_state(self, labels, logits, sample_weight=None) -> None:
        labels, mask = ops.convert_to_tensor(labels), self._implicit_mask(labels, logits)
        logits = ops.convert_to_tensor(logits)
        check_labels(labels, logits)
        weights = mask * token_weights(labels, self.ignore_id, sample_weight)
        labels = ops.where(weights > 0, ops.cast(labels, "int32"), 0)
        values = ops.where(weights > 0, self.token_values(labels, logits), 0)
        # Accumulates both sums, not batch means, so that batches are weighted by their tokens.
        self.total.assign_add(ops.sum(values * weights))
        self.count.assign_add(ops.sum(weights))

    def result(self):
        return ops.divide_no_nan(self.total.value, self.count.value)

    def get_config(self) -> dict:
        return {**super().get_config(), "ignore_id": self.ignore_id}


@keras.saving.register_keras_serializable(package="keras_attn")
class Perplexity(_TokenMean):
    """Perplexity: the exponential of the mean cross-entropy per token.

    The exponential is taken of the mean over all tokens since the last reset, so the result does
    not depend on how the tokens were batched.

    Source: Jelinek et al. 1977, "Perplexity, a measure of the difficulty of speech recognition".
    Formula: `exp(sum_t w_t (-log p(label_t)) / sum_t w_t)`

    Args:
        ignore_id: Label of the positions to ignore. May lie outside the vocabulary.
        name: Name of the metric.
        dtype: Dtype of the metric; sums are accumulated in float32.

    Inputs: `labels` (B, T) integers, `logits` (B, T, V), `sample_weight` None, (B, T) or (B,).
    Outputs: A float32 scalar; 0 before the first token.

    Raises:
        ValueError: If `labels` does not have the shape of `logits` without its last axis.

    Example:
        >>> from keras_attn import Perplexity
        >>> import numpy as np
        >>> metric = Perplexity()
        >>> metric.update_state([[4, 2, 0]], np.zeros((1, 3, 7)))
        >>> round(float(metric.result()), 3)
        7.0
    """

    def __init__(self, ignore_id: int = 0, name: str = "perplexity", dtype=None) -> None:
        super().__init__(ignore_id, name=name, dtype=dtype)

    def token_values(self, labels, logits):
        return token_crossentropy(labels, logits)

    def result(self):
        return ops.where(self.count.value > 0, ops.exp(super().result()), 0.0)


@keras.saving.register_keras_serializable(package="keras_attn")
class MaskedAccuracy(_TokenMean):
    """Token accuracy: the fraction of tokens, without padding, whose label has the highest logit.

    Source: the usual token accuracy, with padding left out.
    Formula: `sum_t w_t [argmax(z_t) = label_t] / sum_t w_t`

    Args:
        ignore_id: Label of the positions to ignore. May lie outside the vocabulary.
        name: Name of the metric.
        dtype: Dtype of the metric; sums are accumulated in float32.

    Inputs: `labels` (B, T) integers, `logits` (B, T, V), `sample_weight` None, (B, T) or (B,).
    Outputs: A float32 scalar in [0, 1]; 0 before the first token.

    Raises:
        ValueError: If `labels` does not have the shape of `logits` without its last axis.

    Example:
        >>> from keras_attn import MaskedAccuracy
        >>> metric = MaskedAccuracy()
        >>> metric.update_state([[1, 2, 0]], [[[0, 9, 1], [0, 9, 1], [9, 0, 0]]])
        >>> float(metric.result())
        0.5
    """

    def __init__(self, ignore_id: int = 0, name: str = "masked_accuracy", dtype=None) -> None:
        super().__init__(ignore_id, name=name, dtype=dtype)

    def token_values(self, labels, logits):
        return ops.cast(ops.equal(ops.argmax(logits, axis=-1), labels), "float32")
