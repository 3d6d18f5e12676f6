"""Baselines of tasks that give one label, or any number."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zoo.data.label_sets import LabelSetRows
from zoo.tasks.baselines.label_sets import LabelSetBaseline, LabelSetBaselines
from zoo.tasks.measuring import Judged
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import AnyFitted


@dataclass(frozen=True)
class OneOrSeveralBaselines(Baselines[AnyFitted, Any, Any]):
    """Those of one label or, of examples with several labels, those of several.

    Args:
        one: The baselines of one label.
        several: The baselines of several labels.
    """

    one: Baselines[Any, Any, Any]
    several: LabelSetBaselines

    def _own(self, is_several: bool) -> Baselines[Any, Any, Any]:
        return self.several if is_several else self.one

    def fit(self, examples: Any, fitted: AnyFitted) -> Any:
        return self._own(isinstance(examples, LabelSetRows)).fit(examples, fitted)

    def judged(self, learned: Any, examples: Any, fitted: AnyFitted) -> Mapping[str, Judged]:
        is_several = isinstance(learned, LabelSetBaseline)
        if is_several != isinstance(examples, LabelSetRows):
            return {}
        return self._own(is_several).judged(learned, examples, fitted)

    def load(self, folder: Path) -> Any:
        return self.several.load(folder) or self.one.load(folder)
