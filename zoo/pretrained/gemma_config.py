"""The `config.json` of Gemma 2 and 3, as options of the model `llama`."""

from collections.abc import Mapping
from typing import Any

from zoo.errors import UserError
from zoo.pretrained.checkpoint import CONFIG, Checkpoint
from zoo.pretrained.converter import check_supported
from zoo.pretrained.decoder import USUAL, check_tensors, max_positions
from zoo.pretrained.layer_types import FULL, SLIDING, interval_of, layer_types_of, written_types
from zoo.pretrained.rotary import positions_of, rotary
from zoo.text.byte_fallback_bpe import ByteFallbackBPETokenizer

GEMMA3 = "gemma3_text"
GELU = "gelu_pytorch_tanh"
# The only supported values of keys in `config.json`, which are also the defaults of missing keys.
SUPPORTED = {"hidden_activation": GELU, "attention_bias": False}
# Defaults of missing keys: of both, and of one.
WINDOW, SCALAR, HEADS = 4096, 256, {"num_key_value_heads": 4, "head_dim": 256}
PATTERN = {"gemma2": 2, GEMMA3: 6}  # every n-th block attends to all positions
CAPS = {"gemma2": (50.0, 30.0), GEMMA3: (None, None)}
GLOBAL_THETA, LOCAL_THETA = 1_000_000.0, 10_000.0  # of Gemma 3


def read_config(checkpoint: Checkpoint) -> dict[str, Any]:
    """Converts the `config.json` of a checkpoint to options of `Llama`.

    Raises:
        UserError: If `Llama` does not support the configuration.
    """
    config = checkpoint.config
    kind = "gemma2" if checkpoint.architecture.startswith("Gemma2") else GEMMA3
    check_supported(checkpoint, SUPPORTED)
    if config.get("use_bidirectional_attention"):
        raise UserError("use_bidirectional_attention = True is not supported; expected False")
    positions = max_positions(checkpoint, 8192 if kind == "gemma2" else 131_072)
    tied = config.get("tie_word_embeddings", True)
    check_tensors(checkpoint, tied)
    caps = dict(zip(("attn_logit_softcapping", "final_logit_softcapping"), CAPS[kind], strict=True))
    attention_cap, logit_cap = (_cap(checkpoint, *each) for each in caps.items())
    if kind == GEMMA3 and attention_cap is not None:  # transformers reads it, and does not use it
        raise UserError(
            f"attn_logit_softcapping = {attention_cap} is not supported with Gemma 3; expected null"
        )
    return {
        "model": "llama",
        "tokenizer": ByteFallbackBPETokenizer.kind,
        "num_layers": config["num_hidden_layers"],
        "hidden_dim": config["hidden_size"],
        "num_heads": config["num_attention_heads"],
        "intermediate_dim": config["intermediate_size"],
        "num_key_value_heads": config.get("num_key_value_heads", HEADS["num_key_value_heads"]),
        "key_dim": config.get("head_dim", HEADS["head_dim"]),
        **_windows(checkpoint, kind),
        "tie_embeddings": tied,
        "dropout": 0.0,  # not that of a preset
        "attention_dropout": config.get("attention_dropout", 0.0),
        "epsilon": config.get("rms_norm_eps", 1e-6),
        "qkv_bias": False,
        "qk_norm": kind == GEMMA3,
        "no_rope_layer_interval": None,
        "activation": "geglu_tanh",
        "scale_embeddings": True,
        "output_norm": True,
        "query_pre_attn_scalar": _positive(checkpoint, "query_pre_attn_scalar", SCALAR),
        "attention_soft_cap": attention_cap,
        "logit_soft_cap": logit_cap,
        "max_sequence_length": positions,
        "usual_length": min(positions, USUAL),
    }


