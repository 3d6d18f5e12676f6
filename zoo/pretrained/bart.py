"""The converter between BART checkpoints of Hugging Face and tasks."""

from collections.abc import Iterator
from typing import Any

import keras

from zoo.errors import UserError
from zoo.models.bart import OPTIONS, Bart
from zoo.models.transformer_options import OF_WEIGHTS, check_usual
from zoo.pretrained.activations import activation, their_activation
from zoo.pretrained.byte_vocabulary import read_tokenizer
from zoo.pretrained.byte_vocabulary_files import tokenizer_files
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.converter import (
    CheckpointFiles,
    Converter,
    check_supported,
    check_tokenizer,
    with_weights,
)
from zoo.pretrained.sizes import check_sizes
from zoo.pretrained.tensor_map import TensorRow, linear, norm, read, tensors
from zoo.pretrained.tied import check_tied
from zoo.tasks.text_to_text import TextToText
from zoo.text.byte_bpe import ByteBPETokenizer

OFFSET = 2  # unused rows at the beginning of the position embeddings
EMBEDDINGS = ("shared", "encoder.embed_tokens", "decoder.embed_tokens")  # names of one tensor
BIAS = "final_logits_bias"

# The only supported values of keys in `config.json`, which are also the defaults of missing keys.
SUPPORTED = {
    "scale_embedding": False,
    "normalize_before": False,
    "add_final_layer_norm": False,
    "normalize_embedding": True,
    "static_position_embeddings": False,
    "tie_word_embeddings": True,
}
SIZES = {
    "max_position_embeddings": ("encoder.embed_positions.weight", 0),
    "encoder_ffn_dim": ("encoder.layers.0.fc1.weight", 0),
    "decoder_ffn_dim": ("decoder.layers.0.fc1.weight", 0),
    "encoder_attention_heads": ("encoder.layers.0.self_attn.q_proj.weight", 0),
    "decoder_attention_heads": ("decoder.layers.0.self_attn.q_proj.weight", 0),
}
LAYERS = {"encoder_layers": "encoder.layers.", "decoder_layers": "decoder.layers."}
# Field of `SpecialTokens` -> (key of the id in `config.json`, default id).
SPECIAL_TOKENS: dict[str, tuple[str, int | None]] = {
    "pad": ("pad_token_id", 1),
    "start": ("bos_token_id", 0),
    "end": ("eos_token_id", 2),
    "decoder_start": ("decoder_start_token_id", 2),
    "forced_first": ("forced_bos_token_id", None),
    "forced_last": ("forced_eos_token_id", None),
}
LENGTH = 128  # default maximum length of sources and targets, unless there are fewer positions


# --- Configuration ---


def _read_config(checkpoint: Checkpoint) -> dict[str, Any]:
    """Converts the `config.json` of a checkpoint to options of `Bart`.

    Raises:
        UserError: If `Bart` does not support the configuration.
    """
    config = checkpoint.config
    check_supported(checkpoint, SUPPORTED)
    embedding = f"{_embedding_name(checkpoint)}.weight"
    own = {"vocab_size": (embedding, 0), "d_model": (embedding, 1)}
    check_sizes(checkpoint, "d_model", {**own, **SIZES}, LAYERS, _prefix(checkpoint))
    check_tied(checkpoint, f"{_prefix(checkpoint)}{embedding}", "lm_head.weight")
    for theirs in ("attention_heads", "ffn_dim"):
        sizes = [config[f"{side}_{theirs}"] for side in ("encoder", "decoder")]
        if sizes[0] != sizes[1]:
            raise UserError(f"{theirs} must be equal in encoder and decoder, got {sizes}")
    return {
        "model": "bart",
        "preset": "base",
        "tokenizer": ByteBPETokenizer.kind,
        "num_layers": config["encoder_layers"],
        "num_decoder_layers": config["decoder_layers"],
        "hidden_dim": config["d_model"],
        "num_heads": config["encoder_attention_heads"],
        "intermediate_dim": config["encoder_ffn_dim"],
        "activation": activation(config.get("activation_function", "gelu")),
        "dropout": config.get("dropout", 0.1),
        "attention_dropout": config.get("attention_dropout", 0.0),
        "max_sequence_length": config.get("max_position_embeddings", 1024),
    }


def _special_tokens(checkpoint: Checkpoint) -> dict[str, int]:
    """The ids of the special tokens of a checkpoint, by field of `SpecialTokens`."""
    tokens = {
        ours: checkpoint.special_token(theirs, default)
        for ours, (theirs, default) in SPECIAL_TOKENS.items()
    }
    return {ours: token for ours, token in tokens.items() if token is not None}


