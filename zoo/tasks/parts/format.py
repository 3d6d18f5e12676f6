"""The format of a task: what users have, read to examples."""

from typing import Any, Generic

from zoo.data.shards.manifest import is_shards
from zoo.errors import UserError
from zoo.tasks.measured_on import Seen
from zoo.tasks.parts.kinds import E, P, S


class Format(Generic[S, P, E]):
    """What users have, such as tables or folders of images: reads it to examples."""

    def read(self, data: Any, settings: S, learned: P | None) -> E:
        """Reads data.

        Args:
            data: The data, in the form that `fit` takes.
            settings: The settings of the task.
            learned: The preprocessor of a task that is adapted, whose data are read like those that
                it learned from; None to learn from these.
        """
        raise NotImplementedError

    def read_to_evaluate(self, data: Any, settings: S, learned: P | None) -> E:
        """Reads data to evaluate, which may have another form."""
        return self.read(data, settings, learned)

    def check_readable(self, data: Any, task: str) -> None:
        """Raises a `UserError` for prepared data, unless the format can be prepared."""
        if is_shards(data):
            raise UserError(f"{data} is prepared data; {task} reads its data into memory")

    def size(self, examples: E) -> int:
        """The number of rows; of plain text, that of characters."""
        return len(examples)

    def settings(self, examples: E, settings: S) -> S:
        """The settings with those that the form of training data determines.

        Examples:
            Whether texts are pairs, and what prepared data was prepared with.
        """
        return settings

    def own_validation(self, examples: E) -> E | None:
        """Validation data that training data contain, such as other nodes of a graph; or None."""
        return None

    def seen(self, examples: E, same: int, files: int) -> Seen:
        """What the model had seen of data that `evaluate` is given.

        Args:
            examples: The data.
            same: How many of its files are files that the model was trained on.
            files: The number of its files.
        """
        if not same:
            return Seen.NOTHING
        return Seen.ALL if same == files else Seen.SOME

    def note_on(self, examples: E, same: int, files: int) -> str | None:
        """A sentence about data that `evaluate` is given, or None.

        Args:
            examples: The data.
            same: How many of its files are files that the model was trained on.
            files: The number of its files.
        """
        if not same:
            return None
        what = "the data is" if same == files else f"{same:,} of {files:,} files are"
        return (
            f"{what} training data of this model: the metrics do not say how it does on other data"
        )
