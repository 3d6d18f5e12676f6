"""The converter between Llama, Mistral, SmolLM3 and Qwen checkpoints of Hugging Face and tasks."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from zoo.errors import UserError
from zoo.models.llama import GEMMA, OPTIONS, Llama
from zoo.models.transformer_options import OF_WEIGHTS, TransformerOptions, check_usual
from zoo.pretrained.byte_vocabulary import read_tokenizer, special_tokens
from zoo.pretrained.byte_vocabulary_files import tokenizer_files
from zoo.pretrained.checkpoint import CONFIG, Checkpoint
from zoo.pretrained.converter import (
    CheckpointFiles,
    Converter,
    check_supported,
    check_tokenizer,
    with_weights,
)
from zoo.pretrained.decoder_rows import block_rows
from zoo.pretrained.rotary import positions_of
from zoo.pretrained.sizes import check_sizes
from zoo.pretrained.tensor_map import TensorRow, matrix, read, tensors
from zoo.pretrained.tied import check_tied
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
PREFIX = "model."
NORMS = ("input_layernorm", "post_attention_layernorm")  # of a block, in the order of the model
EMBEDDING, HEAD = "model.embed_tokens.weight", "lm_head.weight"
SIZES = {
    "vocab_size": (EMBEDDING, 0),
    "hidden_size": (EMBEDDING, 1),
    "intermediate_size": ("model.layers.0.mlp.gate_proj.weight", 0),
    "num_attention_heads": ("model.layers.0.self_attn.q_proj.weight", 0),
    "num_key_value_heads": ("model.layers.0.self_attn.k_proj.weight", 0),
    "head_dim": ("model.layers.0.self_attn.q_proj.weight", 0),
}
LAYERS = {"num_hidden_layers": "model.layers."}
MAX_POSITIONS = 10_000_000  # which no tensor has, as positions are rotary
USUAL = 1024  # positions that a task reads by default, since caches and batches have that size
END = 2  # default id of the end token


# --- Configuration ---


def _read_config(checkpoint: Checkpoint) -> dict[str, Any]:
    """Converts the `config.json` of a checkpoint to options of `Llama`.

    Raises:
        UserError: If `Llama` does not support the configuration.
    """
    config = checkpoint.config
    check_supported(checkpoint, SUPPORTED)
    check_sizes(checkpoint, "hidden_size", SIZES, LAYERS)
    positions = config.get("max_position_embeddings", 2048)
    if type(positions) is not int or not 1 <= positions <= MAX_POSITIONS:
        raise UserError(
            f"{checkpoint.folder / CONFIG}: max_position_embeddings must be an integer from 1 to "
            f"{MAX_POSITIONS:,}, got {positions!r:.40}"
        )
    kind = config.get("model_type", LLAMA)
    tied = config.get("tie_word_embeddings", False)
    if tied:
        check_tied(checkpoint, EMBEDDING, HEAD)
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
    check_usual(options, _usual(options), "a Llama checkpoint")
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


def _usual(options: TransformerOptions) -> TransformerOptions:
    """The options of a checkpoint, which may have grouped heads and a matrix of the logits."""
    return replace(
        OPTIONS,
        num_key_value_heads=options.num_key_value_heads,
        tie_embeddings=options.tie_embeddings,
    )


# --- Tensors ---


def _rows(model: Llama) -> Iterator[TensorRow]:
    embedding, *head = model.embedding.weights
    yield TensorRow(EMBEDDING, (embedding,), inputs=1)
    for number, block in enumerate(model.blocks):
        yield from block_rows(f"{PREFIX}layers.{number}", block, NORMS)
    yield TensorRow(f"{PREFIX}norm.weight", tuple(model.norm.weights))
    if head:
        yield matrix(HEAD, head[0])


# --- Tasks ---


def _causal_lm(checkpoint: Checkpoint, settings: dict[str, Any]) -> CausalLM:
    settings.setdefault("max_new_tokens", min(64, settings["max_length"] // 2))
    settings.setdefault("chat_template", checkpoint.chat_template())
    tokenizer = read_tokenizer(checkpoint, special_tokens(checkpoint, END))

    def load(model: Llama) -> None:
        check_usual(model.options, _usual(model.options), "a Llama checkpoint", OF_WEIGHTS)
        read(checkpoint, _rows(model))

    return with_weights(CausalLM(**settings), tokenizer, load)


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
