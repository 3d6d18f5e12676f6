"""Base classes of the tasks that are trained on plain text, with and without masks."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from zoo.data.readers.documents import Documents, read_documents, read_documents_in_pieces
from zoo.data.shards.manifest import Shards
from zoo.tasks.prepared import PreparedTask
from zoo.text.masked import masked_word, spaced
from zoo.text.sentences import split_sentences
from zoo.text.special_tokens import MASK
from zoo.text.tokenizer import Tokenizer
from zoo.text.wordpiece import WordPieceTokenizer


class PlainTextTask(PreparedTask):
    """A task that is trained on documents."""

    row_columns = ("texts",)

    def read(self, data: Any) -> Any:
        return self.stored(data) or read_documents(data, self.settings)

    def pieces(self, data: Any) -> Iterator[Documents]:
        return read_documents_in_pieces(data, self.settings)

    def texts(self, examples: Documents) -> Iterable[str]:
        return examples.texts

    def size(self, examples: Documents) -> int:
        return sum(map(len, examples.texts))


class MaskedTextTask(PlainTextTask):
    """A task on texts with masks; its tokenizer is a WordPiece tokenizer with a mask token."""

    def train_tokenizer(self, texts: Iterable[str]) -> Tokenizer:
        return WordPieceTokenizer.train(texts, self.settings.vocabulary_size, always=[MASK])

    def sample_inputs(self, examples: Documents, count: int) -> dict[str, list[str]]:
        """The first sentences, each with one word masked."""
        if isinstance(examples, Shards):
            return super().sample_inputs(examples, count)
        return {"text": [masked_word(text) for text in self.references(examples)[:count]]}

    def references(self, examples: Documents) -> list[str]:
        """The sentences of the first document."""
        return split_sentences(examples.texts[0])

    def raw_inputs(self, data: Sequence[str]) -> dict[str, Sequence[str]]:
        # A mask is always a separate word, even without a space before it.
        return {"text": [spaced(text) for text in super().raw_inputs(data)["text"]]}
