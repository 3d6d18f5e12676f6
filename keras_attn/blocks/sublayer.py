"""Layers that a block is given, and copies."""

from dataclasses import dataclass
from typing import Any

import keras


@dataclass(frozen=True)
class Sublayer:
    """A layer that a block was given as an argument, of which it builds copies.

    The given layer is neither built nor changed: each block has weights of its own, even if two
    are given the same layer. A copy has the configuration of the layer.

    Args:
        layer: A copy of the given layer, which is never built.

    Example:
        >>> dense = keras.layers.Dense(5)
        >>> one, other = (Sublayer.of(dense, "feed_forward").new() for _ in range(2))
        >>> one is other, one.units
        (False, 5)
    """

    layer: keras.Layer

    @classmethod
    def of(cls, given: Any, argument: str) -> "Sublayer":
        """Takes a layer, or its serialized form.

        Args:
            given: A layer without weights, or what `keras.saving.serialize_keras_object` returned
                for one.
            argument: Name of the argument, for messages.

        Raises:
            ValueError: If it is not a layer, or already has weights, which would not be copied.
        """
        if isinstance(given, dict):
            # Without the shapes that the layer was built with, so that it is not built.
            of_class = {key: given[key] for key in given if key != "build_config"}
            given = keras.saving.deserialize_keras_object(of_class)
        if not isinstance(given, keras.Layer):
            raise ValueError(f"{argument} must be a layer; received {given!r}.")
        if given.weights:
            raise ValueError(
                f"{argument} must be a layer without weights, since each block builds a copy of "
                f"its own; received {given.name!r}, which has been built."
            )
        return cls(_copied(given))

    def new(self) -> Any:
        """Returns a new layer with the same configuration."""
        return _copied(self.layer)

    def config(self, copy: keras.Layer | None = None) -> dict[str, Any]:
        """Returns the serialized form.

        Args:
            copy: The copy that the block uses, whose policy is taken, and those of the layers in
                it, such as of a `keras.Sequential`: they may be quantized.
        """
        serialized: dict[str, Any] = keras.saving.serialize_keras_object(self.layer)
        if copy is not None and copy.built:
            used = keras.saving.serialize_keras_object(copy)
            serialized["config"] = _with_policies(serialized["config"], used["config"])
        return serialized


def _with_policies(own: Any, used: Any) -> Any:
    """A configuration with the policies of another one of the same layers.

    Example:
        >>> _with_policies({"units": 5, "dtype": "float32"}, {"units": 5, "dtype": "bfloat16"})
        {'units': 5, 'dtype': 'bfloat16'}
    """
    if isinstance(own, dict) and isinstance(used, dict):
        policy = {"dtype": used["dtype"]} if own.keys() & used.keys() & {"dtype"} else {}
        return {key: _with_policies(x, used.get(key)) for key, x in own.items()} | policy
    if isinstance(own, list) and isinstance(used, list):
        used = [x for x in used if not _is_input(x)]  # which built models have
        if len(own) == len(used):
            return [_with_policies(a, b) for a, b in zip(own, used, strict=True)]
    return own


def _is_input(config: Any) -> bool:
    return isinstance(config, dict) and config.get("class_name") == "InputLayer"


def _copied(layer: keras.Layer) -> keras.Layer:
    return type(layer).from_config(layer.get_config())
