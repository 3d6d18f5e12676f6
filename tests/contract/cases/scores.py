"""Scores."""

import numpy as np

from keras_attn import Additive, Concat, Cosine, Dot, ExpDot, General, ScaledDot, SoftCappedDot
from tests.contract.case import Case, Ranks, floats

NO_MASK = "scores are computed for all pairs of query and key; the normalizer applies the mask"


def score(layer, oracle, arguments=None, key="BSD", **others):
    """The case of one score; `oracle(query, key, *weights)`."""
    return Case(
        layer,
        arguments=lambda: arguments or {},
        inputs={"query": floats("BTD"), "key": floats(key)},
        outputs={"score": "BTS"},
        other_ranks=Ranks("scores have any leading axes, as heads", fewer=True, extra_at=1),
        call=lambda layer, x: layer(x["query"], x["key"]),
        oracle=lambda weights, x, a: oracle(x["query"], x["key"], *weights),
        not_applicable={
            "keras layer": "in Keras, scores are computed inside the attention layers",
            "masked": NO_MASK,
            "all masked": NO_MASK,
            "NaN behind the mask": NO_MASK,
            "implicit mask": NO_MASK,
            "neighbours": NO_MASK,
            "causal": NO_MASK,
            "maps": "its output is the attention map before normalization",
        },
        **others,
    )


def dot(query, key):
    return np.einsum("btd,bsd->bts", query, key)


def cosine(query, key):
    lengths = [np.linalg.norm(x, axis=-1) for x in (query, key)]
    return dot(query, key) / (lengths[0][:, :, None] * lengths[1][:, None, :])


def additive(query, key, query_kernel, key_kernel, output_kernel):
    hidden = (query @ query_kernel)[:, :, None] + (key @ key_kernel)[:, None]
    return np.tanh(hidden) @ output_kernel


def concat(query, key, kernel, output_kernel):
    steps, positions = query.shape[1], key.shape[1]
    pair = [
        np.repeat(query[:, :, None], positions, axis=2),
        np.repeat(key[:, None], steps, axis=1),
    ]
    return np.tanh(np.concatenate(pair, axis=-1) @ kernel) @ output_kernel


CASES = [
    score(Dot, dot),
    score(ScaledDot, lambda query, key: 0.3 * dot(query, key), {"scale": 0.3}),
    score(
        SoftCappedDot,
        lambda query, key: 1.7 * np.tanh(0.3 * dot(query, key) / 1.7),
        {"cap": 1.7, "scale": 0.3},
    ),
    score(ExpDot, lambda query, key: np.exp(dot(query, key)), output_dtype="float32"),
    score(
        General,
        lambda query, key, kernel: np.einsum("btd,dw,bsw->bts", query, kernel, key),
        key="BSW",
    ),
    score(Additive, additive, {"units": 19}, key="BSW"),
    score(Concat, concat, {"units": 19}, key="BSW"),
    score(Cosine, cosine, hard_scales={"query": 300.0}),  # whose squares overflow float16
]
