"""The check that a layer has the methods of a protocol."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any


def check_methods(
    layer: Any, argument: str, protocol: type, methods: Iterable[Callable[..., Any]]
) -> None:
    """Checks that a layer can be called as a protocol says.

    Args:
        layer: The layer.
        argument: Name of the argument that it was given as, for the message.
        protocol: The protocol, which `keras_attn` exports.
        methods: The methods of the protocol that not every Keras layer has.

    Raises:
        ValueError: If it cannot. The message says which methods are missing.

    Example:
        >>> import keras
        >>> class Protocol:
        ...     def step(self, query, count=None): ...
        >>> check_methods(keras.layers.Dense(5), "attention", Protocol, [Protocol.step])
        Traceback (most recent call last):
        ValueError: attention must be a layer with the methods of keras_attn.Protocol; Dense \
lacks step(query, count=None).
    """
    missing = []
    for method in methods:
        wanted = [*inspect.signature(method).parameters.values()][1:]  # without self
        if not _accepts(getattr(layer, method.__name__, None), wanted):
            missing.append(f"{method.__name__}({', '.join(_as_text(p) for p in wanted)})")
    if missing:
        listed = " and ".join([", ".join(missing[:-1]), missing[-1]] if missing[1:] else missing)
        raise ValueError(
            f"{argument} must be a layer with the methods of keras_attn.{protocol.__name__}; "
            f"{type(layer).__name__} lacks {listed}."
        )


def _as_text(parameter: inspect.Parameter) -> str:
    has_default = parameter.default is not parameter.empty
    return f"{parameter.name}={parameter.default}" if has_default else parameter.name


def _accepts(method: Any, wanted: list[inspect.Parameter]) -> bool:
    """Whether a method can be called so: what has a default is given by keyword."""
    if not callable(method):
        return False
    required = [p.name for p in wanted if p.default is p.empty]
    options = {p.name: p.default for p in wanted if p.default is not p.empty}
    try:
        inspect.signature(method).bind(*required, **options)
    except TypeError:
        return False
    return True
