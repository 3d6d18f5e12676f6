"""The table of differences from Keras: arguments that are not as there, and why."""

from collections.abc import Iterator

from tests.contract.keras_signatures import REASONS, REPLACES, Difference, differences

PLACES = {"__init__": "constructor", "call": "`call`"}


def replaced_layer(layer: type) -> str | None:
    """The name of the Keras layer that a layer replaces, or None.

    Example:
        >>> import keras_attn
        >>> replaced_layer(keras_attn.Elman), replaced_layer(keras_attn.Jordan)
        ('keras.layers.SimpleRNN', None)
    """
    theirs = REPLACES.get(layer)
    return None if theirs is None else f"keras.layers.{theirs.__name__}"


def rows() -> Iterator[list[str]]:
    """For each layer, its Keras layer, and what differs: place, arguments, reason."""
    for ours, theirs in sorted(REPLACES.items(), key=lambda pair: pair[0].__name__):
        names = [f"[`{ours.__name__}`](layers/{ours.__name__}.md)", f"`{theirs.__name__}`"]
        groups: dict[tuple[str, str], list[str]] = {}
        for each in differences(ours, theirs):
            groups.setdefault((each.method, REASONS[each[:3]]), []).append(_argument(each))
        if not groups:
            yield [*names, "none", "", ""]
        for (method, why), arguments in groups.items():
            yield [*names, PLACES[method], ", ".join(dict.fromkeys(arguments)), why]


def _argument(each: Difference) -> str:
    return f"`{each.argument}`"
