"""An artifact in name only, and weights that tell everything apart without any training."""

from typing import Any

import numpy as np
import tensorflow as tf


class StandIn:
    """What `evaluate_artifact` is given: it has the task's signatures, and runs them."""

    def __init__(self, task: Any) -> None:
        self._parts = task.export_parts(text=None).signatures
        self.signatures = {
            name: {"inputs": each.inputs, "outputs": each.outputs}
            for name, each in self._parts.items()
        }
        self.calls: list[str] = []
        self._traced: dict[str, Any] = {}

    def run(self, signature: str, inputs: dict[str, Any]) -> dict[str, np.ndarray]:
        self.calls.append(signature)
        chosen = self._parts[signature]
        assert set(inputs) == set(chosen.inputs)
        if signature not in self._traced:
            specs = {name: spec.tensorflow for name, spec in chosen.inputs.items()}
            traced = tf.function(chosen.infer, autograph=False)
            self._traced[signature] = traced.get_concrete_function(**specs)
        given = {name: tf.constant(array) for name, array in inputs.items()}
        return {name: x.numpy() for name, x in self._traced[signature](**given).items()}


def scramble(model: Any, scale: float = 0.35) -> None:
    """Draws all weights anew, so that what the model says is far from even."""
    for number, weight in enumerate(model.weights):
        drawn = np.random.default_rng(number).normal(size=weight.shape)
        weight.assign(scale * drawn + (1.0 if "gamma" in weight.path else 0.0))