def _windows(checkpoint: Checkpoint, kind: str) -> dict[str, Any]:
    """The windows and the rotary positions of the blocks.

    Raises:
        UserError: If the blocks without a window are not every n-th, or a number is none.
    """
    config, path = checkpoint.config, checkpoint.folder / CONFIG
    window = config.get("sliding_window", WINDOW)
    if window is not None and (type(window) is not int or window < 1):
        raise UserError(f"{path}: sliding_window must be a positive integer, got {window!r:.40}")
    names = ("sliding_window_pattern", "_sliding_window_pattern")
    every = next((config[name] for name in names if config.get(name) is not None), PATTERN[kind])
    if type(every) is not int or every < 1:
        raise UserError(
            f"{path}: sliding_window_pattern must be a positive integer, got {every!r:.40}"
        )
    types = layer_types_of(checkpoint, lambda number: (number + 1) % every == 0)
    interval = interval_of(types)
    windowed = window is not None and SLIDING in types
    options: dict[str, Any] = {
        "sliding_window": window if windowed else None,
        "global_layer_interval": interval if windowed else None,
        "rope_scaling": None,
        "local_rope_theta": None,
    }
    if kind != GEMMA3:
        return {**options, **positions_of(checkpoint)}
    both = config.get("rope_parameters") or {}
    if not isinstance(both, dict):
        raise UserError(f"{path}: rope_parameters must be an object")
    everywhere, local = (both.get(name) or {} for name in (FULL, SLIDING))
    everywhere = everywhere or config.get("rope_scaling") or {}
    options |= rotary(
        checkpoint, f"rope_parameters.{FULL}", everywhere, config.get("rope_theta", GLOBAL_THETA)
    )
    theta = config.get("rope_local_base_freq", LOCAL_THETA)
    of_local = rotary(checkpoint, f"rope_parameters.{SLIDING}", local, theta)
    if "rope_scaling" in of_local:
        raise UserError(
            f"rope_type = {of_local['rope_scaling']['rope_type']!r} of {SLIDING} is not supported; "
            "expected default"
        )
    if windowed:
        options["local_rope_theta"] = of_local["rope_theta"]
    return options


def _cap(checkpoint: Checkpoint, key: str, default: float | None) -> float | None:
    given = checkpoint.config.get(key, default)
    return None if given is None else _positive(checkpoint, key, given)


def _positive(checkpoint: Checkpoint, key: str, default: float) -> float:
    value = checkpoint.config.get(key, default)
    if type(value) not in (int, float) or not 0 < value < 1e9:
        path = checkpoint.folder / CONFIG
        raise UserError(f"{path}: {key} must be a positive number, got {value!r:.40}")
    return float(value)


def written_windows(ours: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The keys of `config.json` for the windows and the rotary positions of the blocks.

    Raises:
        UserError: If Gemma 2 has other rotary positions in blocks with a window.
    """
    window, every = ours["sliding_window"], ours["global_layer_interval"]
    types = written_types(ours["num_layers"], window, every)
    own = {"sliding_window": WINDOW if window is None else window, "layer_types": types}
    everywhere = {"rope_theta": ours["rope_theta"]}
    everywhere |= ours["rope_scaling"] or {"rope_type": "default"}
    if kind != GEMMA3:
        if ours["local_rope_theta"] not in (None, ours["rope_theta"]):
            raise UserError(
                "a Gemma checkpoint without qk_norm, as of Gemma 2, requires local_rope_theta=None"
            )
        return {**own, "rope_theta": ours["rope_theta"], "rope_parameters": everywhere}
    local = ours["local_rope_theta"]
    if local is None:
        local = ours["rope_theta"]
        if window is not None and ours["rope_scaling"]:
            raise UserError("a Gemma checkpoint with rope_scaling requires local_rope_theta")
    return {
        **own,
        "rope_theta": ours["rope_theta"],
        "rope_local_base_freq": local,
        "rope_parameters": {
            FULL: everywhere,
            SLIDING: {"rope_type": "default", "rope_theta": local},
        },
    }
