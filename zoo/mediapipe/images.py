"""Tasks on images in the form that MediaPipe's image classifier runs."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from zoo.errors import UserError
from zoo.mediapipe.metadata import Metadata, labels_file
from zoo.mediapipe.signature import single_signature
from zoo.preprocessing.base import BATCH, TensorSpec
from zoo.preprocessing.images import IMAGE
from zoo.serving.export_parts import Calls, ExportParts
from zoo.serving.inference import Tensors
from zoo.serving.signatures import SERVING_DEFAULT

if TYPE_CHECKING:
    from zoo.tasks.task import Task


class MediaPipeImages:
    """A task on images as MediaPipe runs it: its file takes color images in the model's size.

    Args:
        task: The task.
        name: Name of MediaPipe's task.
        length: Must be None.

    Raises:
        UserError: If a length is given.
    """

    def __init__(self, task: "Task", name: str, length: int | None = None) -> None:
        if length is not None:
            raise UserError(f"{task.name} reads images, which have no length")
        self._task, self._name, self.length = task, name, None
        self.model, self.evaluate_artifact = task.model, task.evaluate_artifact

    def export_parts(
        self, text: str | None, litert: bool = False, samples: bool = False, **options: Any
    ) -> ExportParts:
        """Its only signature, and the rest of the task; see `Task.export_parts`."""
        parts = self._task.export_parts(None, litert, samples, **options)
        main = parts.signatures[SERVING_DEFAULT]
        height, width, channels = self._task.preprocessor.shape

        def preprocess(image: Any) -> Tensors:
            return {IMAGE: _brightness(image) if channels == 1 else image}

        meaning = "a color image, red, green and blue, with numbers from 0 to 255"
        raw = {IMAGE: TensorSpec((BATCH, height, width, 3), "float32", None, meaning)}
        signatures = single_signature(main, raw, preprocess)
        return replace(
            parts,
            signatures=signatures,
            live=signatures,
            probes=_in_color(parts.probes),
            samples=_in_color(parts.samples) if samples else {},
        )

    def misread(self) -> list[str]:
        """Nothing: the file takes the pixels that the task takes."""
        return []

    def metadata(self) -> Metadata:
        """What the metadata of the file say."""
        purpose = self._task.purpose
        return Metadata(self._name, purpose, None, labels_file(self._task))


def _in_color(calls: Calls) -> Calls:
    """Images (B, H, W, C) with three channels, of which the gray ones are equal."""
    images = [call[IMAGE] for call in calls[SERVING_DEFAULT]]
    return {SERVING_DEFAULT: [{IMAGE: np.broadcast_to(x, (*x.shape[:-1], 3))} for x in images]}


def _brightness(image: Any) -> Any:
    """The brightness (ITU-R BT.601) of color images; that of gray ones is not rounded."""
    red, green, blue = (image[..., i : i + 1] for i in range(3))
    return green + 0.2989 * (red - green) + 0.114 * (blue - green)
