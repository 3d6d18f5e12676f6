"""From preprocess, infer and postprocess to the signatures of an artifact."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import tensorflow as tf
from keras import ops

from zoo.preprocessing.base import Preprocessor, TensorSpec
from zoo.serving.inference import Inference, OutputAxes, Tensors

SERVING_DEFAULT = "serving_default"


@dataclass(frozen=True)
class Signature:
    """One signature of an artifact; `export` defines the protocol that it follows.

    Args:
        inputs: Spec of what it takes: raw inputs, or features where there is no preprocessing.
        features: Spec of what `infer` takes.
        infer: Features to outputs; the only stage that XLA may compile.
        outputs: Axes of each output of `infer`; see `Inference`.
        preprocess: Raw inputs to features, of which there may be more than `infer` takes.
        postprocess: Outputs and features to what the signature returns.
        invariances: Which of "batch" and "padding" must not change the outputs.
        tables: Lookup tables and the like that a SavedModel has to keep.
        purpose: What it is for, in one sentence.
        meanings: What each output is, in words, by name.
    """

    inputs: Mapping[str, TensorSpec]
    features: Mapping[str, TensorSpec]
    infer: Callable[..., Tensors]
    outputs: OutputAxes
    preprocess: Callable[..., Tensors] | None = None
    postprocess: Callable[[Tensors, Tensors], Tensors] | None = None
    invariances: tuple[str, ...] = ("batch", "padding")
    tables: Sequence[Any] = ()
    purpose: str = ""
    meanings: Mapping[str, str] = field(default_factory=dict)


def build_signatures(
    preprocessor: Preprocessor,
    inferences: Mapping[str, Inference],
    postprocess: Callable[[Tensors, Tensors], Tensors],
    raw: bool,
    purposes: Mapping[str, str],
    meanings: Mapping[str, str],
) -> dict[str, Signature]:
    """The signatures of a task.

    Args:
        preprocessor: Raw inputs to features.
        inferences: By name of the signature; the one that the preprocessor names takes its
            features.
        postprocess: Outputs and features to what users want, such as text.
        raw: Whether `serving_default` takes raw inputs; otherwise it takes features.
        purposes: What each signature is for, by the name of its inference.
        meanings: What each output is, by name.
    """
    named = {
        name: replace(_of_features(inference), purpose=purposes[name], meanings=meanings)
        for name, inference in inferences.items()
    }
    main = named[preprocessor.feature_signature]
    if not raw:
        others = {n: each for n, each in named.items() if n != preprocessor.feature_signature}
        return {SERVING_DEFAULT: main, **others}
    whole = replace(
        main, inputs=preprocessor.inputs, preprocess=preprocessor, postprocess=postprocess
    )
    return {SERVING_DEFAULT: whole, **named}


def _of_features(inference: Inference) -> Signature:
    @_once_for_the_same
    def infer(**features: Any) -> Tensors:
        return inference(features)

    return Signature(inference.features, inference.features, infer, inference.outputs)


def _once_for_the_same(function: Callable[..., Tensors]) -> Callable[..., Tensors]:
    """The function, which in eager mode computes only once for the same features.

    Several signatures are asked about the same probes, and decoding eagerly is slow.
    """
    known: dict[tuple, Tensors] = {}

    def remembering(**features: Any) -> Tensors:
        if not tf.executing_eagerly():
            return function(**features)
        arrays = {name: np.asarray(ops.convert_to_numpy(x)) for name, x in features.items()}
        key = tuple((name, x.shape, x.tobytes()) for name, x in sorted(arrays.items()))
        if key not in known:
            known[key] = function(**features)
        return dict(known[key])

    return remembering
