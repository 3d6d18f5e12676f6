"""Attention in NumPy float64, from the formulas: one head, one query, one key at a time."""

import numpy as np

from tests.oracles import position as positions


def dot(query, key):
    return query @ key


def scaled_dot(query, key):
    return query @ key / np.sqrt(len(query))


def exp_dot(query, key):
    return np.exp(query @ key)


def cosine(query, key):
    lengths = np.linalg.norm(query) * np.linalg.norm(key)
    return query @ key / lengths if lengths else 0.0


def general(query, key, kernel):
    return query @ np.asarray(kernel, np.float64) @ key


def additive(query, key, query_kernel, key_kernel, output_kernel):
    return np.tanh(query @ query_kernel + key @ key_kernel) @ output_kernel


def concat(query, key, kernel, output_kernel):
    return np.tanh(np.concatenate([query, key]) @ kernel) @ output_kernel


SCORES = {f.__name__: f for f in (dot, scaled_dot, exp_dot, cosine, general, additive, concat)}


def mode_dot(query, key, scale=1.0):
    return scale * (query @ key)


def mode_concat(query, key, *weights):
    """`weights`: the scale, if there is one, and the factor."""
    scale, factor = weights if len(weights) == 2 else (1.0, *weights)
    return factor * np.sum(np.tanh(scale * (query + key)))


def mode_additive(query, key, scale=1.0):
    return np.sum(scale * np.tanh(query + key))


# The scores of Keras's own layers, which have arguments, not names.
MODES = {f.__name__: f for f in (mode_dot, mode_concat, mode_additive)}


def scores(name, query, key, *weights):
    """(..., T, D), (..., S, D) -> (..., T, S)."""
    query, key = np.asarray(query, np.float64), np.asarray(key, np.float64)
    table = np.zeros((*query.shape[:-1], key.shape[-2]))
    for *at, t, s in np.ndindex(table.shape):
        table[(*at, t, s)] = (SCORES | MODES)[name](query[(*at, t)], key[(*at, s)], *weights)
    return table


def softmax(row):
    exponentials = np.exp(row - row.max())
    return exponentials / exponentials.sum()


def ratio(row):
    return row / row.sum() if row.sum() else np.zeros_like(row)


def sigmoid(row):
    return 1 / (1 + np.exp(-row))


def sparsemax(row):
    """The threshold by bisection, not by sorting."""
    return _bisect(lambda tau: np.maximum(row - tau, 0), row.max())


def entmax15(row):
    return _bisect(lambda tau: np.maximum(row / 2 - tau, 0) ** 2, row.max() / 2)


def _bisect(weights_at, greatest):
    low, high = greatest - 1, greatest
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if weights_at(middle).sum() >= 1 else (low, middle)
    return weights_at((low + high) / 2)


NORMALIZERS = {f.__name__: f for f in (softmax, ratio, sigmoid, sparsemax, entmax15)}


def normalize(name, table, mask=None):
    """Each row over the positions that take part, as if the others did not exist."""
    table = np.asarray(table, np.float64)
    mask = np.broadcast_to(True if mask is None else np.asarray(mask, bool), table.shape)
    weights = np.zeros_like(table)
    for at in np.ndindex(table.shape[:-1]):
        if mask[at].any():
            weights[at][mask[at]] = NORMALIZERS[name](table[at][mask[at]])
    return weights


def causal(length, key_length=None):
    return np.array(
        [
            [s <= t for s in range(length if key_length is None else key_length)]
            for t in range(length)
        ]
    )


def attention(
    query, value, key=None, mask=None, score="scaled_dot", normalizer="softmax", weights=()
):
    """Contexts (..., T, Dv) and weights (..., T, S)."""
    table = scores(score, query, value if key is None else key, *weights)
    shares = normalize(normalizer, table, mask)
    return shares @ np.asarray(value, np.float64), shares


OF_SCORE = {"general": 1, "additive": 3, "concat": 2}  # numbers of weights


def multi_head(
    weights,
    query,
    value,
    key=None,
    mask=None,
    use_bias=True,
    aggregate="project",
    tie_key_value=False,
    score="scaled_dot",
    normalizer="softmax",
    position=None,
    num_key_value_heads=None,
    sliding_window=None,
    use_gate=False,
    use_output_bias=None,
    query_key_normalization=None,
):
    """`weights` in the layer's order: the score's, the position scheme's, the projections'. Mask
    (B, [H,] T, S). `position`: the name of an oracle and its arguments."""
    left = [np.asarray(w, np.float64) for w in weights]
    of_score = [left.pop(0) for _ in range(OF_SCORE.get(score, 0))]
    scheme, options = position or ("", {})
    of_shaw = [left.pop(0), left.pop(0)] if scheme == "shaw" else []

    def projection(has_bias=use_bias):
        return left.pop(0), left.pop(0) if has_bias else 0.0

    (wq, bq), (wk, bk) = projection(), projection()
    wg, bg = projection() if use_gate else (None, None)
    wv, bv = (wk, bk) if tie_key_value else projection()
    last = use_bias if use_output_bias is None else use_output_bias
    wo, bo = projection(last) if aggregate == "project" else (None, None)
    gains = [left.pop(0) for _ in range(2)] if query_key_normalization else None
    query, value = np.asarray(query, np.float64), np.asarray(value, np.float64)
    key = value if key is None else np.asarray(key, np.float64)
    heads, sizes = wq.shape[1], (query.shape[1], value.shape[1])
    if sliding_window is not None:
        near = [[abs(t - s) < sliding_window for s in range(sizes[1])] for t in range(sizes[0])]
        mask = np.array(near) if mask is None else mask & np.array(near)
    contexts, shares = [], []
    for h in range(heads):
        g = h // (heads // (num_key_value_heads or heads))
        q = query @ wq[:, h] + (bq[h] if use_bias else 0)
        k = key @ wk[:, g] + (bk[g] if use_bias else 0)
        v = value @ wv[:, g] + (bv[g] if use_bias else 0)
        if gains is not None:
            epsilon = query_key_normalization.epsilon
            q, k = (
                x * gain / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon)
                for x, gain in zip((q, k), gains, strict=True)
            )
        if scheme == "rotary":
            q, k = (positions.rotary(x, **options) for x in (q, k))
        if of_shaw:
            k, v = (
                x[:, None] + positions.shaw(table, *sizes)
                for x, table in zip((k, v), of_shaw, strict=True)
            )
            table = scores(score, q[:, :, None], k, *of_score)[:, :, 0]
        else:
            table = scores(score, q, k, *of_score)
        if scheme == "alibi":
            table = table + positions.alibi(heads, *sizes)[h]
        of_head = mask[:, h] if mask is not None and np.ndim(mask) == 4 else mask
        share = normalize(normalizer, table, of_head)
        context = np.einsum("bts,btsv->btv", share, v) if of_shaw else share @ v
        if use_gate:
            context = context / (1 + np.exp(-(query @ wg[:, h] + (bg[h] if use_bias else 0))))
        contexts.append(context)
        shares.append(share)
    if aggregate == "project":
        output = sum(np.tensordot(c, wo[h], 1) for h, c in enumerate(contexts)) + bo
    elif aggregate == "concat":
        output = np.concatenate(contexts, axis=-1)
    else:
        output = sum(contexts) / len(contexts)
    return output, np.stack(shares, axis=1)
