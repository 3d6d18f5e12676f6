"""Raw inputs of tasks on texts: plain texts, texts with masks, and words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from zoo.data.examples import ExampleRow, TextExamples
from zoo.data.readers.encodings import is_valid
from zoo.data.readers.roles import DOCUMENT, SOURCE, Role
from zoo.errors import UserError
from zoo.preprocessing.text import TEXT
from zoo.tasks.formats.documents import DocumentExamples
from zoo.tasks.parts.kinds import S
from zoo.text.masked import masked_word, spaced

E = TypeVar("E", bound=TextExamples)


class RawTexts(Generic[S, E]):
    """Texts as users give them to a task."""

    def check(self, settings: S) -> None:
        """Raises a `UserError` if settings contradict each other."""

    def check_examples(self, examples: E, settings: S) -> None:
        """Raises a `UserError` if examples have another form than settings say."""

    def raw(self, data: Any, settings: S) -> dict[str, Sequence[Any]]:
        """The argument of `predict` as raw inputs by name."""
        return {TEXT: listed(data)}

    def row(self, settings: S) -> str:
        """What one input is."""
        return "text"

    def roles(self, settings: S) -> tuple[Role, ...]:
        """The roles of the columns of a table that have the inputs."""
        return DOCUMENT

    def sample(self, examples: E, count: int) -> dict[str, list[Any]]:
        """The first raw inputs, which are kept with a model to verify its artifacts."""
        return examples.sample(count)

    def first_rows(self, examples: E, count: int) -> list[ExampleRow]:
        """The first examples, for a report."""
        return examples.first_rows(count)


class Sources(RawTexts[S, E]):
    """Source texts, for which a task writes target texts."""

    def roles(self, settings: S) -> tuple[Role, ...]:
        return (SOURCE,)


@dataclass(frozen=True)
class MaskedTexts(RawTexts[S, DocumentExamples]):
    """Texts with masks, each of which is a separate word, even without a space before it.

    Args:
        check_settings: Function that raises a `UserError` if settings contradict each other.
    """

    check_settings: Callable[[S], None] | None = None

    def check(self, settings: S) -> None:
        if self.check_settings is not None:
            self.check_settings(settings)

    def raw(self, data: Any, settings: S) -> dict[str, Sequence[Any]]:
        return {TEXT: [spaced(text) for text in listed(data)]}

    def sample(self, examples: DocumentExamples, count: int) -> dict[str, list[Any]]:
        """The first sentences, each with one word masked; of prepared data what was kept."""
        texts = examples.readable
        if texts is None:
            return examples.sample(count)
        return {TEXT: [masked_word(text) for text in texts.sentences()[:count]]}

    def first_rows(self, examples: DocumentExamples, count: int) -> list[ExampleRow]:
        """The first sentences with one word masked, and as they were."""
        rows = [(masked_word(text), text) for text in examples.sentences()[:count]]
        return [ExampleRow(masked, masked, text) for masked, text in rows]


class Words(RawTexts[S, E]):
    """Texts that are split at whitespace, or lists of words."""

    def raw(self, data: Any, settings: S) -> dict[str, Sequence[Any]]:
        return {TEXT: [each if isinstance(each, str) else " ".join(each) for each in listed(data)]}


def listed(texts: Any) -> Any:
    """Returns the texts, which must be a list.

    Raises:
        UserError: If a text is not Unicode.
        ValueError: If it is a single string, whose characters would be taken for texts.
    """
    if isinstance(texts, str):
        raise ValueError("texts must be a list of strings; received a single string.")
    for number, text in enumerate(texts, 1):
        for part in [text] if isinstance(text, str) else text:
            if not is_valid(part):
                raise UserError(
                    f"text {number} has half of a surrogate pair, which is no character"
                )
    return texts
