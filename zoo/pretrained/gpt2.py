"""The converter between GPT-2 checkpoints of Hugging Face and tasks."""

from collections.abc import Iterator
from typing import Any

import keras

from zoo.errors import UserError
from zoo.models.gpt import GPT, OPTIONS
from zoo.models.prefix_gpt import PrefixGPT
from zoo.models.transformer_options import OF_WEIGHTS, check_usual
from zoo.pretrained.activations import activation, their_activation
from zoo.pretrained.byte_vocabulary import read_tokenizer, special_tokens
from zoo.pretrained.byte_vocabulary_files import tokenizer_files
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.converter import (
    CheckpointFiles,
    Converter,
    T,
    check_supported,
    check_tokenizer,
    with_weights,
)
from zoo.pretrained.sizes import check_sizes
from zoo.pretrained.tensor_map import TensorRow, norm, read, tensors
from zoo.pretrained.tied import check_tied
from zoo.tasks.causal_lm import CausalLM
from zoo.tasks.text_to_text import TextToText
from zoo.text.byte_bpe import ByteBPETokenizer

# The only supported values of keys in `config.json`, which are also the defaults of missing keys.
SUPPORTED = {
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
    "reorder_and_upcast_attn": False,
    "add_cross_attention": False,
    "tie_word_embeddings": True,
}
SIZES = {
    "vocab_size": ("wte.weight", 0),
    "n_embd": ("wte.weight", 1),
    "n_positions": ("wpe.weight", 0),
    "n_inner": ("h.0.mlp.c_fc.weight", 1),
    "n_head": ("h.0.attn.c_proj.weight", 0),
}
LAYERS = {"n_layer": "h."}
END = 50256  # default id of the end token


# --- Configuration ---


def _read_config(checkpoint: Checkpoint) -> dict[str, Any]:
    """Converts the `config.json` of a checkpoint to options of `GPT`.

    Raises:
        UserError: If `GPT` does not support the configuration.
    """
    config = checkpoint.config
    check_supported(checkpoint, SUPPORTED)
    check_sizes(checkpoint, "n_embd", SIZES, LAYERS, _prefix(checkpoint))
    check_tied(checkpoint, f"{_prefix(checkpoint)}wte.weight", "lm_head.weight")
    dropouts = [config.get(key, 0.1) for key in ("embd_pdrop", "resid_pdrop")]
    if dropouts[0] != dropouts[1]:
        raise UserError(f"embd_pdrop and resid_pdrop must be equal, got {dropouts}")
    return {
        "model": "gpt",
        "preset": "gpt2",
        "tokenizer": ByteBPETokenizer.kind,
        "num_layers": config["n_layer"],
        "hidden_dim": config["n_embd"],
        "num_heads": config["n_head"],
        "intermediate_dim": config.get("n_inner") or 4 * config["n_embd"],
        "activation": activation(config.get("activation_function", "gelu_new")),
        "dropout": dropouts[0],
        "attention_dropout": config.get("attn_pdrop", 0.1),
        "max_sequence_length": config.get("n_positions", 1024),
        "epsilon": config.get("layer_norm_epsilon", 1e-5),
    }


def _written_config(model: GPT, tokenizer: ByteBPETokenizer) -> dict[str, Any]:
    ours, special = model.get_config(), tokenizer.special_tokens
    if not ours["pre_norm"] or ours["position"] != "learned":
        raise UserError("a GPT-2 checkpoint requires pre_norm=True and position='learned'")
    check_usual(model.options, OPTIONS, "a GPT-2 checkpoint")
    return {
        "model_type": "gpt2",
        "architectures": ["GPT2LMHeadModel"],
        "vocab_size": ours["vocabulary_size"],
        "n_layer": ours["num_layers"],
        "n_embd": ours["hidden_dim"],
        "n_head": ours["num_heads"],
        "n_inner": ours["intermediate_dim"],
        "activation_function": their_activation(ours["activation"]),
        "embd_pdrop": ours["dropout"],
        "resid_pdrop": ours["dropout"],
        "attn_pdrop": ours["attention_dropout"],
        "n_positions": ours["max_sequence_length"],
        "layer_norm_epsilon": ours["epsilon"],
        "bos_token_id": special.start,
        "eos_token_id": special.end,
        **({"pad_token_id": special.pad} if special.pad >= 0 else {}),
    }


