"""Images with captions, as users have them."""

from typing import Any

from zoo.data.images.captions import CaptionedImages, read_captions
from zoo.data.readers.column_names import ReadOptions
from zoo.preprocessing.captions import CaptionPreprocessor
from zoo.tasks.options.image_captioner import Settings
from zoo.tasks.parts import Format


class CaptionFormat(Format[Settings, CaptionPreprocessor, CaptionedImages]):
    """A table of the paths of images and of captions."""

    def read(
        self, data: Any, settings: Settings, learned: CaptionPreprocessor | None
    ) -> CaptionedImages:
        return read_captions(data, ReadOptions.of(settings.values()), settings.images)
