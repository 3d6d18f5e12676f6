"""Whatever is masked takes no part, even if it is not a number."""

import functools
from collections.abc import Callable

import keras
import numpy as np

from tests.contract import harness
from tests.contract.case import Case
from tests.contract.checks.masks import ALIGNED
from tests.contract.checks.training import as_usual, gradients_of


def behind_the_mask(case: Case) -> None:
    """With NaN or infinity wherever a mask is False, outputs and gradients are as with zeros."""
    assert case.masks, "name the masks and what they mask, or say why there are none"
    for variant, made in harness.variants(case, **ALIGNED).items():
        everything = outputs_and_gradients(case, made.layer)
        expected = everything(masked_by(case, 0.0))
        for poison in (np.nan, np.inf):
            actual = everything(masked_by(case, poison))
            harness.close(actual, expected, 1e-6, f"{case.name} {variant} with masked {poison}")


def masked_by(case: Case, value: float) -> harness.Arrays:
    """The inputs with `value` at every position that a mask takes out."""
    x = harness.example(case)
    for mask, inputs in case.masks.items():
        axes = case.inputs[mask].axes
        if len(set(axes)) < len(axes):
            continue  # of a sequence that attends to itself: what none may see has an output
        if len(axes) == 3:  # of pairs: none may see the first position, which no other mask hides
            x[mask][:, :, 0] = False
        keep = x[mask].any(axis=tuple(range(1, len(axes) - 1)))
        for name in inputs:
            letters = case.inputs[name].axes
            where = [slice(None) if a in (letters[0], axes[-1]) else None for a in letters]
            if case.inputs[name].kind == "float":
                x[name] = np.where(keep[tuple(where)], x[name], np.float32(value))
    return x


def outputs_and_gradients(case: Case, layer) -> Callable[[harness.Arrays], harness.Arrays]:
    """Computes the outputs, the gradients of the weights and those of the inputs."""
    if issubclass(case.layer, keras.metrics.Metric):
        return functools.partial(harness.run, case, layer)
    outputs = harness.run(case, layer, masked_by(case, 0.0))
    ones = {name: np.ones_like(value) for name, value in outputs.items()}
    gradients = gradients_of(case, layer, ones, as_usual)  # compiles once for all values

    def everything(x: harness.Arrays) -> harness.Arrays:
        _, of_weights, of_inputs = gradients(x)
        actual = {f"gradient of weight {i}": gradient for i, gradient in enumerate(of_weights)}
        actual |= {f"gradient of {name}": gradient for name, gradient in of_inputs.items()}
        return harness.run(case, layer, x) | actual

    return everything
