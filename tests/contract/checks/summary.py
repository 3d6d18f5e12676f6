"""Keras's summary and plot of a model show its layers, and the shapes of their outputs."""

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
    """The summary of a functional and of a subclassed model, and the plot of the functional one."""
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
    # What `plot_model` draws with Graphviz, which may be missing.
    graph = keras.utils.model_to_dot(functional, show_shapes=True, expand_nested=True)
    labels = [str(node.get_label()) for node in graph.get_nodes()]
    (drawn,) = (label for label in labels if f"({case.layer.__name__})" in label)
    for output in keras.tree.flatten(layer.output):
        assert str(output.shape) in drawn, f"{drawn}, expected {output.shape}"


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
    (actual,) = (line for line in text.splitlines() if f"({case.layer.__name__})" in line)
    assert "?" not in actual, actual
    return actual
