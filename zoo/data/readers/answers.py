"""Questions with their answers in passages."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from zoo.data.examples import ExampleRow
from zoo.data.in_memory import TextsInMemory
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.json_rows import texts_of
from zoo.data.readers.read_columns import TableData, read_columns
from zoo.data.readers.roles import ANSWERED
from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.json_file import parse_json


class Span(NamedTuple):
    """An answer, and where it is in its passage.

    Args:
        text: The answer.
        start: The number of characters before it.
    """

    text: str
    start: int

    @property
    def end(self) -> int:
        """The number of characters up to its end."""
        return self.start + len(self.text)


Answers = tuple[Span, ...]  # to a question, all of which are right; none if there is none


@dataclasses.dataclass(frozen=True)
class AnsweredQuestions(TextsInMemory):
    """Questions, the passages that answer them, and the answers.

    Args:
        questions: The questions.
        passages: The passage of each question.
        answers: The answers to each question.
    """

    questions: list[str]
    passages: list[str]
    answers: list[Answers]

    @property
    def columns(self) -> dict[str, list[Any]]:
        return {"questions": self.questions, "passages": self.passages, "answers": self.answers}

    @property
    def inputs(self) -> dict[str, list[str]]:
        return {"question": self.questions, "passage": self.passages}

    @property
    def texts_of_answers(self) -> list[list[str]]:
        """The texts of the answers to each question."""
        return [[answer.text for answer in answers] for answers in self.answers]

    def every_text(self) -> Iterator[str]:
        """All questions, and each passage once."""
        yield from self.questions
        yield from dict.fromkeys(self.passages)

    def first_rows(self, count: int) -> list[ExampleRow]:
        rows = zip(self.questions[:count], self.passages, self.answers, strict=False)
        return [
            ExampleRow(question, (question, passage), answers)
            for question, passage, answers in rows
        ]

    def __str__(self) -> str:
        none = sum(not answers for answers in self.answers)
        facts = f"{counted(len(self), 'questions')} on {counted(len({*self.passages}), 'passages')}"
        facts += f", {none:,} without an answer" if none else ""
        first = [answers[0].text if answers else "" for answers in self.answers]
        cells = {**self.inputs, "answer": first}
        names = {role: name for role, name in self.source.names.items() if role in cells}
        source = dataclasses.replace(self.source, names=names)
        return source.describe(f"{self.path}: {facts}", cells)


def read_answers(data: TableData, options: ReadOptions = DEFAULT) -> AnsweredQuestions:
    """Reads questions with passages and answers.

    The answer of a table is text of the passage; or a list of such texts in JSON; or an object of
    `text` and `answer_start`, as in the tables of SQuAD at Hugging Face. Where nothing says where
    an answer is, it is where its text first occurs. A question without an answer has an empty cell.

    Args:
        data: Tables, or files in the format of SQuAD, 1.1 or 2.0; or a list of (question, passage,
            answer), or of these with the number of characters before the answer.
        options: How tables are read.

    Raises:
        DataError: If a row is invalid, such as one whose answer is not in its passage.
        UserError: If a file is missing, has an unknown format or contains no questions, or its
            columns are ambiguous.

    Example:
        >>> rows = [("Who sings?", "Ann sings.", "Ann"), ("Who flies?", "Ann sings.", "")]
        >>> read_answers(rows).answers
        [(Span(text='Ann', start=0),), ()]
    """
    columns = read_columns(data, ANSWERED, "questions with passages and answers", options, problem)
    if not columns.cells.get("question"):
        raise UserError(f"{columns.path} contains no questions with passages and answers")
    cells = columns.cells
    rows = (dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True))
    answers = [answers_of(row) for row in rows]
    return AnsweredQuestions(
        columns.path, cells["question"], cells["passage"], answers, source=columns.source
    )


def problem(row: Mapping[str, str]) -> str | None:
    """Why a row is invalid; None if it is valid.

    Example:
        >>> problem({"passage": "Ann sings.", "answer": "Bob"})
        "the answer 'Bob' is not in its passage"
    """
    try:
        answers_of(row)
    except ValueError as error:
        return str(error)
    return None


def answers_of(row: Mapping[str, str]) -> Answers:
    """The answers of a row, from its cells by role.

    Raises:
        ValueError: If an answer is not in the passage, or not where the row says; the message says
            so in words.

    Example:
        >>> answers_of({"passage": "a hat, a red hat", "answer": "hat", "answer_start": "13"})
        (Span(text='hat', start=13),)
    """
    cell, start = row["answer"], row.get("answer_start", "").strip()
    if not cell.strip() or cell == "[]":
        return ()
    content = _object(cell)
    if content is not None:
        texts, starts = _listed(content)
    else:
        texts = texts_of(cell) or [cell]
        starts = [_number(start)] if start else [None] * len(texts)
        if len(starts) != len(texts):
            raise ValueError("answer_start is that of one answer, and there are several")
    return tuple(map(_span, [row["passage"]] * len(texts), texts, starts))


def _object(cell: str) -> dict[str, Any] | None:
    """The object that a cell is in JSON; None for any other text, which may begin with a brace."""
    try:
        content = parse_json(cell) if cell.startswith("{") else None
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def _listed(content: Mapping[str, Any]) -> tuple[list[str], list[int | None]]:
    """The texts of an object with `text` and `answer_start`, and where they are."""
    texts, starts = content.get("text"), content.get("answer_start")
    if (
        not isinstance(texts, list)
        or not isinstance(starts, list)
        or len(texts) != len(starts)
        or not all(isinstance(text, str) for text in texts)
        or not all(isinstance(start, int) for start in starts)
    ):
        raise ValueError(
            f"the answer {str(content)!r:.60} is not an object with a list of texts, text, and a "
            "list of as many numbers, answer_start"
        )
    return texts, starts


def _number(start: str) -> int:
    try:
        return int(float(start))
    except (ValueError, OverflowError):
        raise ValueError(
            f"answer_start must be a number of characters, not {start!r:.40}"
        ) from None


def _span(passage: str, text: str, start: int | None) -> Span:
    """An answer without spaces around it.

    Raises:
        ValueError: If it is not there.
    """
    if not text.strip():
        raise ValueError("an answer in a list is empty")
    if start is None:
        start, text = passage.find(text.strip()), text.strip()
        if start < 0:
            raise ValueError(f"the answer {text!r:.60} is not in its passage")
        return Span(text, start)
    if start < 0 or not passage.startswith(text, start):
        where = "where answer_start says" if text.strip() in passage else "in its passage"
        raise ValueError(f"the answer {text!r:.60} is not {where}")
    return Span(text.strip(), start + len(text) - len(text.lstrip()))
