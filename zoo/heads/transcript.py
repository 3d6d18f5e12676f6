"""Transcripts as answers: the characters of a recording."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from zoo.lines import to_lines
from zoo.preprocessing.audio import AudioPreprocessor
from zoo.preprocessing.base import Features
from zoo.serving.inference import Tensors
from zoo.text.form import TextForm

CHARACTERS = "characters.txt"


@dataclass(frozen=True)
class TranscriptHead:
    """The text of recognized characters; a `zoo.heads.head.Head`.

    Args:
        preprocessor: Has the characters, of which class 0, the blank, is none.
    """

    preprocessor: AudioPreprocessor

    @property
    def meanings(self) -> dict[str, str]:
        return {
            "token_ids": f"the characters: their lines in {CHARACTERS}, from 1; 0 behind the end",
            "lengths": "the number of characters",
            "confidence": "the probability of the best alignment, or of beam search that of the "
            "text with the n-gram model, to the power of 1 / the number of steps",
            "text": "what is said",
        }

    @property
    def files(self) -> dict[str, str]:
        return {CHARACTERS: to_lines(self.preprocessor.characters)}

    def postprocess(self, outputs: Tensors, features: Features, form: TextForm) -> Tensors:
        text = self.preprocessor.text(outputs["token_ids"], form)
        return {**text, "confidence": outputs["confidence"]}

    def result(self, row: Mapping[str, Any]) -> str:
        return row["text"].decode()

    def text(self, result: str) -> str:
        return result
