"""Scalings of rotary positions, by which models read longer texts than in their first training."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol

import numpy as np


class RotaryScaling(Protocol):
    """A change of the frequencies of rotary positions."""

    kind: ClassVar[str]

    @property
    def magnitude(self) -> float:
        """The factor of cosines and sines."""

    def scaled(self, frequencies: np.ndarray, base: float) -> np.ndarray:
        """The new frequencies, in radians per position, of `base ** (-2 s / K)`."""


@dataclass(frozen=True)
class LinearScaling:
    """Positions divided by a factor.

    Source: Chen et al. 2023, equation 4.
    Formula: `f' = f / factor`

    Args:
        factor: The factor.
    """

    kind: ClassVar[str] = "linear"
    factor: float

    @property
    def magnitude(self) -> float:
        return 1.0

    def scaled(self, frequencies: np.ndarray, base: float) -> np.ndarray:
        return frequencies / self.factor


@dataclass(frozen=True)
class Llama3Scaling:
    """Low frequencies divided by a factor, high ones kept, and those between interpolated.

    Source: Grattafiori et al. 2024 (Llama 3.1), and the code of `llama-models`.
    Formula: with `n = original / (2 pi / f)` turns in the original length and `m = (n - low) /
        (high - low)`, cut to [0, 1], `f' = (1 - m) f / factor + m f`

    Args:
        factor: The factor.
        low_freq_factor: Number of turns up to which frequencies are divided.
        high_freq_factor: Number of turns from which frequencies are kept.
        original_max_position_embeddings: Number of positions of the original training.
    """

    kind: ClassVar[str] = "llama3"
    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_max_position_embeddings: int

    @property
    def magnitude(self) -> float:
        return 1.0

    def scaled(self, frequencies: np.ndarray, base: float) -> np.ndarray:
        turns = self.original_max_position_embeddings * frequencies / (2 * math.pi)
        kept = (turns - self.low_freq_factor) / (self.high_freq_factor - self.low_freq_factor)
        kept = np.clip(kept, 0, 1)
        return (1 - kept) * frequencies / self.factor + kept * frequencies


@dataclass(frozen=True)
class YarnScaling:
    """YaRN: frequencies divided by a factor as their number of turns falls, and longer vectors.

    Source: Peng et al. 2023, section 3.2, equations 17 to 22.
    Formula: `f'_s = (1 - m_s) f_s + m_s f_s / factor`, `m_s` rising from 0 to 1 between the pairs
        with `beta_fast` and `beta_slow` turns in the original length; cosines and sines times
        `0.1 ln(factor) + 1`

    Args:
        factor: The factor.
        original_max_position_embeddings: Number of positions of the original training.
        beta_fast: Number of turns above which frequencies are kept.
        beta_slow: Number of turns below which frequencies are divided.
        attention_factor: Factor of cosines and sines, in place of that of the formula.
        mscale: Factor of the logarithm in the formula; with `mscale_all_dim`, the formula's value
            for `mscale` is divided by that for `mscale_all_dim`.
        mscale_all_dim: See `mscale`.
        truncate: Whether the pairs between which `m_s` rises are whole numbers.
    """

    kind: ClassVar[str] = "yarn"
    factor: float
    original_max_position_embeddings: int
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    attention_factor: float | None = None
    mscale: float | None = None
    mscale_all_dim: float | None = None
    truncate: bool = True

    @property
    def magnitude(self) -> float:
        if self.attention_factor is not None:
            return self.attention_factor
        if self.mscale and self.mscale_all_dim:
            return self._magnitude(self.mscale) / self._magnitude(self.mscale_all_dim)
        return self._magnitude(1.0)

    def _magnitude(self, mscale: float) -> float:
        return 0.1 * mscale * math.log(self.factor) + 1 if self.factor > 1 else 1.0

    def scaled(self, frequencies: np.ndarray, base: float) -> np.ndarray:
        width = 2 * len(frequencies)
        first, last = (
            width * math.log(self.original_max_position_embeddings / (turns * 2 * math.pi))
            / (2 * math.log(base))
            for turns in (self.beta_fast, self.beta_slow)
        )  # fmt: skip
        if self.truncate:
            first, last = math.floor(first), math.ceil(last)
        first, last = max(first, 0), min(last, width - 1)
        last = last + 0.001 if first == last else last
        divided = np.clip((np.arange(len(frequencies)) - first) / (last - first), 0, 1)
        return (1 - divided) * frequencies + divided * frequencies / self.factor


KINDS: dict[str, type[LinearScaling] | type[Llama3Scaling] | type[YarnScaling]] = {
    each.kind: each for each in (LinearScaling, Llama3Scaling, YarnScaling)
}

REQUIRED = (  # arguments, of the scalings that have them
    "factor",
    "low_freq_factor",
    "high_freq_factor",
    "original_max_position_embeddings",
)


def scaling_of(config: Mapping[str, Any] | None) -> RotaryScaling | None:
    """The scaling of a configuration, with the keys of Hugging Face's `rope_parameters`.

    Args:
        config: `rope_type` ("linear", "llama3" or "yarn") and the arguments of the scaling; or
            None.

    Raises:
        ValueError: If the type is unknown, or an argument is missing or not a positive number.

    Example:
        >>> scaling_of({"rope_type": "linear", "factor": 2})
        LinearScaling(factor=2)
        >>> scaling_of({"rope_type": "dynamic"})
        Traceback (most recent call last):
        ValueError: rope_type must be one of linear, llama3, yarn; received 'dynamic'.
    """
    if config is None:
        return None
    kind = config.get("rope_type")
    if kind not in KINDS:
        raise ValueError(f"rope_type must be one of {', '.join(KINDS)}; received {kind!r}.")
    known = {each.name: each for each in fields(KINDS[kind])}
    given = {name: value for name, value in config.items() if name != "rope_type"}
    for name, value in given.items():
        if name not in known:
            raise ValueError(f"{kind} positions have no {name}.")
        if name == "truncate":
            if not isinstance(value, bool):
                raise ValueError(f"truncate must be True or False; received {value!r:.40}.")
        elif (value is not None or name in REQUIRED) and not (
            type(value) in (int, float) and 0 < value < math.inf
        ):
            raise ValueError(f"{name} must be a positive number; received {value!r:.40}.")
    try:
        scaling: RotaryScaling = KINDS[kind](**given)
    except TypeError:
        missing = next(name for name in REQUIRED if name in known and name not in given)
        raise ValueError(f"{kind} positions require {missing}.") from None
    return scaling
