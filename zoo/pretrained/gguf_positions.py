"""The scaling of rotary positions in a GGUF file, which has a factor of each frequency."""

from pathlib import Path
from typing import Any

import numpy as np

from keras_attn.position.scaling import Llama3Scaling
from zoo.errors import UserError

TENSOR = "rope_freqs.weight"
# What all Llama 3.1, 3.2 and 3.3 models have, and the file does not say.
LOW, HIGH, ORIGINAL = 1.0, 4.0, 8192
ERROR = 1e-3  # relative, of factors that are stored as float32


def llama3_scaling(factors: np.ndarray, theta: float, path: Path) -> dict[str, Any] | None:
    """The `rope_scaling` of a `config.json` that gives the factors of a file.

    Source: Grattafiori et al. 2024 (Llama 3.1); llama.cpp stores `f / f'` of each frequency f.

    Args:
        factors: What each frequency is divided by, (K / 2,).
        theta: Base of the frequencies.
        path: The file, for the message.

    Returns:
        The scaling; None if the factors are 1.

    Raises:
        UserError: If it is not the scaling of Llama 3.

    Example:
        >>> llama3_scaling(np.array([1.0, 1.0, 8.0]), 500_000.0, Path("a.gguf"))["factor"]
        8.0
    """
    factors = np.asarray(factors, "float64").ravel()
    if not (np.isfinite(factors) & (factors >= 1)).all():
        raise UserError(f"{path}: {TENSOR} must have factors of at least 1")
    factor = float(factors.max())
    if factor == 1:
        return None
    plain = theta ** -(np.arange(len(factors)) / len(factors))
    expected = plain / Llama3Scaling(factor, LOW, HIGH, ORIGINAL).scaled(plain, theta)
    if not np.allclose(factors, expected, rtol=ERROR):
        raise UserError(
            f"{path}: {TENSOR} has other factors than those of Llama 3, which are not supported"
        )
    return {
        "rope_type": "llama3",
        "factor": factor,
        "low_freq_factor": LOW,
        "high_freq_factor": HIGH,
        "original_max_position_embeddings": ORIGINAL,
    }
