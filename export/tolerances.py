"""How far an exported file may stray from the model that it came from."""

from __future__ import annotations

from typing import NamedTuple


class Tolerance(NamedTuple):
    """What a file is held to.

    Args:
        error: The greatest allowed max |actual - expected| / max(1, max |expected|) of an output
            of floats. Where fewer than all tokens have to agree, floats are compared in the rows
            whose tokens do.
        agreement: The least share of tokens, labels or texts that have to be equal.
    """

    error: float
    agreement: float


# Rounding can turn a near tie between two tokens, and every token after it; what that costs is for
# the task's metric to say (`max_drop`). A file that writes at random agrees in almost no token.
# Structure, operators and invariances are demanded of every file.
TOLERANCES: dict[str | None, Tolerance] = {
    None: Tolerance(error=1e-4, agreement=1.0),
    "float16": Tolerance(error=1e-2, agreement=0.5),
    "int8": Tolerance(error=0.2, agreement=0.2),
}


def get_tolerance(quantize: str | None) -> Tolerance:
    """The tolerance of a kind of quantization.

    Raises:
        ValueError: If the kind is unknown.

    Example:
        >>> get_tolerance("int8").agreement
        0.2
    """
    if quantize not in TOLERANCES:
        raise ValueError(f"quantize must be one of {list(TOLERANCES)}; received {quantize!r}.")
    return TOLERANCES[quantize]
