"""Texts, or pairs of texts, of several tasks as the raw inputs of one encoder."""

from collections.abc import Sequence
from typing import Any

from zoo.data.readers.labeled_tasks import LabeledTasks
from zoo.preprocessing.text import SECOND, TEXT
from zoo.tasks.inputs.raw_texts import RawTexts, listed
from zoo.tasks.labels import label_set_of
from zoo.tasks.options.multi_task import Settings


class TextsOfTasks(RawTexts[Settings, LabeledTasks]):
    """Texts, or pairs of texts, each with the name of its task before it."""

    def raw(self, data: Any, settings: Settings) -> dict[str, Sequence[Any]]:
        texts = listed([text for _, text in data])
        for name, text in data:
            label_set_of(settings, name).check_pairs("texts", not isinstance(text, str))
        if all(isinstance(text, str) for text in texts):
            return {TEXT: texts}
        return {TEXT: [first for first, _ in texts], SECOND: [second for _, second in texts]}
