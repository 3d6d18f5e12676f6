"""Checks of the arguments of recurrent layers, each with a message that names the argument."""

import numbers
from typing import Any

from keras import tree

from keras_attn.articles import with_article


def check_size(name: str, value: Any) -> int:
    """Returns a size as an integer.

    Args:
        name: Name of the argument.
        value: Its value.

    Raises:
        ValueError: If the value is not a positive integer.

    Example:
        >>> check_size("units", 5)
        5
    """
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_whole or value < 1:
        raise ValueError(f"{name} must be a positive integer; received {value!r}.")
    return int(value)


def check_optional_size(name: str, value: Any) -> int | None:
    """Returns a size as an integer, or None.

    Args:
        name: Name of the argument.
        value: Its value.

    Raises:
        ValueError: If the value is neither a positive integer nor None.

    Example:
        >>> check_optional_size("truncate", None)
    """
    try:
        return None if value is None else check_size(name, value)
    except ValueError:
        raise ValueError(
            f"{name} must be a positive integer or None; received {value!r}."
        ) from None


def check_rates(**rates: Any) -> None:
    """Checks dropout rates.

    Args:
        **rates: Rates by argument name.

    Raises:
        ValueError: If a rate is not in [0, 1).

    Example:
        >>> check_rates(dropout=0.1, recurrent_dropout=0)
    """
    for name, rate in rates.items():
        if not isinstance(rate, numbers.Real) or not 0 <= float(rate) < 1:
            raise ValueError(f"{name} must be at least 0 and less than 1; received {rate!r}.")


def shape_of(name: str, x: Any) -> tuple:
    """Returns the shape of a tensor.

    Args:
        name: Name of the argument.
        x: The tensor.

    Raises:
        ValueError: If it is not a tensor.

    Example:
        >>> shape_of("inputs", [[1.0]])
        Traceback (most recent call last):
        ValueError: inputs must be a tensor; received a list.
    """
    if not hasattr(x, "shape"):
        raise ValueError(f"{name} must be a tensor; received {with_article(type(x).__name__)}.")
    return tuple(x.shape)


def check_rows(name: str, x: Any, rows: int | None) -> None:
    """Checks the batch size of what goes with sequences.

    Args:
        name: Name of the argument.
        x: The tensor.
        rows: Batch size of the sequences, or None if it is unknown.

    Raises:
        ValueError: If the tensor has another batch size.

    Example:
        >>> from keras import ops
        >>> check_rows("memory", ops.ones((3, 5, 7)), 3)
    """
    shape = shape_of(name, x)
    if None not in (rows, shape[0]) and shape[0] != rows:
        raise ValueError(
            f"{name} must have the batch size {rows} of the sequences; received {shape}."
        )


def check_width(name: str, x: Any, width: int | None) -> None:
    """Checks the width of one step's inputs or of a state.

    Args:
        name: Name of the argument.
        x: Tensor that must have the shape (B, width).
        width: The width, or None if any is right.

    Raises:
        ValueError: If the tensor has another rank or width.

    Example:
        >>> from keras import ops
        >>> check_width("inputs", ops.ones((3, 7)), 7)
    """
    shape = shape_of(name, x)
    if len(shape) != 2 or (width is not None and shape[1] not in (None, width)):
        wanted = "features" if width is None else width
        raise ValueError(f"{name} must have the shape (batch, {wanted}); received {shape}.")


def check_sequences(shape: tuple, width: int | None = None) -> None:
    """Checks the shape of a layer's input.

    Args:
        shape: Shape that must be (B, T, D).
        width: The number of features D that the layer was built for, if it is built.

    Raises:
        ValueError: If the shape has another rank, or another number of features.

    Example:
        >>> check_sequences((2, None, 7), width=7)
    """
    if len(shape) != 3:
        raise ValueError(
            f"sequences must have the shape (batch, steps, features); received {tuple(shape)}."
        )
    if width is not None and shape[-1] not in (None, width):
        raise ValueError(
            f"sequences must have the {width} features that the layer was built for; "
            f"received {tuple(shape)}."
        )


def check_mask(shape: tuple, sequences_shape: tuple) -> None:
    """Checks the shape of the mask of a sequence.

    Args:
        shape: Shape that must be (B, T).
        sequences_shape: Shape (B, T, D) of the sequences.

    Raises:
        ValueError: If the mask has another shape.

    Example:
        >>> check_mask((2, None), (2, 3, 7))
    """
    pairs = list(zip(shape, sequences_shape, strict=False))
    differs = any(None not in pair and pair[0] != pair[1] for pair in pairs)
    if len(shape) != 2 or differs:
        raise ValueError(
            f"mask must have the shape (batch, steps), as the sequences {tuple(sequences_shape)}; "
            f"received {tuple(shape)}."
        )


def check_states(states: list, sizes: Any, name: str = "initial_state") -> None:
    """Checks the states before the first step, or before a single one.

    Args:
        states: Flat list of tensors (B, ·).
        sizes: Their widths, in any nesting.
        name: Name of the argument.

    Raises:
        ValueError: If there is another number of states, or one has another shape.

    Example:
        >>> from keras import ops
        >>> check_states([ops.zeros((3, 5)), ops.zeros((3, 5))], [5, 5])
    """
    widths = tree.flatten(sizes)
    if len(states) != len(widths):
        plural = "" if len(widths) == 1 else "s"
        raise ValueError(
            f"{name} must be {len(widths)} tensor{plural} (batch, units), of the width{plural} "
            f"{', '.join(map(str, widths))}; received {len(states)}."
        )
    for index, (state, width) in enumerate(zip(states, widths, strict=True)):
        check_width(f"{name}[{index}]", state, width)
