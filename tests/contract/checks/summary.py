"""Keras's summary of a model says which layer it holds, and the shapes of its outputs."""

from typing import Any
from unittest import mock

import keras

from tests.contract import harness
from tests.contract.case import Case


class Subclassed(keras.Model):
    """A model by subclassing, where Keras calls `compute_output_shape` as it called `build`."""

    def __init__(self, case: Case, layer: Any):
        super().__init__()
        self.case, self.layer = case, layer

    def call(self, inputs: Any) -> Any:
        return self.case.call(self.layer, inputs)


def summaries(case: Case) -> None:
    """Of a functional and of a subclassed model."""
    functional = harness.functional(case, case.layer(**case.arguments()))
    (layer,) = (x for x in functional.layers if isinstance(x, case.layer))
    models = [functional, Subclassed(case, case.layer(**case.arguments()))]
    if models[1].layer.built:
        models.pop()  # Keras keeps the shapes of what it builds, and so none of its own Dropout
    else:
        models[1](harness.symbolic_inputs(case))
    for model in models:
        shown = row(case, model)
        for output in keras.tree.flatten(layer.output):
            assert str(output.shape) in shown, f"{shown}, expected {output.shape}"


def row(case: Case, model: keras.Model) -> str:
    lines: list[str] = []
    with mock.patch.dict("os.environ", COLUMNS="400"):  # no name or shape is broken
        model.summary(
            expand_nested=True,
            show_trainable=True,
            line_length=400,
            print_fn=lambda line, line_break=True: lines.append(line),
        )
    text = "\n".join(lines)
    (found,) = (line for line in text.splitlines() if f"({case.name})" in line)
    assert "?" not in found, found
    return found
