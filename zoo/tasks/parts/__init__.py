"""The four parts of a task: its format, its input, its answer and its recipe.

A task file declares them, and `zoo.tasks.task.Task` does everything else with them. The parts have
no state: what training data make of them is in `Learned` and `Fitted`.
"""

from dataclasses import dataclass
from typing import Any, Generic

from zoo.tasks.parts.answer import Answer
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import AnyFitted, Fitted, Learned, Pretrained, Start
from zoo.tasks.parts.format import Format
from zoo.tasks.parts.input import Input
from zoo.tasks.parts.kinds import E, H, P, S
from zoo.tasks.parts.predictor import Predictor
from zoo.tasks.parts.preview import Pictures, PreviewRow
from zoo.tasks.parts.recipe import EPOCHS, Recipe

__all__ = [
    "EPOCHS",
    "Answer",
    "AnyFitted",
    "AnyParts",
    "AnyPredictor",
    "Baselines",
    "Fitted",
    "Format",
    "Input",
    "Learned",
    "Parts",
    "Pictures",
    "Predictor",
    "Pretrained",
    "PreviewRow",
    "Recipe",
    "Start",
]


@dataclass(frozen=True)
class Parts(Generic[S, P, E, H]):
    """The parts of a task.

    Args:
        format: What users have.
        input: What the model reads.
        answer: What it answers.
        recipe: How it is trained.
        purpose: What its main signature does, in one sentence, in which `{row}` stands for what one
            input is.
        preview: What the rows of a report show, in one sentence.
        pictures: What a report draws besides; None if it draws nothing.
    """

    format: Format[S, P, E]
    input: Input[S, P, E]
    answer: Answer[S, P, E, H]
    recipe: Recipe[Fitted[S, P], Any, E, H]
    purpose: str
    preview: str = "Inputs with the predictions of the model."
    pictures: Pictures | None = None


AnyParts = Parts[Any, Any, Any, Any]
AnyPredictor = Predictor[AnyFitted, Any]