def _written_config(model: Bart, tokenizer: ByteBPETokenizer) -> dict[str, Any]:
    ours = model.get_config()
    check_usual(model.options, OPTIONS, "a BART checkpoint")
    layers = {"encoder": ours["num_layers"], "decoder": ours["num_decoder_layers"]}
    ids = {
        theirs: getattr(tokenizer.special_tokens, ours)
        for ours, (theirs, _) in SPECIAL_TOKENS.items()
    }
    return {
        "model_type": "bart",
        "architectures": ["BartForConditionalGeneration"],
        "is_encoder_decoder": True,
        "vocab_size": ours["vocabulary_size"],
        "d_model": ours["hidden_dim"],
        **{f"{side}_layers": number or ours["num_layers"] for side, number in layers.items()},
        **{f"{side}_attention_heads": ours["num_heads"] for side in layers},
        **{f"{side}_ffn_dim": ours["intermediate_dim"] for side in layers},
        "activation_function": their_activation(ours["activation"]),
        "dropout": ours["dropout"],
        "attention_dropout": ours["attention_dropout"],
        "max_position_embeddings": ours["max_sequence_length"],
        **{name: token if token >= 0 else None for name, token in ids.items()},
    }


# --- Tensors ---


def _prefix(checkpoint: Checkpoint) -> str:
    """What the names of tensors begin with, in checkpoints of models with heads."""
    return "model." if "model.encoder.layernorm_embedding.weight" in checkpoint else ""


def _embedding_name(checkpoint: Checkpoint) -> str:
    prefix = _prefix(checkpoint)
    names = [name for name in EMBEDDINGS if f"{prefix}{name}.weight" in checkpoint]
    return names[0] if names else EMBEDDINGS[0]


def _load(model: Bart, checkpoint: Checkpoint) -> None:
    check_usual(model.options, OPTIONS, "a BART checkpoint", OF_WEIGHTS)
    prefix = _prefix(checkpoint)
    read(checkpoint, [_embedding(model, _embedding_name(checkpoint))], prefix)
    read(checkpoint, _blocks(model), prefix)
    if BIAS in checkpoint and model.bias is not None:
        model.bias.bias.assign(checkpoint.tensor(BIAS)[0])


def _embedding(model: Bart, name: str = EMBEDDINGS[0]) -> TensorRow:
    return TensorRow(f"{name}.weight", (model.embedding.weights[0],), inputs=1)


def _blocks(model: Bart) -> Iterator[TensorRow]:
    positions = {"encoder": model.source_positions, "decoder": model.target_positions}
    for side, layer in positions.items():
        name = f"{side}.embed_positions.weight"
        yield TensorRow(name, (layer.embeddings,), inputs=1, positions=OFFSET)
    yield from norm("encoder.layernorm_embedding", model.source_norm.weights)
    yield from norm("decoder.layernorm_embedding", model.target_norm.weights)
    for number, block in enumerate(model.encoder):
        name = f"encoder.layers.{number}"
        yield from _block(name, block, {"self_attn": block.attention})
    for number, block in enumerate(model.decoder):
        heads = {"self_attn": block.self_attention, "encoder_attn": block.cross_attention}
        yield from _block(f"decoder.layers.{number}", block, heads)


def _block(layer: str, block: Any, attentions: dict[str, Any]) -> Iterator[TensorRow]:
    for name, attention in attentions.items():
        weights = attention.weights
        for i, part in enumerate(("q_proj", "k_proj", "v_proj")):
            yield from linear(f"{layer}.{name}.{part}", weights[2 * i : 2 * i + 2])
        yield from linear(f"{layer}.{name}.out_proj", weights[6:], inputs=2)
    norms = [*(f"{name}_layer_norm" for name in attentions), "final_layer_norm"]
    for name, residual in zip(norms, block.residuals, strict=True):
        yield from norm(f"{layer}.{name}", residual.weights)
    yield from linear(f"{layer}.fc1", block.feed_forward.weights[:2])
    yield from linear(f"{layer}.fc2", block.feed_forward.weights[2:])


# --- Task ---


def _text_to_text(checkpoint: Checkpoint, settings: dict[str, Any]) -> TextToText:
    for name in ("max_source_length", "max_target_length"):
        settings.setdefault(name, min(LENGTH, settings["max_sequence_length"]))
    tokenizer = read_tokenizer(checkpoint, _special_tokens(checkpoint))
    return with_weights(TextToText(**settings), tokenizer, lambda model: _load(model, checkpoint))


def _write(task: TextToText) -> CheckpointFiles:
    model, tokenizer = task.model, check_tokenizer(task.tokenizer, ByteBPETokenizer, "BART")
    arrays = tensors([_embedding(model), *_blocks(model)], "model.")
    arrays[BIAS] = keras.ops.convert_to_numpy(model.bias.bias)[None]
    special = tokenizer.special_tokens
    ids = {"bos": special.start, "cls": special.start, "eos": special.end, "sep": special.end}
    ids |= {"pad": special.pad, "unk": special.unknown}
    names = {f"{name}_token": token for name, token in ids.items()}
    files = tokenizer_files(tokenizer, "BartTokenizer", model.max_sequence_length, **names)
    return CheckpointFiles(_written_config(model, tokenizer), arrays, files)


CONVERTER = Converter(
    model="bart",
    architectures=dict.fromkeys(["BartForConditionalGeneration", "BartModel"], TextToText.name),
    settings=_read_config,
    make={TextToText.name: _text_to_text},
    write={TextToText.name: _write},
)
