"""Documents of plain text, as users have them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from zoo.data.batching.tokenized import Tokenized
from zoo.data.pretraining.sentence_pairs import make_pairs
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.documents import Documents, read_documents, read_documents_in_pieces
from zoo.data.shards.examples import PreparedExamples
from zoo.data.shards.manifest import SCALARS, SEQUENCES
from zoo.preprocessing.text import TextPreprocessor, TokenPreprocessor
from zoo.tasks.formats.prepared import PreparableFormat
from zoo.tasks.options import masked_lm
from zoo.tasks.parts.kinds import S

P = TypeVar("P", bound=TokenPreprocessor)

DocumentExamples = Documents | PreparedExamples
MaskedTextFormat = PreparableFormat[masked_lm.Settings, TextPreprocessor, Documents]


def document_format(
    task: str,
    tokenize: Callable[[Documents, int, S, P], Tokenized],
    column_kinds: Mapping[str, str],
    depends_on: tuple[str, ...] = (),
    read: Callable[[Any, ReadOptions], Documents] = read_documents,
    read_pieces: Callable[[Any, ReadOptions], Iterator[Documents]] = read_documents_in_pieces,
    **options: Any,
) -> PreparableFormat[S, P, Documents]:
    """Text files, folders of them, or tables with a text in each row; or prepared data.

    Args:
        task: Name of the task.
        tokenize: Tokenizes documents; see `PreparableFormat`.
        column_kinds: "scalars" or "sequences", by name of the columns that it makes.
        depends_on: The settings that the columns depend on.
        read: Function from data, and how tables are read, to documents.
        read_pieces: The same, a piece at a time.
        **options: Others of `PreparableFormat`.
    """
    return PreparableFormat(
        task,
        read_texts=read,
        read_pieces=read_pieces,
        tokenize=tokenize,
        column_kinds=column_kinds,
        depends_on=depends_on,
        count=lambda examples: sum(map(len, examples.texts)),
        **options,
    )


def masked_text_format(task: str) -> MaskedTextFormat:
    """Documents of which pairs of texts are made, in the columns `token_ids` and `is_random`."""

    def tokenize(
        examples: Documents, number: int, settings: masked_lm.Settings, reader: TextPreprocessor
    ) -> Tokenized:
        return sentence_pairs(examples.texts, reader, settings.seed, number)

    kinds = {"token_ids": SEQUENCES, "is_random": SCALARS}
    return document_format(
        task, tokenize, kinds, ("max_length",), limits=lambda settings: {"is_random": 2}
    )


def sentence_pairs(
    texts: Sequence[str], preprocessor: TextPreprocessor, seed: int = 0, number: int = 0
) -> Tokenized:
    """The pairs of documents, or of a piece of them with its number; see `make_pairs`."""
    return make_pairs(texts, preprocessor.tokenizer, preprocessor.max_length, (seed, number))
