"""The `config.json` of ModernBERT, as options of `Bert`."""

from typing import Any

from zoo.errors import UserError
from zoo.models.bert import Bert
from zoo.models.pooling import POOLINGS
from zoo.pretrained.checkpoint import CONFIG, Checkpoint
from zoo.pretrained.converter import check_supported
from zoo.pretrained.encoders.family import SUPPORTED as OF_ENCODERS
from zoo.pretrained.layer_types import FULL, SLIDING, interval_of, layer_types_of, written_types
from zoo.pretrained.rotary import rotary
from zoo.pretrained.sizes import check_sizes

WORDS = "embeddings.tok_embeddings.weight"
# The only supported values of keys in `config.json`, which are also the defaults of missing keys.
SUPPORTED = {
    "norm_bias": False,
    "attention_bias": False,
    "mlp_bias": False,
    "classifier_bias": False,
    "decoder_bias": True,
    "classifier_activation": "gelu",
    "tie_word_embeddings": True,
}
# Of gated linear units; checkpoints are written with the first name of a function.
ACTIVATIONS = {"gelu": "geglu", "gelu_pytorch_tanh": "geglu_tanh", "gelu_new": "geglu_tanh"}
ACTIVATIONS |= {"silu": "swiglu"}
QUERY, EXPAND = "layers.0.attn.Wqkv.weight", "layers.0.mlp.Wi.weight"
SIZES = {
    "vocab_size": (WORDS, 0),
    "hidden_size": (WORDS, 1),
    "num_attention_heads": (QUERY, 0),
    "intermediate_size": (EXPAND, 0),
}
LAYERS = {"num_hidden_layers": "layers."}
MAX_POSITIONS = 10_000_000  # which no tensor has, as positions are rotary
USUAL = 512  # positions that a task reads by default
GLOBAL_THETA, LOCAL_THETA, WINDOW, EVERY = 160_000.0, 10_000.0, 128, 3  # of missing keys


def read_config(checkpoint: Checkpoint) -> dict[str, Any]:
    """Converts the `config.json` of a checkpoint to options of `Bert`.

    Raises:
        UserError: If `Bert` does not support the configuration.
    """
    config, path = checkpoint.config, checkpoint.folder / CONFIG
    check_supported(checkpoint, OF_ENCODERS | SUPPORTED)
    prefix = "model." if f"model.{WORDS}" in checkpoint else ""
    check_sizes(checkpoint, "hidden_size", SIZES, LAYERS, prefix)
    positions = config.get("max_position_embeddings", 8192)
    if type(positions) is not int or not 1 <= positions <= MAX_POSITIONS:
        raise UserError(
            f"{path}: max_position_embeddings must be an integer from 1 to {MAX_POSITIONS:,}, got "
            f"{positions!r:.40}"
        )
    name = config.get("hidden_activation", "gelu")
    if not isinstance(name, str) or name not in ACTIVATIONS:
        raise UserError(
            f"the activation {name!r:.40} is not supported; expected one of "
            f"{', '.join(ACTIVATIONS)}"
        )
    pooling = config.get("classifier_pooling", "cls")
    if pooling not in POOLINGS:
        raise UserError(
            f"classifier_pooling = {pooling!r:.40} is not supported; expected {', '.join(POOLINGS)}"
        )
    return {
        "model": "bert",
        "preset": "base",
        "num_layers": config["num_hidden_layers"],
        "hidden_dim": config["hidden_size"],
        "num_heads": config["num_attention_heads"],
        "intermediate_dim": config["intermediate_size"],
        "activation": ACTIVATIONS[name],
        "dropout": config.get("embedding_dropout", 0.0),
        "attention_dropout": config.get("attention_dropout", 0.0),
        "activation_dropout": config.get("mlp_dropout", 0.0),
        "embedding_size": None,
        "num_segments": 0,
        "pooler_activation": "gelu",
        "epsilon": config.get("norm_eps", 1e-5),
        "position": "rotary",
        "pre_norm": True,
        "layer_bias": False,
        "pooler_pooling": pooling,
        "pooler_norm": True,
        "pooler_of_tokens": True,
        **_windows(checkpoint),
        "max_sequence_length": positions,
        "usual_length": min(positions, USUAL),
    }


