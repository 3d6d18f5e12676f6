"""Texts, or pairs of texts, of several tasks as the input of one encoder."""

from collections.abc import Sequence
from typing import Any

import keras

from zoo.data.readers.labeled_tasks import LabeledTasks
from zoo.preprocessing.text import SECOND, TEXT, TextPreprocessor
from zoo.tasks.inputs.texts import EncoderInput, listed, reads_segments
from zoo.tasks.labels import label_set_of
from zoo.tasks.options.multi_task import Settings
from zoo.text.tokenizer import Tokenizer


class LabeledTasksInput(EncoderInput[Settings, TextPreprocessor, keras.Model, LabeledTasks]):
    """Texts, or pairs of texts. Raw inputs are pairs of the name of a task and an input of it."""

    def make(self, tokenizer: Tokenizer, settings: Settings) -> TextPreprocessor:
        return TextPreprocessor(tokenizer, settings.max_length, start=reads_segments(settings))

    def raw(
        self, data: Any, settings: Settings, preprocessor: TextPreprocessor
    ) -> dict[str, Sequence[Any]]:
        texts = listed([text for _, text in data])
        for name, text in data:
            label_set_of(settings, name).check_pairs("texts", not isinstance(text, str))
        if all(isinstance(text, str) for text in texts):
            return {TEXT: texts}
        return {TEXT: [first for first, _ in texts], SECOND: [second for _, second in texts]}
