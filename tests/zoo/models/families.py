"""Small configs of every encoder-decoder of the registry, and batches for them."""

import json
from functools import cache
from typing import Any

import keras
import numpy as np
import pytest
from keras import ops

from zoo.models.create import create_model
from zoo.models.options import has_option
from zoo.registry import MODELS

SIZES = {"source_vocabulary_size": 23, "target_vocabulary_size": 19}
ONE_SIZE = {"vocabulary_size": 23}

TINY: dict[str, dict[str, Any]] = {
    "transformer": {"num_layers": 1, "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 13},
    "attention_seq2seq": {"embedding_dim": 7, "units": 11},
    "rnn_seq2seq": {"embedding_dim": 7, "units": 11, "num_layers": 1},
    "conv_s2s": {"embedding_dim": 7, "layers": [[11, 3], [11, 2]], "output_dim": 5},
    "bart": {
        "num_layers": 1,
        "hidden_dim": 8,
        "num_heads": 2,
        "intermediate_dim": 13,
        "attention_dropout": 0.0,
    },
    "t5": {
        "num_layers": 1,
        "hidden_dim": 8,
        "num_heads": 2,
        "intermediate_dim": 13,
        "attention_dropout": 0.0,
        "relative_attention_num_buckets": 4,
        "relative_attention_max_distance": 5,
    },
    "prefix_gpt": {
        "num_layers": 1,
        "hidden_dim": 8,
        "num_heads": 2,
        "intermediate_dim": 13,
        "attention_dropout": 0.0,
    },
}

# What each family can be told to be: every one of these decodes, is saved and trains alike.
VARIANTS = [
    ("transformer", {}),
    ("transformer", {"num_layers": 2, "activation": "glu"}),
    ("transformer", {"pre_norm": True, "activation": "gelu"}),
    ("transformer", {"position": "learned"}),
    ("transformer", {"embedding_size": 5, "num_layers": 2}),
    ("transformer", {"position": "rotary", "num_layers": 2}),
    ("transformer", {"position": "alibi"}),
    ("transformer", {"position": "shaw", "num_layers": 2}),
    ("transformer", {"attention": "local", "window": 2, "num_layers": 2}),
    ("transformer", {"attention": "linear", "normalization": "rms", "activation": "swiglu"}),
    ("transformer", {"attention": "random_feature", "pre_norm": True}),
    ("transformer", {"num_heads": 4, "num_key_value_heads": 2, "position": "rotary"}),
    ("transformer", {"aggregate": "mean", "score": "general", "normalizer": "sparsemax"}),
    (
        "transformer",
        {"tie_key_value": True, "tie_embeddings": False, "use_bias": True, "position": "none"},
    ),
    ("attention_seq2seq", {}),
    ("attention_seq2seq", {"num_layers": 2, "order": "luong", "score": "general"}),
    ("attention_seq2seq", {"num_layers": 2, "cell": "lstm"}),
    ("attention_seq2seq", {"cell": "lstm", "order": "luong", "score": "concat"}),
    ("attention_seq2seq", {"cell": "orthogonal", "score": "cosine"}),
    ("attention_seq2seq", {"order": "luong", "gate": True, "deep_output": True}),
    ("attention_seq2seq", {"attention": "multi_head", "units": 12, "order": "luong"}),
    ("attention_seq2seq", {"attention": "linear", "units": 12, "cell": "lstm", "num_layers": 2}),
    ("attention_seq2seq", {"attention": "random_feature", "units": 12}),
    ("attention_seq2seq", {"copy": True, "num_layers": 2, "target_vocabulary_size": 23}),
    ("rnn_seq2seq", {}),
    ("rnn_seq2seq", {"deep_output": True}),
    ("rnn_seq2seq", {"num_layers": 2, "cell": "gru"}),
    ("rnn_seq2seq", {"num_layers": 2, "cell": "jordan"}),
    ("conv_s2s", {}),
    ("conv_s2s", {"position": "sinusoidal", "layers": [[11, 3], [5, 1], [13, 2]]}),
    ("bart", {"num_decoder_layers": 2, "max_sequence_length": 17}),
    ("bart", {"attention": "local", "window": 2, "num_layers": 2}),
    ("bart", {"attention": "linear", "normalization": "rms", "activation": "swiglu"}),
    ("bart", {"attention": "random_feature", "num_decoder_layers": 2}),
    ("bart", {"num_heads": 4, "num_key_value_heads": 1}),
    ("bart", {"position": "shaw", "max_distance": 2, "aggregate": "concat", "use_bias": False}),
    ("bart", {"position": "sinusoidal", "score": "additive", "normalizer": "entmax15"}),
    ("t5", {}),
    ("t5", {"num_layers": 2, "scale_logits": True, "activation": "relu", "key_dim": 3}),
    ("t5", {"num_decoder_layers": 2, "tie_embeddings": False, "num_heads": 4, "use_bias": True}),
    ("prefix_gpt", {"num_layers": 2, "max_sequence_length": 12}),
    ("prefix_gpt", {"position": "sinusoidal", "aggregate": "mean", "normalizer": "sigmoid"}),
    ("prefix_gpt", {"position": "shaw", "tie_key_value": True, "use_bias": True}),
    ("prefix_gpt", {"num_layers": 2, "position": "rotary", "pre_norm": False}),
    ("prefix_gpt", {"position": "alibi"}),
    ("prefix_gpt", {"normalization": "rms", "activation": "swiglu", "num_key_value_heads": 1}),
]


def sizes(name: str, size: int | None = None) -> dict[str, int]:
    """The vocabularies of a model: unequal where it can have two, or both of one size."""
    actual = SIZES if has_option(name, "source_vocabulary_size") else ONE_SIZE
    return actual if size is None else dict.fromkeys(actual, size)


def make(name: str, **config: Any) -> keras.Model:
    """A tiny model, without dropout, its weights drawn anew so that none is zero or one."""
    apart = {"share_embeddings": False} if has_option(name, "share_embeddings") else {}
    settings = {**sizes(name), **TINY[name], "dropout": 0.0, **apart, **config}
    model = create_model(name, **settings)
    for number, weight in enumerate(model.weights):
        drawn = np.random.default_rng(number).normal(size=weight.shape)
        weight.assign(0.35 * drawn + (1.0 if "gamma" in weight.path else 0.0))
    return model


def options_of(model: keras.Model) -> dict[str, Any]:
    """The options in its config, those of a backbone among them."""
    config = model.get_config()
    backbone = config.pop("backbone", {"config": {}})
    return {**backbone["config"], **config}


def shared(name: str, **config: Any) -> keras.Model:
    """What `make` gives, built once for all tests that leave it as it is."""
    return _make_once(name, json.dumps(config))


@cache
def _make_once(name: str, config: str) -> keras.Model:
    return make(name, **json.loads(config))


def batch(rows: int = 3, source: int = 7, target: int = 5, seed: int = 1) -> dict[str, np.ndarray]:
    """Rows of unequal lengths, padded with 0; the first row is full."""
    rng = np.random.default_rng(seed)
    actual = {}
    for side, length, size in (("source", source, 23), ("target", target, 19)):
        lengths = np.maximum(length - 2 * np.arange(rows), 1)
        mask = np.arange(length) < lengths[:, None]
        ids = np.where(mask, rng.integers(4, size, (rows, length)), 0)
        actual |= {f"{side}_ids": ids.astype("int32"), f"{side}_mask": mask}
    actual["target_ids"][:, 0] = 2
    return actual


def run(model: keras.Model, inputs: dict[str, np.ndarray], **options: Any) -> np.ndarray:
    inputs = {name: ops.convert_to_tensor(value) for name, value in inputs.items()}
    return ops.convert_to_numpy(model(inputs, **options)["logits"])


def presets() -> list[Any]:
    """Name and preset, those behind the tiny ones thoroughly."""
    thorough = {False: [pytest.mark.thorough], True: []}
    return [
        pytest.param(name, preset, marks=thorough[preset == "tiny"])
        for name in TINY
        for preset in MODELS[name].presets
    ]