def _windows(checkpoint: Checkpoint) -> dict[str, Any]:
    """The windows and the rotary positions of the blocks.

    Raises:
        UserError: If the blocks without a window are not every n-th from the first on, or a number
            is none.
    """
    config, path = checkpoint.config, checkpoint.folder / CONFIG
    window = config.get("local_attention", WINDOW)
    every = config.get("global_attn_every_n_layers", EVERY)
    for name, value in (("local_attention", window), ("global_attn_every_n_layers", every)):
        if type(value) is not int or value < 1:
            raise UserError(f"{path}: {name} must be a positive integer, got {value!r:.40}")
    types = layer_types_of(checkpoint, lambda number: number % every == 0)
    interval = interval_of(types, first=True)
    both = config.get("rope_parameters") or {}
    if not isinstance(both, dict):
        raise UserError(f"{path}: rope_parameters must be an object")
    thetas = {}
    for kind, key, usual in (
        (FULL, "global_rope_theta", GLOBAL_THETA),
        (SLIDING, "local_rope_theta", LOCAL_THETA),
    ):
        given = both.get(kind) or config.get("rope_scaling") or {}
        options = rotary(checkpoint, f"rope_parameters.{kind}", given, config.get(key, usual))
        if "rope_scaling" in options:
            raise UserError(
                f"rope_type = {options['rope_scaling']['rope_type']!r} is not supported; expected "
                "default"
            )
        thetas[kind] = options["rope_theta"]
    if SLIDING not in types:
        return {"rope_theta": thetas[FULL]}
    return {
        "rope_theta": thetas[FULL],
        "local_rope_theta": thetas[SLIDING],
        "sliding_window": window // 2 + 1,  # on either side, with its own position
        "global_layer_interval": interval,
    }


def written_config(backbone: Bert) -> dict[str, Any]:
    """The contents of `config.json` for a model with this backbone.

    Raises:
        UserError: If ModernBERT has no such activation, or other positions.
    """
    ours = backbone.get_config()
    theirs = next((name for name, own in ACTIVATIONS.items() if own == ours["activation"]), None)
    if theirs is None:
        raise UserError(f"ModernBERT has no activation {ours['activation']!r}")
    if ours["rope_theta"] is None:
        raise UserError("a ModernBERT checkpoint requires rope_theta")
    window, every = ours["sliding_window"], ours["global_layer_interval"]
    local = ours["local_rope_theta"] or ours["rope_theta"]
    return {
        "vocab_size": ours["vocabulary_size"],
        "hidden_size": ours["hidden_dim"],
        "num_hidden_layers": ours["num_layers"],
        "num_attention_heads": ours["num_heads"],
        "intermediate_size": ours["intermediate_dim"],
        "hidden_activation": theirs,
        "max_position_embeddings": ours["max_sequence_length"],
        "norm_eps": ours["epsilon"],
        **SUPPORTED,
        "embedding_dropout": ours["dropout"],
        "attention_dropout": ours["attention_dropout"],
        "mlp_dropout": ours["activation_dropout"],
        "classifier_pooling": ours["pooler_pooling"],
        "layer_types": written_types(ours["num_layers"], window, every, first=True),
        "local_attention": WINDOW if window is None else 2 * (window - 1),
        "global_rope_theta": ours["rope_theta"],
        "local_rope_theta": local,
        "rope_parameters": {
            FULL: {"rope_type": "default", "rope_theta": ours["rope_theta"]},
            SLIDING: {"rope_type": "default", "rope_theta": local},
        },
    }
