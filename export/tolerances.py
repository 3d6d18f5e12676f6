"""How far an exported file may stray from the model that it came from."""

from __future__ import annotations

from typing import NamedTuple


class Tolerance(NamedTuple):
    """What a file is held to.

    Args:
        error: The greatest allowed error of an output of floats. Of a float32 file it is
            max |actual - expected| / max(1, max |expected|) of each probe; of a quantized one the
            root mean square of the differences, relative to that of what is expected, over many
            probes.
        agreement: The least share of tokens, labels or texts that have to be equal; of a quantized
            file the share of decisions, as `export.worker.likeness` counts them.
    """

    error: float
    agreement: float


# Between what sound and broken files were measured to have; docs/export.md has the numbers. What
# quantization costs in a task's metric is for `max_drop`.
TOLERANCES: dict[str | None, Tolerance] = {
    None: Tolerance(error=1e-4, agreement=1.0),
    "float16": Tolerance(error=1e-2, agreement=0.98),
    "int8": Tolerance(error=7e-2, agreement=0.9),
    "static_int8": Tolerance(error=1e-1, agreement=0.9),
}


def get_tolerance(quantize: str | None) -> Tolerance:
    """The tolerance of a kind of quantization.

    Raises:
        ValueError: If the kind is unknown.

    Example:
        >>> get_tolerance("int8").agreement
        0.9
    """
    if quantize not in TOLERANCES:
        raise ValueError(f"quantize must be one of {list(TOLERANCES)}; received {quantize!r}.")
    return TOLERANCES[quantize]
