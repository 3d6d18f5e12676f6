"""Images as a captioner takes them, and the tokenizer of the captions."""

from pathlib import Path
from typing import Any, Self

from zoo.preprocessing.detokenizer import Detokenizer
from zoo.preprocessing.images import ImagePreprocessor
from zoo.preprocessing.text import TokenPreprocessor
from zoo.text.tokenizer import Tokenizer


class CaptionPreprocessor(Detokenizer, ImagePreprocessor):
    """Fits images to the size of the model, and converts generated ids to texts."""

    tokenizer: Tokenizer

    def writing(self, tokenizer: Tokenizer) -> Self:
        """Sets the tokenizer of the captions."""
        self.tokenizer = tokenizer
        return self

    def save(self, folder: Path) -> None:
        """Writes the preprocessor to a folder, and the tokenizer to one beside it."""
        super().save(folder)
        self.tokenizer.save(folder.with_name(TokenPreprocessor.subfolder))

    def facts(self) -> dict[str, Any]:
        """What has to be equal for a run to go on: the shape of images."""
        return self.shape._asdict()

    def check_litert(self) -> None:
        self.tokenizer.check_litert()
