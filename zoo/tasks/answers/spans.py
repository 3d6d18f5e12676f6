"""Spans of passages as the answer of a task."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from zoo.data.readers.answers import AnsweredQuestions
from zoo.errors import UserError
from zoo.heads.head import Reader
from zoo.heads.spans import NONE, SpansHead
from zoo.metrics.spans import AnswerRows
from zoo.preprocessing.passages import PassagePreprocessor
from zoo.registry.metrics import ANSWERS
from zoo.serving.inference import Inference
from zoo.tasks.cells import PREDICTION, SCORE, Cells
from zoo.tasks.measuring import Judged
from zoo.tasks.options.question_answering import Settings
from zoo.tasks.parts import Answer, Fitted, Predictor, PreviewRow

SpanPredictor = Predictor[Fitted[Settings, PassagePreprocessor], SpansHead]


class Spans(Answer[Settings, PassagePreprocessor, AnsweredQuestions, SpansHead]):
    """A part of the passage, or none if that is so for questions of the training data."""

    batch_size = 16
    caveats = (
        "It finds an answer in a passage that is given to it, and knows nothing else. Without "
        "`no_answer`, it gives an answer to every question, also where the passage has none.",
    )

    def learn(self, examples: AnsweredQuestions, settings: Settings) -> Settings:
        if not any(examples.answers):
            raise UserError(
                f"{examples.path} has no answers: name their column with --answer-column"
            )
        if settings.no_answer is not None:
            return settings
        return replace(settings, no_answer=not all(examples.answers))

    def sizes(self, settings: Settings) -> dict[str, Any]:
        return {"num_classes": 2}  # the first and the last token

    def head(self, settings: Settings, preprocessor: PassagePreprocessor) -> SpansHead:
        return SpansHead(settings.max_answer_length, bool(settings.no_answer))

    def inferences(
        self,
        fitted: Fitted[Settings, PassagePreprocessor],
        head: SpansHead,
        reader: Reader,
        options: Mapping[str, Any],
    ) -> dict[str, Inference]:
        return head.inferences(fitted.model, reader)

    def cells_of(self, result: Any, head: SpansHead) -> Cells:
        """The answer to a question, its score and its place in the passage."""
        indices = {name: result[name] for name in ("start", "end")}
        return {PREDICTION: result["text"], SCORE: result["score"], **indices}

    def preview(
        self, predictor: SpanPredictor, examples: AnsweredQuestions, count: int
    ) -> list[PreviewRow]:
        shown = predictor.input.first_rows(examples, count)
        results = self.predict(predictor, [row.data for row in shown], self.batch_size, {})
        return [
            PreviewRow(row.name, result, result if result in right else right[0], row.data)
            for row, result, right in zip(
                shown,
                map(predictor.head.text, results),
                ([answer.text for answer in row.reference] or [NONE] for row in shown),
                strict=True,
            )
        ]

    def judged(self, predictor: SpanPredictor, examples: AnsweredQuestions) -> Judged:
        def rows() -> AnswerRows:
            results = predictor.results(examples.inputs, self.batch_size)
            return AnswerRows(examples.texts_of_answers, [result["text"] for result in results])

        return {ANSWERS: rows}
