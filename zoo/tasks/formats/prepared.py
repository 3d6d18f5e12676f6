"""The format of data that may be larger than memory, and are then prepared piece by piece."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from zoo.data.batching.tokenized import Tokenized
from zoo.data.examples import TextExamples
from zoo.data.in_memory import TextsInMemory
from zoo.data.readers.column_names import ReadOptions
from zoo.data.shards.examples import PreparedExamples, read_prepared
from zoo.data.tokenization import Tokenization
from zoo.options import options_of, values_of
from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.parts import Format
from zoo.tasks.parts.kinds import S

P = TypeVar("P", bound=TokenPreprocessor)
E = TypeVar("E", bound=TextsInMemory)

OF_TOKENIZER = ("tokenizer", "vocabulary_size")


def completed(settings: S, prepared: Mapping[str, Any], depends_on: Sequence[str]) -> S:
    """The settings of a task with those that its training data was prepared with.

    Args:
        settings: The settings. Those that were given stay, except those of the tokenizer.
        prepared: The settings of the data; empty if it is not prepared.
        depends_on: The settings that tokenized examples depend on.
    """
    now = values_of(settings)
    values = dict(now)
    if prepared:
        values |= {name: prepared.get(name) for name in depends_on if now[name] is None}
    values |= {name: prepared[name] for name in OF_TOKENIZER if name in prepared and name in now}
    return options_of(type(settings), values)


@dataclass(frozen=True)
class PreparableFormat(Format[S, P, E | PreparedExamples], Generic[S, P, E]):
    """Texts that are read into memory, or that are tokenized into shards, piece by piece.

    Args:
        task: Name of the task.
        read_texts: Function from data, and how tables are read, to examples.
        read_pieces: The same, a piece at a time.
        tokenize: Function to columns from examples, the number of a piece of them, the settings and
            the preprocessor.
        column_kinds: "scalars" or "sequences", by name of the columns that it makes.
        sorted_by: The columns that determine the length of a row.
        depends_on: The settings that the columns depend on.
        limits: Function from settings to the number above the values of columns that are no ids.
        complete: Function from examples and settings to those that the examples determine besides.
        check: Function that raises a `UserError` if data cannot be prepared for a model.
        read_scored: Function that reads data to evaluate, if they have another form.
        count: Function from examples to their size.
        read_otherwise: Function that reads data in another form that settings ask for; else None.
        to_evaluate: Function from settings to those with which data to evaluate are read.
    """

    task: str
    read_texts: Callable[[Any, ReadOptions], E]
    read_pieces: Callable[[Any, ReadOptions], Iterator[E]]
    tokenize: Callable[[E, int, S, P], Tokenized]
    column_kinds: Mapping[str, str]
    sorted_by: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    limits: Callable[[S], Mapping[str, int]] = field(default=lambda settings: {})
    complete: Callable[[TextExamples, S], S] = field(default=lambda examples, settings: settings)
    check: Callable[[S], None] = field(default=lambda settings: None)
    read_scored: Callable[[Any, ReadOptions], E] | None = None
    count: Callable[[E], int] = len
    read_otherwise: Callable[[Any, S], E | None] = field(default=lambda data, settings: None)
    to_evaluate: Callable[[S], S] = field(default=lambda settings: settings)

    def read(self, data: Any, settings: S, learned: P | None) -> E | PreparedExamples:
        examples = self.read_otherwise(data, settings)
        if examples is not None:
            return examples
        options = ReadOptions.of(values_of(settings))
        return read_prepared(data, self.task) or self.read_texts(data, options)

    def read_to_evaluate(self, data: Any, settings: S, learned: P | None) -> E | PreparedExamples:
        if self.read_scored is not None:
            return self.read_scored(data, ReadOptions.of(values_of(settings)))
        examples = self.read(data, self.to_evaluate(settings), learned)
        _ = examples.inputs  # raises for prepared data, which has no texts
        return examples

    def check_readable(self, data: Any, task: str) -> None:
        pass

    def size(self, examples: E | PreparedExamples) -> int:
        texts = examples.readable
        return len(examples) if texts is None else self.count(texts)

    def settings(self, examples: E | PreparedExamples, settings: S) -> S:
        return self.complete(examples, completed(settings, examples.settings, self.depends_on))

    def pieces(self, data: Any, settings: S) -> Iterator[E]:
        """Reads data a piece at a time."""
        return self.read_pieces(data, ReadOptions.of(values_of(settings)))

    def tokenization(self, settings: S, preprocessor: P) -> Tokenization[E]:
        """How examples are tokenized."""

        def function(examples: E, number: int) -> Tokenized:
            return self.tokenize(examples, number, settings, preprocessor)

        values, tokenizer = values_of(settings), preprocessor.tokenizer
        own = {name: values[name] for name in self.depends_on}
        ids = dict.fromkeys(self.column_kinds, tokenizer.vocabulary_size)
        limits = {**ids, **self.limits(settings)}
        return Tokenization(function, tokenizer, {**own, "start": preprocessor.start}, limits)
