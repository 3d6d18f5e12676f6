"""What is exported: the signatures of a task, or of a bare Keras model.

A task gives its signatures as plain data, so that it need not import this package:
`task.signatures(strings, litert=False, **generation)` is a dict of name -> dict with

- `function`: tensors by name in, a dict of tensors out;
- `inputs`: name -> (shape with None, dtype name);
- `before`, `core`, `after` (optional, the three together): `function` in three stages, text to
  ids, ids to ids, ids to text. Only `core` is given to XLA, which has no strings, and the outer
  two turn a file without strings into a predictor of text;
- `track` (optional): lookup tables and the like, that a SavedModel has to keep;
- `pad` (optional): the id behind the end of shorter rows of ids, by default 0;
- `invariances` (optional): those of "batch" and "padding" that are demanded, by default both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from export.worker.invariance import NAMES
from export.worker.probes import Probe, Tensors, plain

Function = Callable[..., dict[str, Any]]


@dataclass(frozen=True)
class Signature:
    """One entry of an artifact: a function, its inputs, and what it is verified with."""

    name: str
    function: Function
    inputs: Mapping[str, tuple[tuple[int | None, ...], str]]
    stages: tuple[Function, Function, Function] | None = None
    track: Sequence[Any] = ()
    invariances: tuple[str, ...] = NAMES
    pad: int = 0

    def __post_init__(self) -> None:
        unknown = set(self.invariances) - set(NAMES)
        if unknown:
            raise ValueError(
                f"Signature '{self.name}': invariances must be among {NAMES}, got {unknown}."
            )

    @property
    def core(self) -> Function:
        """What computes: the whole function, or its stage between the text ends."""
        return self.stages[1] if self.stages else self.function

    def run(self, inputs: Tensors) -> Tensors:
        """Call the live function, on the CPU: a GPU rounds its products to fewer bits."""
        with tf.device("/CPU:0"):
            outputs = self.function(**{key: tf.constant(plain(x)) for key, x in inputs.items()})
        return {key: plain(keras.ops.convert_to_numpy(x)) for key, x in outputs.items()}

    def trace(self, function: Function | None = None) -> Any:
        """The concrete function of this signature, for any batch and length."""
        whole = function or self.function

        def outputs(**tensors: tf.Tensor) -> dict[str, tf.Tensor]:
            results = whole(**tensors)
            if not isinstance(results, Mapping) or not results:
                raise ValueError(
                    f"Signature '{self.name}' must return a dict of tensors, "
                    f"got {type(results).__name__}."
                )
            # An output that is an input or a constant needs an operator to be named after.
            return {key: tf.identity(tensor, name=key) for key, tensor in results.items()}

        specs = {
            key: tf.TensorSpec(shape, dtype, name=key)
            for key, (shape, dtype) in self.inputs.items()
        }
        return tf.function(outputs, autograph=False).get_concrete_function(**specs)


def task_signatures(
    task: Any, strings: bool, generation: dict[str, Any], *, litert: bool = False
) -> list[Signature]:
    """The signatures that `task` gives; `litert` asks for text by the operators LiteRT has.

    Raises:
        ValueError: there are none, or one lacks a part.
    """
    signatures = []
    target = {"litert": True} if litert else {}
    for name, parts in task.signatures(strings=strings, **target, **generation).items():
        lacking = [key for key in ("function", "inputs") if key not in parts]
        if lacking:
            raise ValueError(f"Signature '{name}' of the task lacks {lacking}.")
        stages = [parts.get(key) for key in ("before", "core", "after")]
        signatures.append(
            Signature(
                name,
                parts["function"],
                {key: (tuple(shape), dtype) for key, (shape, dtype) in parts["inputs"].items()},
                (stages[0], stages[1], stages[2]) if all(stages) else None,
                parts.get("track", ()),
                tuple(parts.get("invariances", NAMES)),
                parts.get("pad", 0),
            )
        )
    if not signatures:
        raise ValueError(f"{type(task).__name__} has no signatures to export.")
    return signatures


def task_probes(task: Any, signatures: Sequence[Signature]) -> dict[str, list[Tensors]]:
    """The task's inputs for each signature: those under its name, else any that fit its inputs.

    Raises:
        ValueError: a signature has none, so nothing could be proven of it.
    """
    given = task.probes()
    chosen = {}
    for signature in signatures:
        candidates = [given.get(signature.name, []), *given.values()]
        fitting = [
            calls for calls in candidates if calls and set(calls[0]) == set(signature.inputs)
        ]
        if not fitting:
            raise ValueError(
                f"The task has no probes for signature '{signature.name}' "
                f"with inputs {sorted(signature.inputs)}."
            )
        chosen[signature.name] = [
            {key: _typed(array, signature.inputs[key][1]) for key, array in call.items()}
            for call in fitting[0]
        ]
    return chosen


def _typed(array: Any, dtype: str) -> np.ndarray:
    return plain(array) if dtype == "string" else np.asarray(array, dtype)


def answered(signature: Signature, calls: Sequence[Tensors]) -> list[Probe]:
    """Probes: the inputs with what the live function gives for them."""
    return [Probe(inputs, signature.run(inputs)) for inputs in calls]
