"""Layers that check the tensors they are called with."""

from typing import Any, ClassVar

import keras

from keras_attn.articles import with_article
from keras_attn.dense_only import arguments_by_name, check_dense


class CheckedLayer(keras.layers.Layer):
    """Layer that checks the axes and dtypes of its inputs before it is built or called.

    Subclasses name the axes of each tensor argument of `call`, as in `{"query": "B T D",
    "query_mask": "B T"}`. Arguments whose names end in "mask" are masks of any dtype, the others
    float tensors, unless the axes begin with "int". The same letter stands for the same size, "*"
    behind a letter also allows the size 1, and "..." or "T..." stands for any number of axes, the
    same ones wherever it stands. `build` may store the widths of inputs that weights depend on in
    `self._widths`.

    Source: the `InputSpec` of Keras, which checks the rank of the first input only.
    Formula: `shape(x) = axes(x)` for each input x

    Args:
        **kwargs: Keyword arguments of `keras.layers.Layer`.

    Inputs: Those of the subclass.
    Outputs: Those of the subclass.

    Raises:
        ValueError: If an input does not have the axes or the dtype, or is ragged or sparse.

    Example:
        >>> from keras import ops
        >>> class Add(CheckedLayer):
        ...     axes = {"x": "B T D", "y": "B T D"}
        ...
        ...     def call(self, x, y):
        ...         return x + y
        >>> Add()(ops.ones((3, 5, 11)), ops.ones((3, 7)))
        Traceback (most recent call last):
        ValueError: y must be a float tensor (B, T, D) with B=3, T=5, D=11; received float32 (3, 7).
    """

    axes: ClassVar[dict[str, str]] = {}
    _widths: dict[str, int] | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = arguments_by_name(type(self).call, (self, *args), kwargs)
        del given["self"]
        check_dense(given)
        self.check(given)
        return super().__call__(*args, **kwargs)

    def check(self, given: dict[str, Any]) -> None:
        """Checks the arguments of a call, by name."""
        check_inputs(self.axes, given, self._widths or {})


def check_inputs(axes: dict[str, str], given: dict[str, Any], widths: dict[str, int]) -> None:
    """Checks the axes and the dtypes of tensors.

    Args:
        axes: Axes by name, as in `CheckedLayer`.
        given: Tensors by name; those that are missing or None are not checked.
        widths: Sizes of the last axes by name, where they are known beforehand.

    Raises:
        ValueError: If a tensor does not have the axes, the dtype or the width.

    Example:
        >>> check_inputs({"x": "B T"}, {"x": keras.ops.ones((3, 5))}, {})
    """
    sizes: dict[str, Any] = {}
    for name, text in axes.items():
        x = given.get(name)
        if x is None or getattr(getattr(x, "shape", None), "rank", 0) is None:
            continue
        *kind, letters = text.split(" ", 1) if text.startswith("int ") else (text,)
        tokens = letters.split()
        updated = dict(sizes)
        if not (_has_dtype(x, name, kind) and _has_axes(x, tokens, updated)):
            raise ValueError(_message(name, kind, tokens, sizes, x))
        sizes = updated
        width = widths.get(name)
        if width is not None and x.shape[-1] not in (None, width):
            raise ValueError(
                f"{name} must have the width {width} that the layer was built for; "
                f"received {_description(x)}."
            )


def _has_dtype(x: Any, name: str, kind: list[str]) -> bool:
    if not hasattr(x, "shape") or not hasattr(x, "dtype"):
        return False
    dtype = keras.backend.standardize_dtype(x.dtype)
    if name.endswith("mask"):
        return True
    return keras.backend.is_int_dtype(dtype) if kind else keras.backend.is_float_dtype(dtype)


def _has_axes(x: Any, tokens: list[str], sizes: dict[str, Any]) -> bool:
    """Whether x has the axes; adds the sizes of new letters."""
    shape = tuple(x.shape)
    several = [i for i, token in enumerate(tokens) if token.endswith("...")]
    if several:
        (start,) = several
        stop = len(shape) - (len(tokens) - start - 1)
        if stop < start or sizes.setdefault(tokens[start], shape[start:stop]) != shape[start:stop]:
            return False
        shape, tokens = shape[:start] + shape[stop:], tokens[:start] + tokens[start + 1 :]
    if len(shape) != len(tokens):
        return False
    for token, size in zip(tokens, shape, strict=True):
        letter = token.rstrip("*")
        if size is None or (token != letter and size == 1):
            continue
        if size != (int(letter) if letter.isdigit() else sizes.setdefault(letter, size)):
            return False
    return True


def _message(name: str, kind: list[str], tokens: list[str], sizes: dict[str, Any], x: Any) -> str:
    what = "mask" if name.endswith("mask") else "integer tensor" if kind else "float tensor"
    letters = ["..." if token.endswith("...") else token.rstrip("*") for token in tokens]
    known = [f"{a}={sizes[a]}" for a in letters if a in sizes and a != "..."]
    # Several axes are named where their number is wrong.
    known += [
        f"...={sizes[token]}"
        for token in tokens
        if token.endswith("...") and token in sizes and _differs_in_rank(x, tokens, sizes[token])
    ]
    return (
        f"{name} must be {'an' if kind else 'a'} {what} ({', '.join(letters)})"
        f"{' with ' if known else ''}{', '.join(known)}; received {_description(x)}."
    )


def _differs_in_rank(x: Any, tokens: list[str], several: tuple) -> bool:
    return hasattr(x, "shape") and len(x.shape) != len(tokens) - 1 + len(several)


def _description(x: Any) -> str:
    if not hasattr(x, "shape") or not hasattr(x, "dtype"):
        return with_article(type(x).__name__)
    return f"{keras.backend.standardize_dtype(x.dtype)} {tuple(x.shape)}"
