"""Small configs of every language model of the registry, and batches for them."""

import json
from functools import cache
from typing import Any

import keras
import numpy as np

from zoo.models.create import create_model

VOCABULARY = 23
TINY: dict[str, dict[str, Any]] = {
    "gpt": {
        "num_layers": 2,
        "hidden_dim": 8,
        "num_heads": 2,
        "intermediate_dim": 13,
        "max_sequence_length": 31,
    },
    "llama": {
        "num_layers": 2,
        "hidden_dim": 8,
        "num_heads": 4,
        "num_key_value_heads": 2,
        "intermediate_dim": 13,
    },
    "rnn_lm": {"embedding_dim": 7, "units": 11, "num_layers": 2},
}
VARIANTS = [
    ("gpt", {}),
    ("gpt", {"pre_norm": False, "activation": "gelu"}),
    ("gpt", {"position": "rotary"}),
    ("gpt", {"position": "alibi"}),
    ("gpt", {"attention": "local", "window": 3, "activation": "swiglu", "normalization": "rms"}),
    ("gpt", {"attention": "linear", "normalization": "rms", "pre_norm": False}),
    ("gpt", {"attention": "random_feature", "activation": "geglu"}),
    ("gpt", {"num_heads": 4, "num_key_value_heads": 2}),
    ("gpt", {"aggregate": "concat", "score": "cosine", "position": "sinusoidal"}),
    ("gpt", {"aggregate": "mean", "position": "shaw", "max_distance": 2, "use_bias": True}),
    ("gpt", {"tie_key_value": True, "score": "concat", "position": "none"}),
    ("gpt", {"score": "exp_dot", "normalizer": "ratio", "tie_embeddings": False}),
    ("llama", {}),
    ("llama", {"key_dim": 6, "num_key_value_heads": None, "rope_theta": 50.0}),
    ("llama", {"tie_embeddings": False, "num_key_value_heads": 1}),
    ("llama", {"aggregate": "mean", "score": "general", "position": "shaw", "max_distance": 2}),
    ("llama", {"tie_key_value": True, "normalizer": "sparsemax", "use_bias": True}),
    (
        "llama",
        {
            "num_layers": 3,
            "activation": "geglu_tanh",
            "scale_embeddings": True,
            "output_norm": True,
            "query_pre_attn_scalar": 5.0,
            "attention_soft_cap": 1.5,
            "logit_soft_cap": 2.0,
            "sliding_window": 2,
            "global_layer_interval": 2,
            "local_rope_theta": 7.0,
            "qk_norm": True,
        },
    ),
    ("rnn_lm", {}),
    ("rnn_lm", {"cell": "elman", "num_layers": 1}),
    ("rnn_lm", {"cell": "jordan", "embedding_dim": 11, "tie_embeddings": True}),
    ("rnn_lm", {"cell": "gru"}),
    ("rnn_lm", {"cell": "gru", "embedding_dim": 5, "tie_embeddings": True}),
    ("rnn_lm", {"cell": "orthogonal"}),
]


def make(name: str, **config: Any) -> keras.Model:
    """A tiny model, without dropout, its weights drawn anew so that none is zero or one."""
    none = {"dropout": 0.0} | ({} if name == "rnn_lm" else {"attention_dropout": 0.0})
    model = create_model(name, **{"vocabulary_size": VOCABULARY, **TINY[name], **none, **config})
    for number, weight in enumerate(model.trainable_weights):
        drawn = np.random.default_rng(number).normal(size=weight.shape)
        weight.assign(0.35 * drawn + (1.0 if weight.path.endswith(("gamma", "scale")) else 0.0))
    return model


def shared(name: str, **config: Any) -> keras.Model:
    """What `make` gives, built once for all tests that leave it as it is."""
    return _make_once(name, json.dumps(config))


@cache
def _make_once(name: str, config: str) -> keras.Model:
    return make(name, **json.loads(config))


def batch(rows: int = 3, length: int = 7) -> dict[str, np.ndarray]:
    """Rows of unequal lengths, padded with 0; the first row is full."""
    rng = np.random.default_rng(1)
    lengths = np.maximum(length - 2 * np.arange(rows), 1)
    mask = np.arange(length) < lengths[:, None]
    ids = np.where(mask, rng.integers(4, VOCABULARY, (rows, length)), 0).astype("int32")
    return {"token_ids": ids, "padding_mask": mask}
