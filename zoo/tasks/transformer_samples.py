"""The samples that the spatial transformers of a model take of images, and where."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from zoo.models.stn_classifier import STNClassifier
from zoo.preprocessing.base import BATCH
from zoo.serving.inference import OutputAxes, Tensors
from zoo.tasks.attending import ATTENTION

if TYPE_CHECKING:
    from zoo.tasks.task import Task

SAMPLED, GRID = "sampled", "grid"  # names of outputs, before the number of the transformer


@dataclass(frozen=True, eq=False)
class TransformerSample:
    """What one spatial transformer looks at in an image.

    Args:
        sampled: What it samples (h, w, C), from 0 to 1; at a depth above 0, features.
        grid: Where it samples (h, w, 2), points (x, y) from -1 at the left and upper edges of its
            input to 1 at the right and lower edges.

    Example:
        >>> y, x = np.mgrid[-1:1:3j, -1:1:3j]
        >>> TransformerSample(np.zeros((3, 3, 1)), np.stack([x, y], axis=-1)).outline().tolist()[:3]
        [[-1.0, -1.0], [0.0, -1.0], [1.0, -1.0]]
    """

    sampled: np.ndarray
    grid: np.ndarray

    def outline(self) -> np.ndarray:
        """The points (P, 2) on the border of the grid, clockwise from the first."""
        grid = self.grid
        sides = grid[0], grid[1:, -1], grid[-1, -2::-1], grid[-2:0:-1, 0]
        return np.concatenate(sides)


def transformer_samples(task: "Task", image: Any) -> list[TransformerSample]:
    """What each spatial transformer of a task looks at in an image; empty without transformers.

    Args:
        task: The task.
        image: An image, as in the list that `predict` takes.
    """
    if not task.model.all_transformers:
        return []
    return samples_of(task.program(ATTENTION)(task.read_inputs([image])), row=0)


def sample_axes(model: STNClassifier) -> OutputAxes:
    """The axes of what the transformers of a model sample, and of their grids, by name."""
    axes: dict[str, tuple[int | str | None, ...]] = {}
    for number, (sampled, grid) in enumerate(model.sample_shapes):
        axes[f"{SAMPLED}_{number}"] = (BATCH, *sampled)
        axes[f"{GRID}_{number}"] = (BATCH, *grid)
    return axes


def named_samples(samples: list[tuple[Any, Any]]) -> Tensors:
    """The same tensors by name."""
    return {
        f"{name}_{number}": tensor
        for number, pair in enumerate(samples)
        for name, tensor in zip((SAMPLED, GRID), pair, strict=True)
    }


def samples_of(outputs: Mapping[str, Any], row: int) -> list[TransformerSample]:
    """What each transformer looks at in one image, from the outputs of the signature `attention`.

    Args:
        outputs: The outputs.
        row: Number of the image in the batch.
    """
    count = sum(name.startswith(SAMPLED) for name in outputs)
    return [
        TransformerSample(outputs[f"{SAMPLED}_{i}"][row], outputs[f"{GRID}_{i}"][row])
        for i in range(count)
    ]


def sample_meanings(model: STNClassifier) -> dict[str, str]:
    """What each of these outputs is, in words, by name."""
    meanings = {}
    for number, name in enumerate(each.name for each in model.all_transformers):
        meanings[f"{SAMPLED}_{number}"] = f"what {name} samples from its input"
        meanings[f"{GRID}_{number}"] = (
            f"where {name} samples: x and y, from -1 at the left and upper edges of its input to 1 "
            "at the right and lower edges"
        )
    return meanings
