"""The parts that the converters of Llama, of Gemma and of their relatives share."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from zoo.errors import UserError
from zoo.models.llama import OPTIONS, Llama
from zoo.models.transformer_options import OF_WEIGHTS, TransformerOptions, check_usual
from zoo.pretrained.checkpoint import CONFIG, Checkpoint
from zoo.pretrained.converter import with_weights
from zoo.pretrained.decoder_rows import block_rows
from zoo.pretrained.sizes import check_sizes
from zoo.pretrained.tensor_map import Rows, TensorRow, matrix, read
from zoo.pretrained.tied import check_tied
from zoo.tasks.causal_lm import CausalLM
from zoo.text.tokenizer import Tokenizer

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


def check_tensors(checkpoint: Checkpoint, tied: bool) -> None:
    """Checks that no size is greater than the tensors are, and that a tied head is the embedding.

    Args:
        checkpoint: The checkpoint.
        tied: Whether its configuration says that they are tied.

    Raises:
        UserError: If it is so.
    """
    check_sizes(checkpoint, "hidden_size", SIZES, LAYERS)
    if tied:
        check_tied(checkpoint, EMBEDDING, HEAD)


def max_positions(checkpoint: Checkpoint, default: int) -> int:
    """The number of positions of a checkpoint.

    Args:
        checkpoint: The checkpoint.
        default: Their number if `config.json` does not say it.

    Raises:
        UserError: If it is no integer, or out of bounds.
    """
    positions = checkpoint.config.get("max_position_embeddings", default)
    if type(positions) is not int or not 1 <= positions <= MAX_POSITIONS:
        raise UserError(
            f"{checkpoint.folder / CONFIG}: max_position_embeddings must be an integer from 1 to "
            f"{MAX_POSITIONS:,}, got {positions!r:.40}"
        )
    return positions


def usual(options: TransformerOptions) -> TransformerOptions:
    """The options of a checkpoint, which may have grouped heads and a matrix of the logits."""
    return replace(
        OPTIONS,
        num_key_value_heads=options.num_key_value_heads,
        tie_embeddings=options.tie_embeddings,
    )


def decoder_rows(model: Llama, norms: Sequence[str], offset: float = 0.0) -> Iterator[TensorRow]:
    """Rows for the weights of a model.

    Args:
        model: The model.
        norms: See `block_rows`.
        offset: See `block_rows`.
    """
    embedding, *head = model.embedding.weights
    yield TensorRow(EMBEDDING, (embedding,), inputs=1)
    for number, block in enumerate(model.blocks):
        yield from block_rows(f"model.layers.{number}", block, norms, offset)
    yield TensorRow("model.norm.weight", tuple(model.norm.weights), offset=offset)
    if head:
        yield matrix(HEAD, head[0])


def causal_lm(
    checkpoint: Checkpoint,
    settings: dict[str, Any],
    tokenizer: Tokenizer,
    rows: Callable[[Llama], Rows],
    what: str,
) -> CausalLM:
    """A language model with the tokenizer, the chat template and the weights of a checkpoint.

    Args:
        checkpoint: The checkpoint.
        settings: Settings of the task and options of the model.
        tokenizer: The tokenizer of the checkpoint.
        rows: Function from a model to its rows.
        what: What the checkpoint is, such as "a Llama checkpoint".
    """
    own = {
        "max_new_tokens": min(64, settings["max_length"] // 2),
        "chat_template": checkpoint.chat_template(),
    }

    def load(model: Llama) -> None:
        check_usual(model.options, usual(model.options), what, OF_WEIGHTS)
        read(checkpoint, rows(model))

    return with_weights(CausalLM(**{**own, **settings}), tokenizer, load)
