"""Documents of plain text, of which pairs of texts are made."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from zoo.data.batching.tokenized import Tokenized
from zoo.data.pretraining.sentence_pairs import make_pairs
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.documents import Documents, read_documents, read_documents_in_pieces
from zoo.data.shards.examples import PreparedExamples, read_prepared
from zoo.data.shards.manifest import SCALARS, SEQUENCES
from zoo.heads.filled_masks import FilledMasksHead
from zoo.preprocessing.text import TextPreprocessor
from zoo.tasks.formats.prepared import completed
from zoo.tasks.options.masked_lm import Settings
from zoo.tasks.parts import PreparableFormat

MaskedTextExamples = Documents | PreparedExamples


@dataclass(frozen=True)
class MaskedTextFormat(PreparableFormat[Settings, TextPreprocessor, MaskedTextExamples]):
    """Text files, folders of them, tables with a document in each row, or prepared data.

    Args:
        task: Name of the task.
    """

    task: str
    column_kinds = {"token_ids": SEQUENCES, "is_random": SCALARS}  # noqa: RUF012  # not a field
    sorted_by = ()
    depends_on = ("max_length",)

    def read(
        self, data: Any, settings: Settings, learned: TextPreprocessor | None
    ) -> MaskedTextExamples:
        prepared = read_prepared(data, self.task)
        return prepared or read_documents(data, ReadOptions.of(settings.values()))

    def size(self, examples: MaskedTextExamples) -> int:
        return sum(map(len, examples.every_text()))

    def settings(self, examples: MaskedTextExamples, settings: Settings) -> Settings:
        return completed(settings, examples.settings, self.depends_on)

    def pieces(self, data: Any, settings: Settings) -> Iterator[Documents]:
        return read_documents_in_pieces(data, ReadOptions.of(settings.values()))

    def tokenization(
        self, settings: Settings, preprocessor: TextPreprocessor, head: FilledMasksHead
    ) -> "SentencePairs":
        return SentencePairs(preprocessor, settings.seed)


@dataclass(frozen=True)
class SentencePairs:
    """The columns `token_ids` and `is_random` of pairs of texts; a `Tokenization`.

    Args:
        preprocessor: Converts texts to ids.
        seed: Seed of the pairs.
    """

    preprocessor: TextPreprocessor
    seed: int = 0

    @property
    def settings(self) -> dict[str, Any]:
        return {"max_length": self.preprocessor.max_length, "start": self.preprocessor.start}

    @property
    def vocabulary(self) -> dict[str, Any]:
        return self.preprocessor.tokenizer.facts()

    @property
    def limits(self) -> dict[str, int]:
        return {"token_ids": self.preprocessor.tokenizer.vocabulary_size, "is_random": 2}

    @property
    def pad(self) -> int:
        return self.preprocessor.tokenizer.special_tokens.pad

    def __call__(self, examples: Documents, number: int = 0) -> Tokenized:
        return self.of(examples.texts, number)

    def of(self, texts: Sequence[str], number: int = 0) -> Tokenized:
        """The pairs of documents."""
        tokenizer, length = self.preprocessor.tokenizer, self.preprocessor.max_length
        return make_pairs(texts, tokenizer, length, (self.seed, number))
