"""Labeled texts of several tasks, as users have them."""

from typing import Any

from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.labeled_tasks import LabeledTasks, read_labeled_tasks
from zoo.preprocessing.text import TextPreprocessor
from zoo.tasks.options.multi_task import Settings
from zoo.tasks.parts import Format


class LabeledTasksFormat(Format[Settings, TextPreprocessor, LabeledTasks]):
    """A dictionary from the name of each task to a table with a text and a label in each row."""

    def read(self, data: Any, settings: Settings, learned: TextPreprocessor | None) -> LabeledTasks:
        return read_labeled_tasks(data, ReadOptions.of(settings.values()))
