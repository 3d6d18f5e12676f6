"""The tolerances of exported files: how far their outputs may be from those of the model."""

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
            file the share of decisions, as `export.worker.quantization_agreement` counts them.
    """

    error: float
    agreement: float


# Between what sound and broken files were measured to have; docs/design/verification.md has the
# numbers. What quantization costs in a task's metric is for `max_drop`.
TOLERANCES: dict[str | None, Tolerance] = {
    None: Tolerance(error=1e-4, agreement=1.0),
    "float16": Tolerance(error=1e-2, agreement=0.98),
    "int8": Tolerance(error=1.2e-1, agreement=0.9),
    "dynamic_int8": Tolerance(error=1.2e-1, agreement=0.9),
    "dynamic_int4": Tolerance(error=3.5e-1, agreement=0.6),
    "dynamic_int4_blockwise": Tolerance(error=3.5e-1, agreement=0.6),
    "weight_only_int8": Tolerance(error=1.2e-1, agreement=0.9),
    "weight_only_int4": Tolerance(error=3.5e-1, agreement=0.6),
    "static_int8": Tolerance(error=1.2e-1, agreement=0.9),
}