# --- Tensors ---


def _prefix(checkpoint: Checkpoint) -> str:
    """What the names of tensors begin with, in checkpoints of models with heads."""
    return "transformer." if "transformer.wte.weight" in checkpoint else ""


def _rows(model: GPT) -> Iterator[TensorRow]:
    yield TensorRow("wte.weight", (model.embedding.weights[0],), inputs=1)
    positions: Any = model.positions
    yield TensorRow("wpe.weight", (positions.weights[0],), inputs=1, positions=0)
    for number, block in enumerate(model.blocks):
        layer, heads = f"h.{number}", block.attention.weights
        before_attention, before_feed_forward = (residual.weights for residual in block.residuals)
        yield from norm(f"{layer}.ln_1", before_attention)
        yield from _inputs_first(f"{layer}.attn.c_attn", heads[0:6])
        yield from _inputs_first(f"{layer}.attn.c_proj", heads[6:], inputs=2)
        yield from norm(f"{layer}.ln_2", before_feed_forward)
        yield from _inputs_first(f"{layer}.mlp.c_fc", block.feed_forward.weights[:2])
        yield from _inputs_first(f"{layer}.mlp.c_proj", block.feed_forward.weights[2:])
    yield from norm("ln_f", model.norm.weights)


def _inputs_first(name: str, weights: list[keras.Variable], inputs: int = 1) -> Iterator[TensorRow]:
    """Rows for alternating kernels and biases; queries, keys and values share one tensor."""
    yield TensorRow(f"{name}.weight", tuple(weights[::2]), inputs)
    yield TensorRow(f"{name}.bias", tuple(weights[1::2]))


# --- Tasks ---


def _causal_lm(checkpoint: Checkpoint, settings: dict[str, Any]) -> CausalLM:
    settings.setdefault("max_new_tokens", min(64, settings["max_length"] // 2))
    return _loaded(CausalLM(**settings), checkpoint)


def _text_to_text(checkpoint: Checkpoint, settings: dict[str, Any]) -> TextToText:
    settings |= {"model": "prefix_gpt"}
    for limit in ("max_source_length", "max_target_length"):
        settings.setdefault(limit, min(128, settings["max_sequence_length"] // 2))
    return _loaded(TextToText(**settings), checkpoint)


def _loaded(task: T, checkpoint: Checkpoint) -> T:
    """The task with the tokenizer and the weights of the checkpoint."""

    def load(model: GPT | PrefixGPT) -> None:
        gpt = model if isinstance(model, GPT) else model.backbone
        check_usual(gpt.options, OPTIONS, "a GPT-2 checkpoint", OF_WEIGHTS)
        read(checkpoint, _rows(gpt), _prefix(checkpoint))

    return with_weights(task, read_tokenizer(checkpoint, special_tokens(checkpoint, END)), load)


def _write(task: CausalLM) -> CheckpointFiles:
    model, tokenizer = task.model, check_tokenizer(task.tokenizer, ByteBPETokenizer, "GPT-2")
    special = tokenizer.special_tokens
    return CheckpointFiles(
        _written_config(model, tokenizer),
        tensors(_rows(model), "transformer."),
        tokenizer_files(
            tokenizer,
            "GPT2Tokenizer",
            model.max_sequence_length,
            bos_token=special.start,
            eos_token=special.end,
            unk_token=special.end,
            pad_token=special.pad,
        ),
    )


CONVERTER = Converter(
    model="gpt",
    architectures={"GPT2LMHeadModel": CausalLM.name, "GPT2Model": CausalLM.name},
    settings=_read_config,
    make={CausalLM.name: _causal_lm, TextToText.name: _text_to_text},
    write={CausalLM.name: _write},
)
