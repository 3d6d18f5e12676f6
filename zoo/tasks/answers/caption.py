"""The caption of an image as the answer of a task."""

from dataclasses import dataclass
from typing import Any

from zoo.data.images.captions import CaptionedImages
from zoo.models.captioner import Captioner
from zoo.preprocessing.captions import CaptionPreprocessor
from zoo.tasks.answers.encoder_decoder import TextFromSource
from zoo.tasks.inputs.captioned_images import FittedCaptions
from zoo.tasks.options.image_captioner import Settings

GRID = "grid"  # in the description of an artifact: rows and columns of the cells of an image


@dataclass(frozen=True)
class Caption(TextFromSource[Settings, CaptionPreprocessor, Captioner, CaptionedImages]):
    """A sentence about an image, with the cells of the image that the model looks at."""

    def facts(self, fitted: FittedCaptions) -> dict[str, Any]:
        return {GRID: list(fitted.model.grid)}
