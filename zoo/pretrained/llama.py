"""The converter between Llama, Mistral, SmolLM3 and Qwen checkpoints of Hugging Face and tasks."""

from collections.abc import Iterator, Mapping
from typing import Any

from zoo.errors import UserError
from zoo.models.llama import GEMMA, Llama
from zoo.models.transformer_options import TransformerOptions, check_usual
from zoo.pretrained.byte_vocabulary import read_tokenizer, special_tokens
from zoo.pretrained.byte_vocabulary_files import tokenizer_files
from zoo.pretrained.checkpoint import CONFIG, Checkpoint
from zoo.pretrained.converter import (
    CheckpointFiles,
    Converter,
    check_supported,
    check_tokenizer,
)
from zoo.pretrained.decoder import (
    USUAL,
    causal_lm,
    check_tensors,
    decoder_rows,
    max_positions,
    usual,
)
from zoo.pretrained.rotary import positions_of
from zoo.pretrained.tensor_map import TensorRow, tensors
from zoo.tasks.causal_lm import CausalLM
from zoo.text.byte_bpe import ByteBPETokenizer
from zoo.text.pretokenize import GPT2

# The only supported values of keys in `config.json`, which are also the defaults of missing keys.
SUPPORTED = {"hidden_act": "silu", "attention_bias": False, "mlp_bias": False}
SUPPORTED |= {"use_sliding_window": False}  # of Qwen, which names a window that is not used
LLAMA, QWEN2, QWEN3, MISTRAL, SMOLLM3 = "llama", "qwen2", "qwen3", "mistral", "smollm3"
ARCHITECTURES = {
    LLAMA: "LlamaForCausalLM",
    QWEN2: "Qwen2ForCausalLM",
    QWEN3: "Qwen3ForCausalLM",
    MISTRAL: "MistralForCausalLM",
    SMOLLM3: "SmolLM3ForCausalLM",
}
OWN_OPTIONS = {  # of a kind that is not Llama itself, and of no other
    QWEN2: "qkv_bias",
    QWEN3: "qk_norm",
    MISTRAL: "sliding_window",
    SMOLLM3: "no_rope_layer_interval",
}
NO_ROPE_INTERVAL = 4  # of a SmolLM3 that does not say it
NORMS = ("input_layernorm", "post_attention_layernorm")  # of a block, in the order of the model
END = 2  # default id of the end token


# --- Configuration ---


def _read_config(checkpoint: Checkpoint) -> dict[str, Any]:
    """Converts the `config.json` of a checkpoint to options of `Llama`.

    Raises:
        UserError: If `Llama` does not support the configuration.
    """
    config = checkpoint.config
    check_supported(checkpoint, SUPPORTED)
    positions = max_positions(checkpoint, 2048)
    kind = config.get("model_type", LLAMA)
    tied = config.get("tie_word_embeddings", False)
    check_tensors(checkpoint, tied)
    return {
        "model": "llama",
        "tokenizer": ByteBPETokenizer.kind,
        "num_layers": config["num_hidden_layers"],
        "hidden_dim": config["hidden_size"],
        "num_heads": config["num_attention_heads"],
        "intermediate_dim": config["intermediate_size"],
        "num_key_value_heads": config.get("num_key_value_heads"),
        "key_dim": config.get("head_dim"),
        **positions_of(checkpoint),
        "tie_embeddings": tied,
        "dropout": 0.0,  # not that of a preset
        "attention_dropout": config.get("attention_dropout", 0.0),
        "epsilon": config.get("rms_norm_eps", 1e-6),
        "qkv_bias": kind == QWEN2,
        "qk_norm": kind == QWEN3,
        "sliding_window": _window(checkpoint, kind, positions),
        "no_rope_layer_interval": _no_rope_interval(checkpoint) if kind == SMOLLM3 else None,
        "max_sequence_length": positions,
        "usual_length": min(positions, USUAL),
    }


def _window(checkpoint: Checkpoint, kind: str, positions: int) -> int | None:
    """The window of the attention; None if there are no positions outside of it.

    Raises:
        UserError: If it is no positive integer, or of a kind that has none here.
    """
    window = checkpoint.config.get("sliding_window")
    if window is None or kind in (QWEN2, QWEN3):  # which do not use it, as was checked
        return None
    if type(window) is not int or window < 1:
        path = checkpoint.folder / CONFIG
        raise UserError(f"{path}: sliding_window must be a positive integer, got {window!r:.40}")
    if window >= positions:
        return None
    if kind != MISTRAL:
        raise UserError(f"sliding_window = {window} is not supported; expected null")
    return window


