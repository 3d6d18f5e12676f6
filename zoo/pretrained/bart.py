"""BART: its configuration and its tensors under Hugging Face's names and under ours."""

from collections.abc import Iterator
from typing import Any

from zoo.errors import UserError
from zoo.models.bart import Bart
from zoo.pretrained.activations import activation
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.rows import Row, linear, norm, read

OFFSET = 2  # rows of a table of positions before that of the first one
EMBEDDINGS = ("shared", "encoder.embed_tokens", "decoder.embed_tokens")  # all the same tensor


def bart_config(config: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `Bart` that a `config.json` stands for.

    Raises:
        UserError: If it asks for what `Bart` has not.
    """
    if config.get("scale_embedding"):
        raise UserError("scale_embedding is not supported; it must be false")
    for ours, theirs in (("num_heads", "attention_heads"), ("hidden_width", "ffn_dim")):
        sizes = [config[f"{side}_{theirs}"] for side in ("encoder", "decoder")]
        if sizes[0] != sizes[1]:
            raise UserError(f"{ours} must be the same in encoder and decoder, got {sizes}")
    return {
        "num_layers": config["encoder_layers"],
        "num_decoder_layers": config["decoder_layers"],
        "width": config["d_model"],
        "num_heads": config["encoder_attention_heads"],
        "hidden_width": config["encoder_ffn_dim"],
        "activation": activation(config.get("activation_function", "gelu")),
        "dropout": config.get("dropout", 0.1),
        "attention_dropout": config.get("attention_dropout", 0.0),
        "max_length": config.get("max_position_embeddings", 1024),
    }


def load_model(model: Bart, checkpoint: Checkpoint) -> None:
    """Gives a `Bart` the checkpoint's weights; the ids of its tokens are the checkpoint's.

    Raises:
        UserError: If a tensor is missing or has another shape.
    """
    # Models with heads keep encoder and decoder under a name of their own.
    prefix = "model." if "model.encoder.layernorm_embedding.weight" in checkpoint else ""
    names = [name for name in EMBEDDINGS if f"{prefix}{name}.weight" in checkpoint]
    name = names[0] if names else EMBEDDINGS[0]
    embedding = Row(f"{name}.weight", (model.embedding.weights[0],), inputs=1)
    read(checkpoint, [embedding, *_blocks(model)], prefix)
    if "final_logits_bias" in checkpoint:
        model.bias.bias.assign(checkpoint.tensor("final_logits_bias")[0])


def _blocks(model: Bart) -> Iterator[Row]:
    positions = {"encoder": model.source_positions, "decoder": model.target_positions}
    for side, layer in positions.items():
        name = f"{side}.embed_positions.weight"
        yield Row(name, (layer.embeddings,), inputs=1, positions=OFFSET)
    yield from norm("encoder.layernorm_embedding", model.source_norm.weights)
    yield from norm("decoder.layernorm_embedding", model.target_norm.weights)
    for number, block in enumerate(model.encoder):
        name = f"encoder.layers.{number}"
        yield from _block(name, block, {"self_attn": block.attention})
    for number, block in enumerate(model.decoder):
        heads = {"self_attn": block.self_attention, "encoder_attn": block.cross_attention}
        yield from _block(f"decoder.layers.{number}", block, heads)


def _block(layer: str, block: Any, attentions: dict[str, Any]) -> Iterator[Row]:
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
