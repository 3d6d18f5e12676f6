"""Pooling, multi-step, linear and random-feature attention, and the penalty of like heads, in
NumPy float64, from the formulas. Weights come in the order of the layers' `weights`."""

import numpy as np

from tests.oracles.attention import normalize


def pooling(weights, sequence, mask=None):
    """The mean (B, D) of a sequence (B, T, D), and the weights (B, T)."""
    kernel, bias, query = (np.asarray(w, np.float64) for w in weights)
    table = np.array([[np.tanh(h @ kernel + bias) @ query for h in row] for row in sequence])
    shares = normalize("softmax", table.reshape(np.shape(sequence)[:2]), mask)
    return np.einsum("bt,btd->bd", shares, np.asarray(sequence, np.float64)), shares


def multi_step(weights, state, target_embedding, memory, source_embedding, mask=None, scale=False):
    """Outputs (B, T, D) and weights (B, T, S). The mask is (B, S)."""
    kernel, bias, output_kernel, output_bias = weights
    half = np.sqrt(0.5) if scale else 1.0
    mask = np.ones(memory.shape[:2], bool) if mask is None else mask
    d = (state @ kernel + bias + target_embedding) * half
    shares = normalize("softmax", np.einsum("bte,bse->bts", d, memory), mask[:, None])
    contexts = np.einsum("bts,bse->bte", shares, (memory + source_embedding) * half)
    if scale:
        contexts = contexts * np.sqrt(mask.sum(-1))[:, None, None]
    return contexts @ output_kernel + output_bias, shares


def elu_plus_one(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def random_features(directions):
    """The feature map for these directions (K, M)."""
    width, count = np.shape(directions)

    def features(x):
        x = x / width**0.25
        return np.exp(x @ directions - (x * x).sum(-1, keepdims=True) / 2) / np.sqrt(count)

    return features


def linear(
    weights,
    query,
    value,
    key=None,
    query_mask=None,
    key_mask=None,
    causal=False,
    use_bias=True,
    features=None,
):
    """The output (B, T, ·): all weights are made, as products of features, and normalized."""
    left = [np.asarray(w, np.float64) for w in weights]
    if features is None and len(left) in (5, 9):
        features = random_features(left.pop())
    features = features or elu_plus_one
    (wq, bq), (wk, bk), (wv, bv), (wo, bo) = (
        (left.pop(0), left.pop(0) if use_bias else 0.0) for _ in range(4)
    )
    q = features(np.einsum("btd,dhk->bhtk", query, wq) + _of_heads(bq))
    k = features(np.einsum("bsd,dhk->bhsk", value if key is None else key, wk) + _of_heads(bk))
    v = np.einsum("bsd,dhk->bhsk", value, wv) + _of_heads(bv)
    products = np.einsum("bhtm,bhsm->bhts", q, k)
    if query_mask is not None:
        products = products * query_mask[:, None, :, None]
    if key_mask is not None:
        products = products * key_mask[:, None, None, :]
    if causal:
        products = np.tril(products)
    total = products.sum(-1, keepdims=True)
    shares = products / np.where(total == 0, 1, total)
    return np.einsum("bhts,bhsk,hkd->btd", shares, v, wo) + bo


def _of_heads(bias):
    return bias[:, None] if np.ndim(bias) else bias


def head_diversity(weights, strength=1.0):
    """The penalty of weights (B, H, T, S), one sequence and one query at a time."""
    total = 0.0
    for sequence in np.asarray(weights, np.float64):
        actual = []
        for t in range(sequence.shape[1]):
            rows = sequence[:, t]
            if rows.any():
                actual.append(((rows @ rows.T - np.eye(len(rows))) ** 2).sum())
        total += np.mean(actual) if actual else 0.0
    return strength * total
