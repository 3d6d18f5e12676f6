"""The converter between T5 checkpoints of Hugging Face and tasks."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from keras_attn.blocks.feed_forward import GATED
from zoo.errors import UserError
from zoo.models.t5 import OPTIONS, T5
from zoo.models.transformer_options import COMPUTED, OF_WEIGHTS, check_usual
from zoo.pretrained.checkpoint import CONFIG, Checkpoint
from zoo.pretrained.converter import (
    CheckpointFiles,
    Converter,
    check_supported,
    check_tokenizer,
    with_weights,
)
from zoo.pretrained.encoders.tensors import own_weights
from zoo.pretrained.sizes import check_sizes
from zoo.pretrained.t5_tokenizer import read_tokenizer, written_tokenizer
from zoo.pretrained.tensor_map import TensorRow, matrix, read, tensors
from zoo.pretrained.tied import check_tied
from zoo.tasks.text_to_text import TextToText
from zoo.text.unigram import UnigramTokenizer

WORDS, HEAD = "shared.weight", "lm_head.weight"
# Names of the matrix of the embeddings, of which the first that there is counts.
EMBEDDINGS = (WORDS, "encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
ACTIVATIONS = {
    "relu": "relu",
    "gelu_new": "gelu_tanh",
    "gelu": "gelu",
    "gated-gelu": "geglu_tanh",  # which stands for gelu_new
    "gated-gelu_new": "geglu_tanh",
    "gated-silu": "swiglu",
}
WRITTEN = {ours: theirs for theirs, ours in reversed(ACTIVATIONS.items())}
OF_TYING = ("tie_embeddings",)
KEYS = {
    "hidden_dim": "d_model",
    "num_heads": "num_heads",
    "key_dim": "d_kv",
    "intermediate_dim": "d_ff",
    "num_layers": "num_layers",
    "dropout": "dropout_rate",
    "epsilon": "layer_norm_epsilon",
    "relative_attention_num_buckets": "relative_attention_num_buckets",
    "relative_attention_max_distance": "relative_attention_max_distance",
}
# Options of `T5` that a `config.json` may leave out, with their values then.
DEFAULTS = {
    "dropout": 0.1,
    "epsilon": 1e-6,
    "relative_attention_num_buckets": 32,
    "relative_attention_max_distance": 128,
}
SUPPORTED = {"is_decoder": False, "is_encoder_decoder": True}
LONGEST, USUAL = 1 << 20, 512  # tokens: there is no limit, but that of the first checkpoints


def read_config(checkpoint: Checkpoint) -> dict[str, Any]:
    """Converts the `config.json` of a checkpoint to options of `T5`.

    Raises:
        UserError: If `T5` does not support the configuration.
    """
    config, path = checkpoint.config, checkpoint.folder / CONFIG
    check_supported(checkpoint, SUPPORTED)
    name = config.get("feed_forward_proj", "relu")
    if name not in ACTIVATIONS:
        raise UserError(
            f"{path}: feed_forward_proj = {name!r:.40} is not supported; expected one of "
            f"{', '.join(ACTIVATIONS)}"
        )
    words, first = _words(checkpoint), "encoder.block.0.layer"
    expand = "wi_0" if ACTIVATIONS[name] in GATED else "wi"
    sizes = {
        "vocab_size": (words, 0),
        "d_model": (words, 1),
        "d_ff": (f"{first}.1.DenseReluDense.{expand}.weight", 0),
        "d_kv": (f"{first}.0.SelfAttention.q.weight", 0),
    }
    layers = {"num_layers": "encoder.block.", "num_decoder_layers": "decoder.block."}
    check_sizes(checkpoint, "d_model", sizes, layers)
    scaled = config.get("tie_word_embeddings") is not False
    scaled = config.get("scale_decoder_outputs", scaled)
    if not isinstance(scaled, bool):
        raise UserError(f"{path}: scale_decoder_outputs must be true or false, got {scaled!r:.40}")
    if scaled:
        check_tied(checkpoint, words, HEAD)
    options = {
        ours: config.get(theirs, DEFAULTS[ours]) if ours in DEFAULTS else config[theirs]
        for ours, theirs in KEYS.items()
    }
    return {
        "model": "t5",
        "preset": "base",
        "tokenizer": UnigramTokenizer.kind,
        **options,
        "num_decoder_layers": config.get("num_decoder_layers"),
        "activation": ACTIVATIONS[name],
        "attention_dropout": options["dropout"],
        "scale_logits": scaled,
        "tie_embeddings": _is_tied(checkpoint),
        "max_sequence_length": LONGEST,
        "usual_length": USUAL,
    }


def _words(checkpoint: Checkpoint) -> str:
    """The name of the matrix of the embeddings."""
    return next((name for name in EMBEDDINGS if name in checkpoint), WORDS)


def _is_tied(checkpoint: Checkpoint) -> bool:
    """Whether logits have the matrix of the embeddings: without one, or with a copy of it."""
    if HEAD not in checkpoint:
        return True
    return np.array_equal(checkpoint.tensor(HEAD), checkpoint.tensor(_words(checkpoint)))


def _written_config(model: T5, tokenizer: UnigramTokenizer) -> dict[str, Any]:
    ours = model.get_config()
    computed = [name for name in COMPUTED if name not in OF_TYING]
    check_usual(model.options, OPTIONS, "a T5 checkpoint", computed)
    if ours["activation"] not in WRITTEN:
        raise UserError(f"T5 of Hugging Face's library has no activation {ours['activation']!r}")
    special, tied = tokenizer.special_tokens, model.options.tie_embeddings
    if ours["scale_logits"] and not tied:
        raise UserError("a T5 checkpoint with scale_logits requires tie_embeddings")
    width = ours["hidden_dim"] // ours["num_heads"]
    values = {**ours, "key_dim": ours["key_dim"] or width}
    return {
        "model_type": "t5",
        "architectures": ["T5ForConditionalGeneration"],
        "is_encoder_decoder": True,
        "vocab_size": ours["vocabulary_size"],
        **{theirs: values[name] for name, theirs in KEYS.items()},
        "num_decoder_layers": ours["num_decoder_layers"] or ours["num_layers"],
        "feed_forward_proj": WRITTEN[ours["activation"]],
        "tie_word_embeddings": ours["scale_logits"],
        "scale_decoder_outputs": ours["scale_logits"],
        "pad_token_id": special.pad,
        "eos_token_id": special.end,
        "decoder_start_token_id": special.first_read,
    }


# --- Tensors ---


def _load(model: T5, checkpoint: Checkpoint) -> None:
    names = [name for name in OF_WEIGHTS if name not in OF_TYING]
    check_usual(model.options, OPTIONS, "a T5 checkpoint", names)
    read(checkpoint, [TensorRow(_words(checkpoint), (model.embedding.embeddings,), inputs=1)])
    if not model.embedding.tie_weights:
        # One that computes logits with the embeddings begins with a copy of them.
        name = HEAD if HEAD in checkpoint else _words(checkpoint)
        read(checkpoint, [matrix(name, model.embedding.reverse_embeddings)])
    elif not _is_tied(checkpoint):
        raise UserError(f"{checkpoint.folder}: {HEAD} requires tie_embeddings=false")
    read(checkpoint, _blocks(model))


def _blocks(model: T5) -> Iterator[TensorRow]:
    for side, bias in (("encoder", model.source_bias), ("decoder", model.target_bias)):
        name = f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        yield TensorRow(name, (bias.biases,), inputs=1)
    for number, block in enumerate(model.encoder):
        layers = [("SelfAttention", own_weights(block.attention, model.source_bias))]
        yield from _block(f"encoder.block.{number}", block, layers)
    for number, block in enumerate(model.decoder):
        layers = [
            ("SelfAttention", own_weights(block.self_attention, model.target_bias)),
            ("EncDecAttention", block.cross_attention.weights),
        ]
        yield from _block(f"decoder.block.{number}", block, layers)
    for side, norm in (("encoder", model.source_norm), ("decoder", model.target_norm)):
        yield TensorRow(f"{side}.final_layer_norm.weight", (norm.weights[0],))


def _block(name: str, block: Any, attentions: list[tuple[str, Any]]) -> Iterator[TensorRow]:
    for number, (kind, weights) in enumerate(attentions):
        for part, weight in zip("qkv", weights[:3], strict=True):
            yield matrix(f"{name}.layer.{number}.{kind}.{part}.weight", weight)
        yield matrix(f"{name}.layer.{number}.{kind}.o.weight", weights[3], inputs=2)
    last = f"{name}.layer.{len(attentions)}.DenseReluDense"
    expand, contract = block.feed_forward.weights
    if block.feed_forward.activation in GATED:  # the second half is the gate of the first one
        yield matrix(f"{last}.wi_1.weight", expand, part=(0, 2))
        yield matrix(f"{last}.wi_0.weight", expand, part=(1, 2))
    else:
        yield matrix(f"{last}.wi.weight", expand)
    yield matrix(f"{last}.wo.weight", contract)
    for number, residual in enumerate(block.residuals):
        yield TensorRow(f"{name}.layer.{number}.layer_norm.weight", (residual.weights[0],))


# --- Task ---


def _text_to_text(checkpoint: Checkpoint, settings: dict[str, Any]) -> TextToText:
    del settings["max_sequence_length"]  # there are no positions
    settings = {"max_source_length": USUAL, "max_target_length": USUAL // 4, **settings}
    tokenizer = read_tokenizer(checkpoint)
    return with_weights(TextToText(**settings), tokenizer, lambda model: _load(model, checkpoint))


def _write(task: TextToText) -> CheckpointFiles:
    model, tokenizer = task.model, check_tokenizer(task.tokenizer, UnigramTokenizer, "T5")
    arrays = tensors([TensorRow(WORDS, (model.embedding.embeddings,), inputs=1), *_blocks(model)])
    if not model.embedding.tie_weights:
        arrays |= tensors([matrix(HEAD, model.embedding.reverse_embeddings)])
    files = written_tokenizer(tokenizer, task.settings.max_source_length)
    return CheckpointFiles(_written_config(model, tokenizer), arrays, files)


CONVERTER = Converter(
    model="t5",
    architectures=dict.fromkeys(["T5ForConditionalGeneration", "T5Model"], TextToText.name),
    settings=read_config,
    make={TextToText.name: _text_to_text},
    write={TextToText.name: _write},
)
