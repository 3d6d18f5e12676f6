"""The signatures of an artifact, from preprocessing, inference and postprocessing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from zoo.preprocessing.base import BATCH, Preprocessor, TensorSpec
from zoo.serving.called import SERVING_DEFAULT as SERVING_DEFAULT
from zoo.serving.inference import Inference, OutputAxes, Tensors
from zoo.text.form import TEXT_BYTES


@dataclass(frozen=True)
class Signature:
    """A signature of an artifact, following the protocol that `export` defines.

    Args:
        inputs: Specs of the inputs: raw inputs, or features if there is no preprocessing.
        features: Specs of the features that `infer` takes.
        infer: Function from features to outputs; the only stage that XLA may compile.
        outputs: Axes of each output of `infer`; see `Inference`.
        preprocess: Function from raw inputs to features, possibly more than `infer` takes.
        postprocess: Function from outputs and features to the outputs of the signature.
        results: Axes of what `postprocess` returns, as far as they are known.
        invariances: "batch" or "padding" or both: what must not change the outputs.
        tables: Lookup tables and other objects that a SavedModel must track.
        purpose: Purpose of the signature, in one sentence.
        meanings: Description of each output by name.
        units: Inputs whose standard deviations errors of an output are measured in, by its name.
        follows: Name of the signature whose outputs are the inputs of this one.
    """

    inputs: Mapping[str, TensorSpec]
    features: Mapping[str, TensorSpec]
    infer: Callable[..., Tensors]
    outputs: OutputAxes
    preprocess: Callable[..., Tensors] | None = None
    postprocess: Callable[[Tensors, Tensors], Tensors] | None = None
    results: OutputAxes = field(default_factory=dict)
    invariances: tuple[str, ...] = ("batch", "padding")
    tables: Sequence[Any] = ()
    purpose: str = ""
    meanings: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    follows: str = ""


def build_signatures(
    preprocessor: Preprocessor,
    inferences: Mapping[str, Inference],
    postprocess: Callable[[Tensors, Tensors], Tensors],
    raw: bool,
    purposes: Mapping[str, str],
    meanings: Mapping[str, str],
) -> dict[str, Signature]:
    """Builds the signatures of a task.

    Args:
        preprocessor: The preprocessor.
        inferences: Inferences by name of the signature. The inference with the name
            `preprocessor.feature_signature` takes the features of the preprocessor.
        postprocess: Function from outputs and features to predictions, such as text.
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
    main = replace(main, postprocess=postprocess, results={TEXT_BYTES: (BATCH, None)})
    whole = from_raw(main, preprocessor, preprocessor.inputs, preprocessor)
    return {SERVING_DEFAULT: whole, **named}


def from_raw(
    signature: Signature,
    preprocessor: Preprocessor,
    inputs: Mapping[str, TensorSpec],
    preprocess: Callable[..., Tensors],
) -> Signature:
    """A signature with preprocessing.

    Args:
        signature: The signature that takes features.
        preprocessor: The preprocessor. Features that it does not make, such as seeds, are inputs.
        inputs: Specs of the raw inputs.
        preprocess: Function from raw inputs to features of the preprocessor.
    """
    others = {n: spec for n, spec in signature.features.items() if n not in preprocessor.features}

    def preprocess_raw(**given: Any) -> Tensors:
        passed = {name: given.pop(name) for name in others}
        return {**preprocess(**given), **passed}

    return replace(
        signature,
        inputs={**inputs, **others},
        preprocess=preprocess_raw if others else preprocess,
    )


def _of_features(inference: Inference) -> Signature:
    def infer(**features: Any) -> Tensors:
        return inference(features)

    features = inference.features
    return Signature(features, features, infer, inference.outputs, units=inference.units)
