"""An artifact in name only, and weights that tell everything apart without any training."""

from typing import Any

import numpy as np


class StandIn:
    """What `evaluate_artifact` is given: it has the signatures, and runs the task itself."""

    def __init__(self, task: Any) -> None:
        self.task, self.signatures = task, task.signatures(strings=False)
        self.calls: list[str] = []

    def run(self, signature: str, inputs: dict[str, Any]) -> dict[str, np.ndarray]:
        self.calls.append(signature)
        assert set(inputs) == set(self.signatures[signature].inputs)
        main = self.task.preprocessor.feature_signature
        return self.task.program(main if signature == "serving_default" else signature)(inputs)


def scramble(model: Any, scale: float = 0.35) -> None:
    """Draws all weights anew, so that what the model says is far from even."""
    for number, weight in enumerate(model.weights):
        drawn = np.random.default_rng(number).normal(size=weight.shape)
        weight.assign(scale * drawn + (1.0 if "gamma" in weight.path else 0.0))
