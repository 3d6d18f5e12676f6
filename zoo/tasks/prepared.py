"""Tasks whose data may be prepared: tokenized into shards, and trained on with constant memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.tokenized import Tokenized
from zoo.data.readers.files import is_path, name_of, paths_of
from zoo.data.shards.batches import ShardBatches
from zoo.data.shards.columns import columns_of
from zoo.data.shards.manifest import TASK, Shards, is_shards, read_shards
from zoo.errors import UserError
from zoo.option_names import option_name
from zoo.preprocessing.base import Preprocessor
from zoo.tasks.config import read_config
from zoo.tasks.folder import TOKENIZER
from zoo.tasks.load import load, task_class
from zoo.tasks.preparing import Preparation, load_preparation, preparable_format
from zoo.tasks.saving import replacing_run
from zoo.tasks.text import TextTask
from zoo.text import load_tokenizer

KNOWN = ("model", "preset", "tokenizer", "vocabulary_size")  # taken from prepared data by default


class PreparedTask(TextTask):
    """A task on texts that can be trained on more data than fits into memory.

    A subclass implements `pieces` and `tokenized`, and sets the names below.
    """

    row_columns: ClassVar[tuple[str, ...]]  # of examples: lists with a text or label for each row
    column_kinds: ClassVar[dict[str, str]]  # of tokenized examples: "scalars" or "sequences"
    sorted_by: ClassVar[tuple[str, ...]]  # the columns that determine the length of a row
    depends_on: ClassVar[tuple[str, ...]] = ()  # the settings that tokenized examples depend on

    @property
    def seed(self) -> int:
        """Seed of the random sample from which a tokenizer is trained."""
        seed: int = self.settings.seed
        return seed

    def pieces(self, data: Any) -> Iterator[Any]:
        """Reads data a piece at a time: examples, as `read` returns them."""
        raise NotImplementedError

    def tokenized(self, examples: Any, number: int = 0) -> Tokenized:
        """Tokenizes examples.

        Args:
            examples: All examples, or a piece of them.
            number: The number of the piece.
        """
        raise NotImplementedError

    def prepare(
        self,
        data: Any,
        folder: str | Path,
        processes: int | None = None,
        verbose: bool = True,
    ) -> int:
        """Tokenizes data into a folder, from which `adapt` and `fit` read it with constant memory.

        If it is stopped, another call with the same arguments continues after the last shard. The
        tokenizer is that of the task, if it has one, or else it is trained on a random sample.

        Args:
            data: The data, in the form that `fit` takes.
            folder: The folder.
            processes: Number of processes. Default: the number of cores.
            verbose: Show progress.

        Returns:
            The number of rows.

        Raises:
            UserError: If a row is not valid, the folder has other data, another process is
                preparing data there, or the disk is full.

        Example:
            >>> import zoo
            >>> folder = getfixture("tmp_path") / "shards"
            >>> task = zoo.CausalLM("rnn_lm", "tiny", units=16, max_length=8, max_new_tokens=4)
            >>> task.prepare(["to be or not to be"], folder, processes=1)
            1
            >>> task.adapt(folder)
            >>> task.fit(folder, epochs=1, xla=False, verbose=False).epoch
            [1]
        """
        from zoo.data.shards.prepare import prepare

        if self.reads_sentences:
            raise UserError(
                f"{self.settings.model} reads documents of sentences, which cannot be prepared: "
                "choose another model"
            )
        return prepare(self, data, Path(folder), load_prepared, processes, verbose)

    def check_readable(self, data: Any) -> None:
        pass

    def stored(self, data: Any) -> Shards | None:
        """The shards, if data are prepared data."""
        if not is_shards(data):
            if is_path(data) and any(is_shards(path) for path in paths_of(data)):
                raise UserError(
                    "prepared data must be given as one folder, by its name: prepare all files "
                    "together"
                )
            return None
        found = read_shards(Path(data[0] if isinstance(data, list | tuple) else data))
        if found.task != self.name:
            raise UserError(f"{found.folder} is prepared for {found.task}, not for {self.name}")
        return found

    def learn(self, examples: Any) -> Preprocessor:
        if isinstance(examples, Shards):
            return self._learn_prepared(examples.folder / TASK, examples.settings)
        return super().learn(examples)

    def sample_inputs(self, examples: Any, count: int) -> dict[str, list[Any]]:
        if isinstance(examples, Shards):
            return {name: rows[:count] for name, rows in examples.examples.items()}
        return super().sample_inputs(examples, count)

    # --- What the batches are made of ---

    def tokens(self, examples: Any) -> Any:
        """Tokenizes examples; of prepared data, the columns on the disk."""
        if not isinstance(examples, Shards):
            return self.tokenized(examples)
        self._check_same(examples)
        columns: Any = columns_of(examples, self.limits, self.special_tokens.pad)
        return Tokenized(columns, examples.statistics)

    @property
    def limits(self) -> dict[str, int]:
        """The number above the values of each column."""
        return dict.fromkeys(self.column_kinds, self.tokenizer.vocabulary_size)

    def bucketed(self, examples: Any, tokens: Tokenized, *args: Any, **options: Any) -> Any:
        """`BucketedBatches` of examples, which may be prepared data."""
        if isinstance(examples, Shards):
            return ShardBatches(examples, tokens.columns, *args, **options)
        options["statistics"] = tokens.statistics
        return BucketedBatches(tokens.columns, *args, **options)

    # --- Preparing ---

    def identity(self) -> dict[str, Any]:
        """What determines the shards, besides the data."""
        found = {"task": self.name, "settings": self.settings.values()}
        given = self._preprocessor or self.pretrained
        return found | {"tokenizer": None if given is None else given.tokenizer.facts()}

    def source_of(self, data: Any) -> str:
        """The names of the files, for the log."""
        return name_of(data)

    def learn_to_prepare(self, examples: Any, labels: list[str]) -> None:
        """Learns the tokenizer from a sample, unless the task has one; and takes all labels."""
        if labels and getattr(self.settings, "labels", labels) is None:
            self.settings.labels = labels
        self.examples = self.sample_inputs(examples, 8)
        if self._preprocessor is None:
            self._preprocessor = self.learn(examples)

    def prepared_settings(self) -> dict[str, Any]:
        """The settings that the shards depend on, and those of the model as defaults."""
        names = {*self.depends_on, *KNOWN} & set(self.settings.names())
        found = {name: getattr(self.settings, name) for name in sorted(names)}
        return {**found, "start": self._starts(self.preprocessor)}

    @staticmethod
    def _starts(preprocessor: Preprocessor) -> bool:
        return bool(getattr(preprocessor, "start", False))

    def save_prepared(self, folder: Path) -> None:
        """Saves what a process needs to tokenize, as a run folder without weights."""
        facts: dict[str, Any] = dict.fromkeys(("training", "files", "data", "examples"), {})
        with replacing_run(folder, {**self.config, **facts}) as new:
            self.save_preprocessor(new)

    def use_prepared(self, folder: Path) -> None:
        """Takes the tokenizer and the labels from what `save_prepared` wrote."""
        config = read_config(folder)
        self._preprocessor = self._learn_prepared(folder, config["settings"])

    def _learn_prepared(self, folder: Path, settings: dict[str, Any]) -> Preprocessor:
        for name in self.depends_on:
            if getattr(self.settings, name) is None:
                setattr(self.settings, name, settings.get(name))
        kinds = {n: settings[n] for n in KNOWN[2:] if n in settings and n in self.settings.names()}
        values = {**self.settings.values(), **kinds}
        self.settings = type(self.settings).of(values, self.name)  # validates them
        tokenizer = load_tokenizer(folder / TOKENIZER)
        if self.pretrained is not None and self.pretrained.tokenizer.facts() != tokenizer.facts():
            raise UserError(
                f"{folder.parent} has another vocabulary than the pretrained model: prepare the "
                f"data with the same {option_name('pretrained')}"
            )
        return self.preprocessor_for(tokenizer)

    def _check_same(self, shards: Shards) -> None:
        """Refuses shards that were prepared in another way than this task reads texts."""
        now = self.prepared_settings()
        for name in (*self.depends_on, "start"):
            then = shards.settings.get(name)
            if then != now[name]:
                raise UserError(
                    f"{shards.folder} is prepared with {name} {then}, and the task has "
                    f"{now[name]}: use the same, or prepare the data again"
                )
        tokenizer = load_tokenizer(shards.folder / TASK / TOKENIZER)
        if tokenizer.facts() != self.tokenizer.facts():
            raise UserError(
                f"{shards.folder} is prepared with another vocabulary: prepare the data with "
                "--like the training data"
            )


def like(folder: Path) -> Any:
    """A task that tokenizes like prepared data, or like a run."""
    if is_shards(folder):
        prepared = load_prepared(folder / TASK)
        return prepared.task if isinstance(prepared, Preparation) else prepared
    task = load(folder)
    if not isinstance(task, PreparedTask):
        preparable_format(task)
    return task


def load_prepared(folder: Path) -> Any:
    """What tokenizes like the one that `save_prepared` wrote; it has no model."""
    config = read_config(folder)
    task = task_class(config["task"])(**config["settings"])
    if not isinstance(task, PreparedTask):
        return load_preparation(folder)
    task.use_prepared(folder)
    return task
