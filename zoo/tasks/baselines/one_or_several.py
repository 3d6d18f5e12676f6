"""Baselines of tasks that give one label, or any number."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zoo.tasks.baselines.label_sets import LabelSetBaselines
from zoo.tasks.measuring import Judged
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import AnyFitted


@dataclass(frozen=True)
class OneOrSeveralBaselines(Baselines[AnyFitted, Any, Any]):
    """Those of one label or, with `multi_label`, those of several.

    Args:
        one: The baselines of one label.
        several: The baselines of several labels.
    """

    one: Baselines[Any, Any, Any]
    several: LabelSetBaselines

    def _own(self, fitted: AnyFitted) -> Baselines[Any, Any, Any]:
        return self.several if fitted.settings.multi_label else self.one

    def fit(self, examples: Any, fitted: AnyFitted) -> Any:
        return self._own(fitted).fit(examples, fitted)

    def judged(self, learned: Any, examples: Any, fitted: AnyFitted) -> Mapping[str, Judged]:
        return self._own(fitted).judged(learned, examples, fitted)

    def load(self, folder: Path) -> Any:
        return self.several.load(folder) or self.one.load(folder)
