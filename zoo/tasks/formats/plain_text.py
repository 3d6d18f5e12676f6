"""Documents of plain text, as users have them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from zoo.data.batching.tokenized import Tokenized
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.documents import Documents, read_documents, read_documents_in_pieces
from zoo.data.shards.examples import PreparedExamples, read_prepared
from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.formats.prepared import TokensOf, completed
from zoo.tasks.options.common import TaskSettings
from zoo.tasks.parts import PreparableFormat
from zoo.text.tokenizer import Tokenizer

S = TypeVar("S", bound=TaskSettings)
P = TypeVar("P", bound=TokenPreprocessor)

DocumentExamples = Documents | PreparedExamples
# From documents, the tokenizer, settings, and the number of a piece.
Tokenize = Callable[[Documents, Tokenizer, S, int], Tokenized]


@dataclass(frozen=True)
class PlainTextFormat(PreparableFormat[S, P, DocumentExamples], Generic[S, P]):
    """Text files, folders of them, or tables with a text in each row; or prepared data.

    Args:
        task: Name of the task.
        tokenize: Tokenizes documents.
        column_kinds: "scalars" or "sequences", by name of the columns that it makes.
        depends_on: The settings that the columns depend on.
        limits: The number above the values of columns that are no ids.
    """

    task: str
    tokenize: Tokenize[S]
    column_kinds: dict[str, str]
    depends_on: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)
    sorted_by = ()

    def read(self, data: Any, settings: S, learned: P | None) -> DocumentExamples:
        return read_prepared(data, self.task) or read_documents(
            data, ReadOptions.of(settings.values())
        )

    def size(self, examples: DocumentExamples) -> int:
        return sum(map(len, examples.texts))

    def settings(self, examples: DocumentExamples, settings: S) -> S:
        return completed(settings, examples.settings, self.depends_on)

    def pieces(self, data: Any, settings: S) -> Iterator[Documents]:
        return read_documents_in_pieces(data, ReadOptions.of(settings.values()))

    def tokenization(self, settings: S, preprocessor: P, head: Any) -> TokensOf[Documents]:
        tokenizer = preprocessor.tokenizer

        def tokenized(examples: Documents, number: int) -> Tokenized:
            return self.tokenize(examples, tokenizer, settings, number)

        values = settings.values()
        own = {name: values[name] for name in self.depends_on}
        ids = dict.fromkeys(self.column_kinds, tokenizer.vocabulary_size)
        start = {"start": preprocessor.start}
        return TokensOf(tokenized, tokenizer, {**own, **start}, {**ids, **self.limits})
