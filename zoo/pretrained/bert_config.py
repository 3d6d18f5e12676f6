"""The `config.json` of BERT checkpoints, read and written."""

from typing import Any

from zoo.errors import UserError
from zoo.models.bert import OPTIONS, Bert
from zoo.models.transformer_options import check_usual
from zoo.pretrained.activations import activation, their_activation
from zoo.pretrained.bert_tensors import prefix
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.converter import check_supported
from zoo.pretrained.sizes import check_sizes

# The only supported values of keys in `config.json`, which are also the defaults of missing keys.
SUPPORTED = {
    "is_decoder": False,
    "add_cross_attention": False,
    "position_embedding_type": "absolute",
    "tie_word_embeddings": True,
}
SIZES = {
    "vocab_size": ("embeddings.word_embeddings.weight", 0),
    "hidden_size": ("embeddings.word_embeddings.weight", 1),
    "max_position_embeddings": ("embeddings.position_embeddings.weight", 0),
    "type_vocab_size": ("embeddings.token_type_embeddings.weight", 0),
    "intermediate_size": ("encoder.layer.0.intermediate.dense.weight", 0),
    "num_attention_heads": ("encoder.layer.0.attention.self.query.weight", 0),
}
LAYERS = {"num_hidden_layers": "encoder.layer."}


def read_config(checkpoint: Checkpoint) -> dict[str, Any]:
    """Converts the `config.json` of a checkpoint to options of `Bert`.

    Raises:
        UserError: If `Bert` does not support the configuration.
    """
    config = checkpoint.config
    check_supported(checkpoint, SUPPORTED)
    check_sizes(checkpoint, "hidden_size", SIZES, LAYERS, prefix(checkpoint))
    if config.get("pad_token_id", 0) not in (0, None):
        raise UserError(f"pad_token_id must be 0, got {config['pad_token_id']}")
    return {
        "model": "bert",
        "preset": "base",
        "num_layers": config["num_hidden_layers"],
        "hidden_dim": config["hidden_size"],
        "num_heads": config["num_attention_heads"],
        "intermediate_dim": config["intermediate_size"],
        "activation": activation(config.get("hidden_act", "gelu")),
        "dropout": config.get("hidden_dropout_prob", 0.1),
        "attention_dropout": config.get("attention_probs_dropout_prob", 0.1),
        "max_sequence_length": config.get("max_position_embeddings", 512),
        "num_segments": config.get("type_vocab_size", 2),
        "epsilon": config.get("layer_norm_eps", 1e-12),
    }


def written_config(backbone: Bert, pad: int) -> dict[str, Any]:
    """The contents of `config.json` for a model with this backbone.

    Args:
        backbone: The encoder.
        pad: Id of the padding token.
    """
    ours = backbone.get_config()
    check_usual(backbone.options, OPTIONS, "a BERT checkpoint")
    if ours["exact_match"]:
        raise UserError("a BERT checkpoint has no exact_match: train with exact_match=false")
    return {
        "model_type": "bert",
        "vocab_size": ours["vocabulary_size"],
        "num_hidden_layers": ours["num_layers"],
        "hidden_size": ours["hidden_dim"],
        "num_attention_heads": ours["num_heads"],
        "intermediate_size": ours["intermediate_dim"],
        "hidden_act": their_activation(ours["activation"]),
        "hidden_dropout_prob": ours["dropout"],
        "attention_probs_dropout_prob": ours["attention_dropout"],
        "max_position_embeddings": ours["max_sequence_length"],
        "type_vocab_size": ours["num_segments"],
        "layer_norm_eps": ours["epsilon"],
        "pad_token_id": pad,
    }
