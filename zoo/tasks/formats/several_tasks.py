"""The data of several tasks, as users have them: those of each by its name."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from zoo.data.readers.files import is_path
from zoo.data.readers.memory_tables import table_in_memory
from zoo.data.several_tasks import ExamplesOfTasks
from zoo.data.shards.manifest import is_shards
from zoo.errors import UserError
from zoo.options import values_of
from zoo.preprocessing.text import TextPreprocessor
from zoo.tasks.kinds import Kinds, recognized
from zoo.tasks.kinds.recognition import check_known
from zoo.tasks.options.multi_task import Settings
from zoo.tasks.parts import Format

BY_NAME = ("kinds", "labels", "pairs", "task_options")  # settings with values by name of the task


@dataclass(frozen=True)
class FormatOfTasks(Format[Settings, TextPreprocessor, ExamplesOfTasks]):
    """The data of each task, by its name, in the form that the single task takes.

    Args:
        kinds: The kinds of tasks.
    """

    kinds: Kinds

    def read(
        self, data: Any, settings: Settings, learned: TextPreprocessor | None
    ) -> ExamplesOfTasks:
        if not isinstance(data, Mapping) or not data:
            raise UserError("the data of multi-task must name at least one task, as {name: rows}")
        for name in data:
            if "/" in name:
                raise UserError(f"the name of a task must not contain a slash, got {name!r}")
        rows = {name: _kept(each) for name, each in data.items()}
        if learned is not None:
            of_each = {name: self.kinds.of(settings, name) for name in rows}
            return ExamplesOfTasks(self._parts(rows, settings, of_each), of_each)
        for what in BY_NAME:
            check_known(what, values_of(settings)[what], list(rows))
        of_each, own = {}, dict(settings.task_options)
        for name, each in rows.items():
            if name in settings.kinds:
                of_each[name] = settings.kinds[name]
                continue
            of_each[name], options = self._recognized(each, settings, name)
            if options:
                own[name] = {**options, **own.get(name, {})}
        complete = replace(settings, kinds=of_each, task_options=own)
        return ExamplesOfTasks(self._parts(rows, complete, of_each), of_each, own)

    def _recognized(self, rows: Any, settings: Settings, name: str) -> tuple[str, dict[str, Any]]:
        given = {**values_of(settings), **settings.task_options.get(name, {})}
        wanted = {key: x for key, x in given.items() if x is not None and key not in BY_NAME}
        return recognized(self.kinds, rows, wanted)

    def _parts(
        self, rows: Mapping[str, Any], settings: Settings, kinds: Mapping[str, str]
    ) -> dict[str, Any]:
        parts = {}
        for name, each in rows.items():
            if is_shards(each):
                raise UserError(f"{each} is prepared data; multi-task reads its data into memory")
            member = self.kinds.single(settings, name, kinds[name])
            parts[name] = member.parts.format.read(each, member.settings, None)
        return parts

    def settings(self, examples: ExamplesOfTasks, settings: Settings) -> Settings:
        return replace(settings, kinds=dict(examples.kinds), task_options=dict(examples.options))


def _kept(data: Any) -> Any:
    """The data, of which rows that can be read only once are kept."""
    if is_path(data) or table_in_memory(data) is not None:
        return data
    return list(data)
