"""Vectors as answers: the embeddings of texts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.preprocessing.base import Features
from zoo.serving.inference import Tensors
from zoo.text.form import TextForm


@dataclass(frozen=True)
class VectorHead:
    """One vector for each row; a `zoo.heads.head.Head`.

    Args:
        normalized: Whether the vectors have length 1.
    """

    normalized: bool

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
