"""Labels as the answer of a task: one for each row or, if the settings say so, any number."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from zoo.data.batching.batches import Batches
from zoo.heads.head import ClassHead, Reader
from zoo.serving.inference import Inference
from zoo.tasks.answers.label_sets import LabelSets
from zoo.tasks.answers.labels import Labels
from zoo.tasks.answers.ranked_labels import LabelOptions
from zoo.tasks.cells import Cells, Scored
from zoo.tasks.measuring import Judged
from zoo.tasks.options.label_sets import LabelSetSettings
from zoo.tasks.parts import Answer, AnyFitted, AnyPredictor, PreviewRow
from zoo.training.calibration import Tuned
from zoo.training.score_scaling import ScoreScaling

SEVERAL = LabelSets()


@dataclass(frozen=True)
class OneOrSeveral(Answer[Any, Any, Any, ClassHead]):
    """One label for each row or, with `multi_label`, any number.

    Args:
        one: The answer of one label.
    """

    one: Labels = field(default_factory=Labels)

    caveats = Labels.caveats
    options = LabelOptions

    def _own(self, settings: LabelSetSettings) -> Answer[Any, Any, Any, Any]:
        return SEVERAL if settings.multi_label else self.one

    def learn(self, examples: Any, settings: LabelSetSettings) -> LabelSetSettings:
        learned: LabelSetSettings = self._own(settings).learn(examples, settings)
        return learned

    def sizes(self, settings: LabelSetSettings) -> dict[str, Any]:
        return self._own(settings).sizes(settings)

    def head(self, settings: LabelSetSettings, preprocessor: Any) -> ClassHead:
        if settings.multi_label:
            return SEVERAL.head(settings, preprocessor)
        head, threshold = self.one.head(settings, preprocessor), settings.threshold or 0.0
        return replace(head, threshold=threshold, other=settings.other_label)

    def scaled(self, head: ClassHead, scaling: ScoreScaling) -> ClassHead:
        return head.scaled(scaling)

    def prior(self, examples: Any, settings: LabelSetSettings) -> tuple[float, ...]:
        return self._own(settings).prior(examples, settings)

    def calibration(self, fitted: AnyFitted, held_out: Batches) -> Tuned | None:
        return self._own(fitted.settings).calibration(fitted, held_out)

    def inferences(
        self, fitted: AnyFitted, head: ClassHead, reader: Reader, options: Mapping[str, Any]
    ) -> dict[str, Inference]:
        return self._own(fitted.settings).inferences(fitted, head, reader, options)

    def predict(
        self, predictor: AnyPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> Any:
        own = self._own(predictor.fitted.settings)
        return own.predict(predictor, data, batch_size, options)

    def cells(
        self, predictor: AnyPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> list[Cells]:
        own = self._own(predictor.fitted.settings)
        return own.cells(predictor, data, batch_size, options)

    def scored(
        self, predictor: AnyPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> list[Scored]:
        own = self._own(predictor.fitted.settings)
        return own.scored(predictor, data, batch_size, options)

    def preview(self, predictor: AnyPredictor, examples: Any, count: int) -> list[PreviewRow]:
        return self._own(predictor.fitted.settings).preview(predictor, examples, count)

    def judged(self, predictor: AnyPredictor, examples: Any) -> Judged:
        return self._own(predictor.fitted.settings).judged(predictor, examples)
