"""Inferences: functions from features to outputs, which run in Python and are exported."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from zoo.preprocessing.base import TensorSpec

Tensors = dict[str, Any]
Run = Callable[[str, Mapping[str, Any]], dict[str, np.ndarray]]  # signature name, features
OutputAxes = Mapping[str, tuple[int | str | None, ...]]


@dataclass(frozen=True)
class Inference:
    """A function from features to outputs of a model.

    Args:
        features: Spec of each feature.
        prepare: Function from features to the inputs of the model, in TensorFlow operators.
        compute: Function from inputs of the model, and options by name, to outputs, in `keras.ops`.
        outputs: Axes of each output: the name of the feature axis with the same size, a fixed size,
            or None for any other dynamic size.
        units: By the name of an output, the feature whose standard deviations its errors are
            measured in.
    """

    features: Mapping[str, TensorSpec]
    prepare: Callable[[Tensors], Tensors]
    compute: Callable[..., Tensors]
    outputs: OutputAxes
    units: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, features: Tensors, **options: Any) -> Tensors:
        """Computes outputs from features, in TensorFlow operators."""
        return self.compute(self.prepare(features), **options)


class Program:
    """An `Inference` that runs in Python, on NumPy arrays.

    On TensorFlow, it is traced once for each combination of options, for all batch sizes and
    lengths. Other backends run it eagerly.

    Args:
        inference: The inference.
        extra: Specs of further inputs that `compute` takes by name, such as seeds.
    """

    def __init__(self, inference: Inference, extra: Mapping[str, TensorSpec] | None = None) -> None:
        self._inference = inference
        self._specs = {**inference.features, **(extra or {})}
        self._extra = tuple(extra or ())
        self._traced = lru_cache(maxsize=16)(self._trace)

    def __call__(self, features: Mapping[str, Any], **options: Any) -> dict[str, np.ndarray]:
        """Computes outputs from features.

        Args:
            features: Arrays by name; arrays that the inference does not take are ignored.
            **options: Options of `compute`.
        """
        taken = {name: features[name] for name in self._specs}
        outputs = self._traced(tuple(sorted(options.items())))(taken)
        return {name: np.asarray(ops.convert_to_numpy(x)) for name, x in outputs.items()}

    def _trace(self, options: tuple) -> Callable[[Tensors], Tensors]:
        def program(features: Tensors) -> Tensors:
            features = dict(features)
            more = {name: features.pop(name) for name in self._extra}
            return self._inference(features, **more, **dict(options))

        if keras.backend.backend() == "tensorflow":
            specs = {name: spec.tensorflow for name, spec in self._specs.items()}
            # With a `tf.function` that is called directly, TensorFlow would count the programs of
            # several tasks as retracing of one function, and warn.
            traced = tf.function(program, input_signature=[specs], autograph=False)
            traced = traced.get_concrete_function()
            return lambda features: traced(
                {name: tf.constant(x, specs[name].dtype) for name, x in features.items()}
            )
        return lambda features: self._run_eagerly(features, dict(options))

    def _run_eagerly(self, features: Tensors, options: dict[str, Any]) -> Tensors:
        """Runs the inference on other backends, with TensorFlow only for `prepare`."""
        more = {name: ops.convert_to_tensor(features[name]) for name in self._extra}
        given = {name: tf.constant(features[name]) for name in self._inference.features}
        inputs = {
            name: ops.convert_to_tensor(np.asarray(x))
            for name, x in self._inference.prepare(given).items()
        }
        return self._inference.compute(inputs, **more, **options)
