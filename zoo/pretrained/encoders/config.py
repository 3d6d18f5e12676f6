"""The `config.json` of the checkpoints of encoders, read and written."""

from typing import Any

from zoo.errors import UserError
from zoo.models.bert import Bert
from zoo.models.transformer_options import check_usual
from zoo.pretrained.activations import activation, their_activation
from zoo.pretrained.checkpoint import CONFIG, Checkpoint
from zoo.pretrained.converter import check_supported
from zoo.pretrained.encoders.family import SUPPORTED, WORDS, Family
from zoo.pretrained.sizes import check_sizes

# Options of `Bert` that a `config.json` may leave out, with their values then.
DEFAULTS = {
    "activation": "gelu",
    "dropout": 0.1,
    "attention_dropout": 0.1,
    "max_sequence_length": 512,
    "num_segments": 2,
    "relative_attention_num_buckets": 32,
    "embedding_size": 128,
    "epsilon": 1e-12,
}


def read_config(family: Family, checkpoint: Checkpoint) -> dict[str, Any]:
    """Converts the `config.json` of a checkpoint to options of `Bert`.

    Raises:
        UserError: If `Bert` does not support the configuration.
    """
    if family.layout is not None:
        return family.layout.read_config(checkpoint)
    config = checkpoint.config
    check_supported(checkpoint, SUPPORTED | dict(family.supported))
    _check_sizes(family, checkpoint)
    unused = family.unused_positions(padding_of(family, checkpoint))
    options = {
        ours: config.get(theirs, DEFAULTS[ours]) if ours in DEFAULTS else config[theirs]
        for ours, theirs in family.keys.items()
    }
    if options.get("embedding_size") == options["hidden_dim"]:
        options["embedding_size"] = None
    positions = options["max_sequence_length"] - unused
    if positions < 1:
        key = family.keys["max_sequence_length"]
        raise UserError(
            f"{checkpoint.folder / CONFIG}: {key} must be more than {unused}, the rows that "
            f"{family.name} leaves for padding; got {options['max_sequence_length']}"
        )
    changed = {"activation": activation(options["activation"]), "max_sequence_length": positions}
    return {"model": "bert", "preset": "base", **options, **changed, **family.options}


def padding_of(family: Family, checkpoint: Checkpoint) -> int:
    """The id of the padding token of a checkpoint.

    Raises:
        UserError: If the models of the family cannot have it.
    """
    pad = checkpoint.config.get("pad_token_id", family.pad)
    if family.layout is not None:  # no position depends on it, and the tokenizer has its id
        return family.pad
    if not family.positions_after_padding:
        if pad not in (family.pad, None):
            raise UserError(f"pad_token_id must be {family.pad}, got {pad}")
        return family.pad
    rows = checkpoint.config["vocab_size"]
    if type(pad) is not int or not 0 <= pad < rows:
        raise UserError(
            f"{checkpoint.folder / CONFIG}: pad_token_id must be an id of the {rows} rows of the "
            f"embedding, got {pad!r:.40}"
        )
    return pad


def _check_sizes(family: Family, checkpoint: Checkpoint) -> None:
    keys, block = family.keys, family.block
    query, expand = (f"{block.blocks}0.{each}.weight" for each in (block.query, block.expand))
    tables = {
        "vocab_size": (WORDS, 0),
        keys["max_sequence_length"]: ("embeddings.position_embeddings.weight", 0),
    }
    if "num_segments" in keys:
        tables[keys["num_segments"]] = ("embeddings.token_type_embeddings.weight", 0)
    sizes = {
        keys["hidden_dim"]: (query, 1),
        keys["intermediate_dim"]: (expand, 0),
        keys["num_heads"]: (query, 0),
    }
    layers, prefix = {keys["num_layers"]: block.blocks}, family.prefix_in(checkpoint)
    if "embedding_size" in keys:
        width = keys["embedding_size"]
        check_sizes(checkpoint, width, {**tables, width: (WORDS, 1)}, {}, prefix)
    else:
        sizes |= tables
    check_sizes(checkpoint, keys["hidden_dim"], sizes, layers, prefix)


def written_config(family: Family, backbone: Bert, pad: int) -> dict[str, Any]:
    """The contents of `config.json` for a model with this backbone.

    Args:
        family: The family.
        backbone: The encoder.
        pad: Id of the padding token.

    Raises:
        UserError: If the models of the family have other options.
    """
    ours = backbone.get_config()
    check_usual(backbone.options, family.usual, family.a_checkpoint)
    family.check_options(ours)
    if family.layout is not None:
        own = {"model_type": family.model_type, "pad_token_id": pad}
        return {**own, **family.layout.written_config(backbone)}
    positions = ours["max_sequence_length"] + family.unused_positions(pad)
    changed = {
        "activation": their_activation(ours["activation"]),
        "max_sequence_length": positions,
        "embedding_size": backbone.embedding_size,
    }
    values = {**ours, **changed}
    return {
        "model_type": family.model_type,
        "vocab_size": ours["vocabulary_size"],
        **{theirs: values[ours] for ours, theirs in family.keys.items()},
        "pad_token_id": pad if family.positions_after_padding else family.pad,
    }
