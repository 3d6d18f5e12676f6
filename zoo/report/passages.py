"""Passages in a report, each with the answer of the model marked in it."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from zoo.heads.spans import PassageAnswer
from zoo.report import html
from zoo.tasks.parts import PreviewRow

if TYPE_CHECKING:
    from zoo.data.readers.answers import AnsweredQuestions
    from zoo.tasks.task import Task

SHOWN = 12  # maximum number of passages
LONGEST = 1500  # characters of a passage around the answer


def section(task: "Task", examples: "AnsweredQuestions", rows: Sequence[PreviewRow]) -> str:
    """The section of the page with the first passages of the data."""
    shown = [row.input for row in rows[:SHOWN]]
    answers = zip(shown, examples.texts_of_answers, task.predict(shown), strict=False)
    return html.section(
        "Answers in their passages",
        "The answer of the model is marked in the passage: green if it is one of the right ones.",
        *(_passage(question, passage, *both) for (question, passage), *both in answers),
    )


def _passage(question: str, passage: str, right: list[str], given: PassageAnswer) -> str:
    return (
        f'<div class="passage"><h3>{html.text(question)}</h3>\n'
        f"<p>{marked(passage, given, is_right(given, right))}</p></div>"
    )


def is_right(given: PassageAnswer, right: list[str]) -> bool:
    """Whether an answer is one of the right ones, or there is none."""
    return given["text"] in (right or [""])


def marked(passage: str, given: PassageAnswer, right: bool) -> str:
    """A passage as HTML, with the answer marked; of a long one, what is near the answer.

    Example:
        >>> marked("Ann <3 hats", {"text": "hats", "score": 0.9, "start": 7, "end": 11}, True)
        '<bdi dir="auto">Ann &lt;3 <mark class="right" title="0.90">hats</mark></bdi>'
    """
    start, end = given["start"], given["end"]
    begin, stop = max(0, start - LONGEST // 2), min(len(passage), end + LONGEST // 2)
    before = ("… " if begin else "") + passage[begin:start]
    after = passage[end:stop] + (" …" if stop < len(passage) else "")
    kind, score = "right" if right else "wrong", f"{given['score']:.2f}"
    answer = f'<mark class="{kind}" title="{score}">{escape(passage[start:end])}</mark>'
    shown = answer if given["text"] else f"<em>no answer ({score})</em> "
    return f'<bdi dir="auto">{escape(before)}{shown}{escape(after)}</bdi>'