def _no_rope_interval(checkpoint: Checkpoint) -> int | None:
    """How often a block of SmolLM3 has no rotary positions; None if all have them.

    Raises:
        UserError: If the blocks without them are not every n-th.
    """
    config, path = checkpoint.config, checkpoint.folder / CONFIG
    layers = config["num_hidden_layers"]
    rotary = config.get("no_rope_layers")  # 1 where there are rotary positions
    interval = config.get("no_rope_layer_interval", NO_ROPE_INTERVAL)
    if rotary is not None:
        if not isinstance(rotary, list) or len(rotary) != layers:
            raise UserError(f"{path}: no_rope_layers must have {layers} numbers")
        if all(rotary):
            return None
        interval = [bool(each) for each in rotary].index(False) + 1
        if [bool(each) for each in rotary] != [(n + 1) % interval != 0 for n in range(layers)]:
            raise UserError(
                f"no_rope_layers = {rotary!r:.80} is not supported; expected 0 for every n-th"
            )
    if type(interval) is not int or interval < 1:
        raise UserError(
            f"{path}: no_rope_layer_interval must be a positive integer, got {interval!r:.40}"
        )
    return interval


def _written_config(task: CausalLM, tokenizer: ByteBPETokenizer) -> dict[str, Any]:
    ours, special = task.model.get_config(), tokenizer.special_tokens
    options: TransformerOptions = task.model.options
    check_usual(options, usual(options), "a Llama checkpoint")
    if (name := different(ours)) is not None:
        raise UserError(
            f"a Llama checkpoint requires {name}={vars(GEMMA)[name]!r}, got {ours[name]!r}"
        )
    kinds = [kind for kind, option in OWN_OPTIONS.items() if ours[option]]
    if len(kinds) > 1:
        first, second = (OWN_OPTIONS[kind] for kind in kinds[:2])
        raise UserError(
            f"no checkpoint has both {first} and {second}: {ARCHITECTURES[kinds[0]]} has one, "
            f"{ARCHITECTURES[kinds[1]]} the other"
        )
    kind = kinds[0] if kinds else LLAMA
    interval = ours["no_rope_layer_interval"]
    own: dict[str, Any] = {}
    if kind == MISTRAL:
        own = {"sliding_window": ours["sliding_window"]}
    if kind == SMOLLM3:
        rotary = [int((number + 1) % interval != 0) for number in range(ours["num_layers"])]
        own = {"no_rope_layer_interval": interval, "no_rope_layers": rotary}
    return {
        "model_type": kind,
        "architectures": [ARCHITECTURES[kind]],
        **own,
        "vocab_size": ours["vocabulary_size"],
        "num_hidden_layers": ours["num_layers"],
        "hidden_size": ours["hidden_dim"],
        "num_attention_heads": ours["num_heads"],
        "num_key_value_heads": ours["num_key_value_heads"] or ours["num_heads"],
        "head_dim": ours["key_dim"] or ours["hidden_dim"] // ours["num_heads"],
        "intermediate_size": ours["intermediate_dim"],
        "hidden_act": "silu",
        "rope_theta": ours["rope_theta"],
        **({"rope_scaling": ours["rope_scaling"]} if ours["rope_scaling"] else {}),
        "tie_word_embeddings": ours["tie_embeddings"],
        "attention_dropout": ours["attention_dropout"],
        "rms_norm_eps": ours["epsilon"],
        "max_position_embeddings": task.settings.max_length,
        "bos_token_id": special.start,
        "eos_token_id": special.end,
        **({"pad_token_id": special.pad} if special.pad >= 0 else {}),
    }


def different(config: Mapping[str, Any]) -> str | None:
    """The first option of Gemma that a model has another value of than Llama; None without any."""
    return next((name for name, usual in vars(GEMMA).items() if config[name] != usual), None)


# --- Tensors ---


def _rows(model: Llama) -> Iterator[TensorRow]:
    return decoder_rows(model, NORMS)


# --- Tasks ---


def _causal_lm(checkpoint: Checkpoint, settings: dict[str, Any]) -> CausalLM:
    tokenizer = read_tokenizer(checkpoint, special_tokens(checkpoint, END))
    return causal_lm(checkpoint, settings, tokenizer, _rows, "a Llama checkpoint")


def _write(task: CausalLM) -> CheckpointFiles:
    tokenizer = check_tokenizer(task.tokenizer, ByteBPETokenizer, "Llama")
    special = tokenizer.special_tokens
    return CheckpointFiles(
        _written_config(task, tokenizer),
        tensors(_rows(task.model)),
        tokenizer_files(
            tokenizer,
            "GPT2Tokenizer" if tokenizer.pattern == GPT2 else "PreTrainedTokenizerFast",
            task.settings.max_length,
            bos_token=special.start,
            eos_token=special.end,
            pad_token=special.pad,
        ),
    )


CONVERTER = Converter(
    model="llama",
    architectures=dict.fromkeys(ARCHITECTURES.values(), CausalLM.name),
    settings=_read_config,
    make={CausalLM.name: _causal_lm},
    write={CausalLM.name: _write},
    fits=lambda task: different(task.model.get_config()) is None,
)
