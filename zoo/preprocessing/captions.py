"""Images as a captioner takes them, and the tokenizer of what it writes."""

from typing import Self

from zoo.preprocessing.images import ImagePreprocessor
from zoo.preprocessing.text import Detokenizer
from zoo.text.tokenizer import Tokenizer


class CaptionPreprocessor(Detokenizer, ImagePreprocessor):
    """Fits images to the size of the model, and converts generated ids to texts."""

    tokenizer: Tokenizer

    def writing(self, tokenizer: Tokenizer) -> Self:
        """Sets the tokenizer of the captions."""
        self.tokenizer = tokenizer
        return self

    def check_litert(self) -> None:
        self.tokenizer.check_litert()
