"""Refusal of ragged and sparse tensors, which operations read as if they were dense.

A ragged tensor of rows of the lengths 1 and 3 would be computed as two rows of the length 2, and no
error would tell. A mask says the same to every layer, on every backend and in every exported file.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, Protocol, TypeVar, runtime_checkable

import keras

from keras_attn.articles import with_article

P = ParamSpec("P")
R = TypeVar("R")


@runtime_checkable
class _HasShape(Protocol):
    """A tensor of any kind."""

    @property
    def shape(self) -> Any: ...


@runtime_checkable
class _Dense(Protocol):
    """A tensor that NumPy reads as an array, which ragged and sparse ones of no library are."""

    def __array__(self) -> Any: ...


def check_dense(given: Mapping[str, Any]) -> None:
    """Checks that the arguments of a call hold dense tensors only.

    Args:
        given: Arguments by name, also nested in lists and dicts. What is no tensor is not checked.

    Raises:
        ValueError: If one is a ragged or a sparse tensor.

    Example:
        >>> check_dense({"sequences": keras.Input((None, 7), ragged=True)})
        Traceback (most recent call last):
        ValueError: sequences must be a dense tensor (pad ragged rows, and pass a mask); received a
        ragged KerasTensor.
    """
    for path, x in keras.tree.flatten_with_path(dict(given)):
        kind = _kind(x)
        if kind:
            raise ValueError(
                f"{_name(path)} must be a dense tensor (pad ragged rows, and pass a mask); "
                f"received {with_article(kind)}."
            )


def dense_only(function: Callable[P, R]) -> Callable[P, R]:
    """Decorates a function whose arguments must be dense tensors; see `check_dense`.

    Example:
        >>> @dense_only
        ... def double(x):
        ...     return 2 * x
        >>> double(3)
        6
    """

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        check_dense(arguments_by_name(function, args, kwargs))
        return function(*args, **kwargs)

    return checked


def arguments_by_name(
    function: Callable, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a call by name, without defaults.

    Example:
        >>> arguments_by_name(lambda x, y: None, (2,), {"y": 3})
        {'x': 2, 'y': 3}
    """
    code = function.__code__
    return dict(zip(code.co_varnames[: code.co_argcount], args, strict=False)) | dict(kwargs)


def _kind(x: Any) -> str:
    """What to call a tensor that is not dense; empty for everything else."""
    if isinstance(x, keras.KerasTensor):
        # Keras calls the product of a dense tensor and a number sparse, which tells nothing here;
        # a sparse input is refused when the model is called.
        return "ragged KerasTensor" if x.ragged else ""
    if keras.backend.backend() == "torch" and keras.ops.is_tensor(x):
        is_dense = str(x.layout) == "torch.strided" and not x.is_nested
        return "" if is_dense else f"{'nested' if x.is_nested else 'sparse'} Tensor"
    is_dense = isinstance(x, _Dense) or not isinstance(x, _HasShape)
    return "" if is_dense else type(x).__name__


def _name(path: tuple) -> str:
    """What a message calls an argument: a value of a dict by its own name, as it stands there."""
    name = ""
    for step in path:
        name = step if isinstance(step, str) else f"{name}[{step}]"
    return name
