"""Vectors as answers: what an embedder makes of a text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.preprocessing.base import Features
from zoo.serving.inference import OutputAxes, Tensors
from zoo.text.form import TextForm


@dataclass(frozen=True)
class VectorHead:
    """One vector for each row; a `zoo.heads.head.Head`.

    Args:
        size: The number of values D.
        normalized: Whether the vectors have length 1.
    """

    size: int
    normalized: bool

    @property
    def axes(self) -> OutputAxes:
        """The axes of each output, by name."""
        return {"embedding": ("batch", self.size)}

    @property
    def meanings(self) -> dict[str, str]:
        return {"embedding": "the vector" + " of length 1" * self.normalized}

    @property
    def files(self) -> dict[str, str]:
        return {}

    def postprocess(self, outputs: Tensors, features: Features, form: TextForm) -> Tensors:
        return outputs

    def result(self, row: Mapping[str, Any]) -> np.ndarray:
        return row["embedding"]

    def text(self, result: np.ndarray) -> str:
        return str(result)
