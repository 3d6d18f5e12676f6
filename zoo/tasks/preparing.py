"""The preparation of data for a task whose format may be larger than memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.data.batching.tokenized import Tokenized
from zoo.data.readers.files import name_of
from zoo.errors import UserError
from zoo.option_names import option_name
from zoo.options import options_of, values_of
from zoo.tasks.config import read_config
from zoo.tasks.formats.prepared import PreparableFormat, completed
from zoo.tasks.learning import PROBES, learn, set_tokenizer
from zoo.tasks.load import task_class
from zoo.tasks.saving import replacing_run
from zoo.tasks.storing import save_preprocessor
from zoo.text import load_tokenizer
from zoo.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from zoo.tasks.task import Task

KNOWN = ("model", "preset", "tokenizer", "vocabulary_size")  # taken from prepared data by default


class Preparation:
    """A task that tokenizes data into shards; see `zoo.data.shards.preparable.Preparable`.

    Args:
        task: The task.

    Raises:
        UserError: If its data is read into memory.
    """

    def __init__(self, task: "Task") -> None:
        self.task, self.format = task, preparable_format(task)
        self.name, self.seed = task.name, task.settings.seed
        self.column_kinds = self.format.column_kinds
        self.sorted_by = self.format.sorted_by

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer."""
        tokenizer: Tokenizer = self.task.tokenizer
        return tokenizer

    @property
    def examples(self) -> dict[str, list[Any]]:
        """Some raw inputs."""
        return self.task.examples

    def fingerprint(self) -> dict[str, Any]:
        """What determines the shards, besides the data."""
        task = self.task
        known = task if task.has_preprocessor else task.pretrained
        facts = None if known is None else known.tokenizer.facts()
        return {"task": task.name, "settings": values_of(task.settings), "tokenizer": facts}

    def source_of(self, data: Any) -> str:
        """The names of the files, for the log."""
        return name_of(data)

    def pieces(self, data: Any) -> Iterator[Any]:
        """Reads data a piece at a time."""
        return self.format.pieces(data, self.task.settings)

    def tokenized(self, examples: Any, number: int = 0) -> Tokenized:
        """Tokenizes a piece with its number."""
        return self._tokenization(examples, number)

    @property
    def _tokenization(self) -> Any:
        task = self.task
        return self.format.tokenization(task.settings, task.preprocessor)

    def learn_to_prepare(self, examples: Any, labels: list[str]) -> None:
        """Learns the tokenizer from a sample, unless the task has one; and takes all labels."""
        settings = self.task.settings
        values = values_of(settings)
        if labels and values.get("labels", labels) is None:
            self.task.settings = options_of(type(settings), {**values, "labels": labels})
        task = self.task
        if task.has_preprocessor:
            task.examples = task.parts.input.sample(examples, PROBES)
        else:
            task.set_fitted(learn(task, examples).preprocessor)

    def prepared_settings(self) -> dict[str, Any]:
        """The settings that the shards depend on, and those of the model as defaults."""
        settings = values_of(self.task.settings)
        names = {*self.format.depends_on, *KNOWN} & settings.keys()
        return {**{name: settings[name] for name in sorted(names)}, **self._tokenization.settings}

    def save_prepared(self, folder: Path) -> None:
        """Saves what a process needs to tokenize, as a run folder without weights."""
        empty: dict[str, Any] = dict.fromkeys(("training", "files", "data", "examples"), {})
        with replacing_run(folder, {**self.task.config, **empty}) as new:
            save_preprocessor(self.task.preprocessor, new)

    def use_prepared(self, folder: Path) -> None:
        """Takes the tokenizer and the labels from what `save_prepared` wrote."""
        task, settings = self.task, read_config(folder)["settings"]
        task.settings = completed(task.settings, settings, self.format.depends_on)
        tokenizer = load_tokenizer(folder / "tokenizer")
        if task.pretrained is not None and task.pretrained.tokenizer.facts() != tokenizer.facts():
            raise UserError(
                f"{folder.parent} has another vocabulary than the pretrained model: prepare the "
                f"data with the same {option_name('pretrained')}"
            )
        set_tokenizer(task, tokenizer)


def prepare(
    task: "Task", data: Any, folder: str | Path, processes: int | None = None, verbose: bool = True
) -> int:
    """Tokenizes data into a folder, from which `adapt` and `fit` read it with constant memory.

    If it is stopped, another call with the same arguments continues after the last shard. The
    tokenizer is that of the task, if it has one, or else it is trained on a random sample.

    Args:
        task: The task.
        data: The data, in the form that `fit` takes.
        folder: The folder.
        processes: Number of processes. Default: the number of cores.
        verbose: Show progress.

    Returns:
        The number of rows.

    Raises:
        UserError: If a row is not valid, the folder has other data, another process is preparing
            data there, or the disk is full.

    Example:
        >>> import zoo
        >>> folder = getfixture("tmp_path") / "shards"
        >>> rows = [("a fine film", "good"), ("a dull one", "bad")]
        >>> prepare(zoo.TextClassifier(), rows, folder, processes=1, verbose=False)
        2
    """
    from zoo.data.shards.prepare import prepare as write

    return write(Preparation(task), data, Path(folder), load_preparation, processes, verbose)


def load_preparation(folder: Path) -> Preparation:
    """What tokenizes like the one that `save_prepared` wrote; its task has no model."""
    config = read_config(folder)
    preparation = Preparation(task_class(config["task"])(**config["settings"]))
    preparation.use_prepared(folder)
    return preparation


def preparable_format(task: "Task") -> PreparableFormat[Any, Any, Any]:
    """The format of a task whose data may be prepared.

    Raises:
        UserError: If its data is read into memory.
    """
    format = task.parts.format
    if not isinstance(format, PreparableFormat):
        raise UserError(f"the data of {task.name} is read into memory, and cannot be prepared")
    format.check(task.settings)
    return format
