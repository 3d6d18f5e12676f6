"""The answers of several tasks, each of its kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from zoo.data.batching.batches import Batches
from zoo.data.batching.interleaved import InterleavedTasks
from zoo.data.several_tasks import ExamplesOfTasks
from zoo.errors import UserError
from zoo.heads.head import Reader
from zoo.heads.several import HeadOfTasks
from zoo.preprocessing.text import TextPreprocessor
from zoo.serving.inference import Inference
from zoo.tasks.kinds import Kinds
from zoo.tasks.kinds.kind import FittedTasks
from zoo.tasks.measurement import Mean
from zoo.tasks.measuring import JudgedTasks
from zoo.tasks.options.multi_task import Settings
from zoo.tasks.parts import Answer, Predictor, PreviewRow
from zoo.training.calibration import TunedTasks
from zoo.training.score_scaling import ScoreScaling

PredictorOfTasks = Predictor[FittedTasks, HeadOfTasks]


@dataclass(frozen=True)
class AnswersOfTasks(Answer[Settings, TextPreprocessor, ExamplesOfTasks, HeadOfTasks]):
    """The answer of its task for each row: what the single task would answer.

    Args:
        kinds: The kinds of tasks.
    """

    kinds: Kinds

    def is_judged(self, settings: Settings) -> bool:
        members = self.kinds.members(settings).values()
        return all(member.parts.answer.is_judged(member.settings) for member in members)

    def learn(self, examples: ExamplesOfTasks, settings: Settings) -> Settings:
        for name, part in examples.parts.items():
            single = self.kinds.member(settings, name)
            parts = single.parts
            learned = parts.answer.learn(part, parts.format.settings(part, single.settings))
            settings = self.kinds.with_learned(settings, name, learned)
        return settings

    def sizes(self, settings: Settings) -> dict[str, Any]:
        members = self.kinds.members(settings)
        return {
            "num_classes": {name: member.num_classes for name, member in members.items()},
            "of_words": [name for name, member in members.items() if member.kind.of_words],
            "learned_weights": settings.learn_weights,
        }

    def head(self, settings: Settings, preprocessor: TextPreprocessor) -> HeadOfTasks:
        members = self.kinds.members(settings)
        kinds = {name: self.kinds.of(settings, name) for name in members}
        return HeadOfTasks({name: member.head for name, member in members.items()}, kinds)

    def scaled(self, head: HeadOfTasks, scaling: ScoreScaling) -> HeadOfTasks:
        heads = {}
        for name, kind in head.kinds.items():
            answer = self.kinds.by_name[kind].parts.answer
            heads[name] = answer.scaled(head.heads[name], scaling.of_task(name))
        return replace(head, heads=heads)

    def calibration(self, fitted: FittedTasks, held_out: Batches) -> TunedTasks:
        assert isinstance(held_out, InterleavedTasks)
        tuned = {}
        for name, part in held_out.parts.items():
            member = self.kinds.member(fitted.settings, name)
            calibration = member.parts.answer.calibration(member.fitted(fitted), part)
            if calibration is not None:
                tuned[name] = calibration
        return TunedTasks(tuned)

    def inferences(
        self, fitted: FittedTasks, head: HeadOfTasks, reader: Reader, options: Mapping[str, Any]
    ) -> dict[str, Inference]:
        """The inference of each task."""
        renamed = {}
        for name, member in self.kinds.members(fitted.settings).items():
            parts, single = member.parts, member.fitted(fitted)
            own = parts.input.reader(single)
            inferences = parts.answer.inferences(single, head.heads[name], own, options)
            renamed[member.inference] = inferences[own.name]
        return renamed

    def check_exportable(self, settings: Settings) -> None:
        name = self.kinds.names(settings)[0]
        raise UserError(f"export one task at a time: task.single_task({name!r})")

    def predict(
        self, predictor: PredictorOfTasks, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> dict[str, list[Any]]:
        """The answer for each input.

        Args:
            predictor: Computes answers.
            data: Inputs as the single tasks take them, by name of the task.
            batch_size: Batch size. Texts of similar length are batched together.
            options: Nothing.

        Returns:
            A list of answers, by name of the task.
        """
        members = {name: self.kinds.member(predictor.fitted.settings, name) for name in data}
        return {
            name: member.parts.answer.predict(
                member.predictor(predictor), data[name], batch_size, options
            )
            for name, member in members.items()
        }

    def preview(
        self, predictor: PredictorOfTasks, examples: ExamplesOfTasks, count: int
    ) -> list[PreviewRow]:
        of_each, shown = examples.rows_of_each(count), []
        for name, part in examples.parts.items():
            member = self.kinds.member(predictor.fitted.settings, name)
            for row in member.parts.answer.preview(member.predictor(predictor), part, of_each):
                shown.append(row._replace(source=f"{name}: {row.source}", input=(name, row.input)))
        return shown

    def judged_tasks(self, predictor: PredictorOfTasks, examples: ExamplesOfTasks) -> JudgedTasks:
        settings, tokenizer = predictor.fitted.settings, predictor.fitted.preprocessor.tokenizer
        judged = {}
        for name, part in examples.parts.items():
            member = self.kinds.member(settings, name)
            member.check_examples(part, tokenizer)
            judged[name] = member.parts.answer.judged(member.predictor(predictor), part)
        return judged

    def mean(self, settings: Settings, names: Sequence[str]) -> Mean:
        """The mean of the metrics of tasks that select the best epoch."""
        members = self.kinds.members(settings)
        kinds = [self.kinds.of(settings, name) for name in members]
        metrics = [f"{name}_{members[name].kind.metric}" for name in names]
        return Mean(self.kinds.mean(kinds), metrics)
