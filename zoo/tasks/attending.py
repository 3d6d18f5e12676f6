"""The attention maps of a task: the signature of its artifacts, and the maps of one input."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from keras import ops

from zoo.attention_map import AttentionMap
from zoo.errors import UserError
from zoo.models.attending import (
    CROSS,
    DECODER,
    EDGES,
    ENCODER,
    SENTENCES,
    WORDS,
)
from zoo.serving.inference import Inference, Tensors

ATTENTION = "attention"  # name of the signature
PURPOSE = "Shows where each token looks, in every layer and head."
_WEIGHTS = "the attention weights of a layer, for each head and each"
MEANINGS = {
    ENCODER: f"{_WEIGHTS} token, over all tokens",
    DECODER: f"{_WEIGHTS} token, over the tokens up to it",
    CROSS: f"{_WEIGHTS} generated id, over the source",
    WORDS: "the attention weight of each word among those of its sentence",
    SENTENCES: "the attention weight of each sentence among those of the document",
    EDGES: "the attention weights of a layer on each edge, for each head",
}
GENERATED = f"{_WEIGHTS} generated id, over the start token and the ids generated before"

Tokens = Mapping[str, tuple[list[str], list[str]]]  # of rows and columns, by part


def _name(part: str, layer: int) -> str:
    return f"{part}_{layer}"


def map_names(model: Any) -> dict[str, str]:
    """The name of the map of each layer, such as "encoder_0", with its part."""
    return {
        _name(part, layer): part
        for part, count in model.attention_layers.items()
        for layer in range(count)
    }


def layers_of(names: Iterable[str]) -> dict[str, int]:
    """The number of layers of each part whose maps have these names; others are ignored.

    Example:
        >>> layers_of(["encoder_0", "encoder_1", "cross_0", "token_ids", "scores_0"])
        {'encoder': 2, 'cross': 1}
    """
    parts = [name.rpartition("_")[0] for name in names]
    return {part: parts.count(part) for part in dict.fromkeys(parts) if part in MEANINGS}


def named_maps(maps: Mapping[str, Sequence[Any]], rows: Mapping[str, Any]) -> Tensors:
    """The maps of a model by name, with zeros in rows of padding.

    Args:
        maps: The attention weights (B, H, T, S) of each layer, by part.
        rows: bool tensors (B, T), False at rows of padding, by part.
    """
    return {
        _name(part, layer): ops.where(ops.expand_dims(rows[part], (1, 3)), weights, 0.0)
        for part, layers in maps.items()
        for layer, weights in enumerate(layers)
    }


def self_attention(
    model: Any, features: Mapping[str, Any], prepare: Callable[[Tensors], Tensors]
) -> dict[str, Inference]:
    """The inference of the maps of a model that attends to its input only.

    Args:
        model: A model with the input `padding_mask`.
        features: Spec of each feature.
        prepare: Function from features to the inputs of the model.

    Returns:
        The inference by its name; nothing if the model shows no attention.
    """

    def compute(inputs: Tensors) -> Tensors:
        rows = dict.fromkeys(model.attention_layers, inputs["padding_mask"])
        return named_maps(model.attention_maps(inputs), rows)

    outputs = dict.fromkeys(map_names(model), ("batch", None, "length", "length"))
    return {ATTENTION: Inference(features, prepare, compute, outputs)} if outputs else {}


def choose_part(model: Any, part: str | None) -> str:
    """The part of a model to show: the given one, or else the last that the model has.

    Raises:
        UserError: If the model does not have the part.
    """
    parts = list(model.attention_layers)
    if part is None:
        return parts[-1]
    if part not in parts:
        raise UserError(f"part must be one of {', '.join(parts)} for {model.name}; got {part!r}")
    return part


def labeled_maps(outputs: Mapping[str, Any], tokens: Tokens) -> dict[str, list[AttentionMap]]:
    """The maps of each part that has some, with their tokens, from the outputs for one input."""
    maps: dict[str, list[AttentionMap]] = {}
    for part, (rows, columns) in tokens.items():
        while (name := _name(part, len(maps.get(part, [])))) in outputs:
            weights = outputs[name][0][:, : len(rows), : len(columns)]
            maps.setdefault(part, []).append(AttentionMap(weights, columns, rows, name))
    return maps
