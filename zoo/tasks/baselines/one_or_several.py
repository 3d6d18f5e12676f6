"""Baselines of tasks that give one label, or any number."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

from zoo.data.label_sets import LabelSetRows
from zoo.tasks.baselines.label_sets import LabelSetBaseline, LabelSetBaselines
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import Fitted
from zoo.tasks.parts.kinds import E, M, P, S


@dataclass(frozen=True)
class OneOrSeveralBaselines(Baselines[S, P, M, E, Any], Generic[S, P, M, E]):
    """Those of one label or, of examples with several labels, those of several.

    Args:
        one: The baselines of one label.
        several: The baselines of several labels.
    """

    one: Baselines[Any, P, M, Any, Any]
    several: LabelSetBaselines[Any, P, M, Any]

    def _own(self, is_several: bool) -> Baselines[Any, P, M, Any, Any]:
        return self.several if is_several else self.one

    def fit(self, examples: E, fitted: Fitted[S, P, M]) -> Any:
        return self._own(isinstance(examples, LabelSetRows)).fit(examples, fitted)

    def scores(self, learned: Any, examples: E, fitted: Fitted[S, P, M]) -> dict[str, float]:
        is_several = isinstance(learned, LabelSetBaseline)
        if is_several != isinstance(examples, LabelSetRows):
            return {}
        return self._own(is_several).scores(learned, examples, fitted)

    def load(self, folder: Path) -> Any:
        return self.several.load(folder) or self.one.load(folder)
