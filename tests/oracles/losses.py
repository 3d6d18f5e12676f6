"""Crossentropy in NumPy float64, by way of the smoothed target distribution itself."""

import numpy as np


def token_crossentropy(labels, logits, label_smoothing=0.0):
    """-sum(target * log softmax(logits)) with target = (1 - e) one-hot + e / V."""
    logits = np.asarray(logits, np.float64)
    size = logits.shape[-1]
    target = (1 - label_smoothing) * np.eye(size)[np.asarray(labels)] + label_smoothing / size
    shifted = logits - logits.max(-1, keepdims=True)
    log_softmax = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return -(target * log_softmax).sum(-1)


def token_weights(labels, ignore_id=0, mask=None, sample_weight=None):
    weights = (np.asarray(labels) != ignore_id).astype(np.float64)
    if mask is not None:
        weights = weights * mask
    if sample_weight is not None:
        sample_weight = np.asarray(sample_weight, np.float64)
        weights = weights * (sample_weight[:, None] if sample_weight.ndim == 1 else sample_weight)
    return weights


def masked_crossentropy(
    labels, logits, label_smoothing=0.0, ignore_id=0, mask=None, sample_weight=None
):
    labels = np.asarray(labels)
    weights = token_weights(labels, ignore_id, mask, sample_weight)
    losses = token_crossentropy(np.where(labels == ignore_id, 0, labels), logits, label_smoothing)
    return (weights * losses).sum() / weights.sum() if weights.sum() else 0.0


def crossentropy_gradient(labels, logits, label_smoothing=0.0, ignore_id=0):
    """d masked_crossentropy / d logits = w / sum(w) * (softmax - target)."""
    labels, logits = np.asarray(labels), np.asarray(logits, np.float64)
    size = logits.shape[-1]
    known = np.where(labels == ignore_id, 0, labels)
    target = (1 - label_smoothing) * np.eye(size)[known] + label_smoothing / size
    exp = np.exp(logits - logits.max(-1, keepdims=True))
    weights = token_weights(labels, ignore_id)
    return (weights / weights.sum())[..., None] * (exp / exp.sum(-1, keepdims=True) - target)
