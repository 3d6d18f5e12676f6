"""The protocol of a task that `export` takes: its parts and a score, by attributes alone.

A task needs no base class and does not import this package: any object with these attributes will
do, and `zoo` has dataclasses of the same shape. What a signature computes is

    features = preprocess(**inputs)        # or the inputs themselves, where preprocess is None
    outputs = infer(**{name: features[name] for name in spec.features})
    return postprocess(outputs, features)  # or the outputs themselves, where it is None
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import keras
import numpy as np


@runtime_checkable
class SignatureTensor(Protocol):
    """The shape, dtype and padding of a tensor that goes into a signature.

    Attributes:
        shape: A number for each fixed axis, a name for each dynamic one: "batch", "length",
            "source_length", "nodes", ... Axes of a signature with the same name have the same
            size. The number of bytes of a text has a name that ends in "_size".
        dtype: "int32", "float32", "bool", "string" or another name of a TensorFlow dtype.
        padding: The value that may fill a dynamic axis (other than "batch") beyond its end, so that
            `infer` takes any greater size; None if the tensor must not be padded.
        meaning: What it is, in words; may be empty.
    """

    @property
    def shape(self) -> tuple[int | str, ...]: ...
    @property
    def dtype(self) -> str: ...
    @property
    def padding(self) -> int | float | bool | None: ...
    @property
    def meaning(self) -> str: ...


@runtime_checkable
class LimitedSpec(Protocol):
    """A `SignatureTensor` that also states the values it may have; a server refuses others.

    Attributes:
        values: The least and the greatest value, such as those of ids; None if it may have any.
    """

    @property
    def values(self) -> tuple[int, int] | None: ...


def values_of(spec: SignatureTensor) -> tuple[int, int] | None:
    """The least and the greatest value of a tensor; None if it may have any, or does not say."""
    return spec.values if isinstance(spec, LimitedSpec) else None


@runtime_checkable
class ServingSignature(Protocol):
    """A function that an artifact offers, in three stages.

    Attributes:
        inputs: What the signature takes, by name: raw inputs such as text, or features.
        preprocess: Raw inputs by keyword -> features, which may be more than `infer` takes. None if
            the inputs are the features.
        features: What `infer` takes, by name; the same as `inputs` where `preprocess` is None.
        infer: Features by keyword -> outputs by name. The only stage that computes with numbers,
            and the only one that XLA compiles.
        outputs: The axes of each output of `infer`: the name of the features' axis that it
            follows, a number, or None for a size of its own, such as the number of generated
            tokens. Integers of an output with such an axis are filled with the padding of the
            features.
        postprocess: (outputs of `infer`, features) -> what the signature returns, by name. None if
            that is the outputs.
        results: The axes of what `postprocess` returns, as far as they are known. Integers of an
            output with an axis of its own size, such as the bytes of a text, are filled with 0.
        invariances: Which of "batch" (a row alone gives what it gives in a batch) and "padding"
            (more padding changes nothing) hold. They are verified, and XLA relies on them.
        tables: Lookup tables and other resources that a SavedModel has to keep.
        purpose: What it is for, in one sentence.
        meanings: What its outputs are, in words, by name; those that say themselves may be missing.
        units: By the name of an output (B, H, C, ...), such as a forecast, that of the input
            (B, T, C) in whose standard deviations over T its errors are measured.
        follows: Of a signature that is called again and again, the name of the one that begins: the
            inputs are outputs of that one, or of the last call, where it has them. Calls end when
            the output "ended" is 1; the other outputs are then those of "serving_default". It has
            no probes of its own. Empty for all others.
    """

    @property
    def inputs(self) -> Mapping[str, SignatureTensor]: ...
    @property
    def preprocess(self) -> Callable[..., dict[str, Any]] | None: ...
    @property
    def features(self) -> Mapping[str, SignatureTensor]: ...
    @property
    def infer(self) -> Callable[..., dict[str, Any]]: ...
    @property
    def outputs(self) -> Mapping[str, tuple[int | str | None, ...]]: ...
    @property
    def postprocess(self) -> Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]] | None: ...
    @property
    def results(self) -> Mapping[str, tuple[int | str | None, ...]]: ...
    @property
    def invariances(self) -> tuple[str, ...]: ...
    @property
    def tables(self) -> Sequence[Any]: ...
    @property
    def purpose(self) -> str: ...
    @property
    def meanings(self) -> Mapping[str, str]: ...
    @property
    def units(self) -> Mapping[str, str]: ...
    @property
    def follows(self) -> str: ...


@runtime_checkable
class LoadedArtifact(Protocol):
    """An exported artifact that was loaded to be evaluated.

    Attributes:
        signatures: By name, the dtype and shape of each tensor under "inputs" and "outputs".
    """

    @property
    def signatures(self) -> Mapping[str, Mapping[str, Mapping[str, Mapping[str, Any]]]]: ...

    def run(self, signature: str, inputs: dict[str, np.ndarray], /) -> dict[str, np.ndarray]:
        """Calls a signature. Text goes in as an array of str or UTF-8 bytes, and comes out as
        bytes."""


Calls = Mapping[str, Sequence[Mapping[str, np.ndarray]]]


@runtime_checkable
class ExportParts(Protocol):
    """All that an artifact is made from.

    Attributes:
        signatures: The signatures by name; the one that is served by default is "serving_default".
        live: The same with operators that run in Python, which say what is expected; there may be
            more. Where LiteRT needs no other operators, these are the same objects.
        strings: The same as `signatures` with texts as strings, of an artifact that takes texts in
            bytes; otherwise None.
        probes: Inputs to verify the artifact with: for each signature a list of calls. A signature
            without probes of its own takes those of another one with the same inputs.
        samples: Many ordinary inputs in the same form, to count how often a quantized artifact
            decides like the model; empty unless they were asked for.
        config: Plain data that the manifest keeps.
        assets: What a client needs beside an artifact, such as a vocabulary or labels: the content
            of each file by its name.
    """

    @property
    def signatures(self) -> Mapping[str, ServingSignature]: ...
    @property
    def live(self) -> Mapping[str, ServingSignature]: ...
    @property
    def strings(self) -> Mapping[str, ServingSignature] | None: ...
    @property
    def probes(self) -> Calls: ...
    @property
    def samples(self) -> Calls: ...
    @property
    def config(self) -> Mapping[str, Any]: ...
    @property
    def assets(self) -> Mapping[str, str]: ...


@runtime_checkable
class ExportableTask(Protocol):
    """A model together with what turns it into a service.

    Attributes:
        model: The model, whose weights the artifact holds.
    """

    @property
    def model(self) -> keras.Model: ...

    def export_parts(
        self, text: str | None, litert: bool = False, samples: bool = False, **generation: Any
    ) -> ExportParts:
        """All that an artifact is made from; an export asks for it once.

        Args:
            text: How text goes in: as "strings", or as "bytes" in UTF-8. None if features go in.
            litert: Whether to use only operators that LiteRT has.
            samples: Whether to add many ordinary inputs.
            **generation: How to generate, such as `max_new_tokens` and `beams`; for a file of one
                shape that takes bytes or streams, also `length`, the greatest number of tokens of a
                text.
        """

    def evaluate_artifact(self, artifact: LoadedArtifact, data: Any) -> dict[str, float]:
        """The task's metrics of an artifact on `data`, the most important one first.

        Where the artifact takes features instead of text, the task does the other stages itself.
        """


@runtime_checkable
class ScoredInParts(Protocol):
    """A task that tells how much its metrics differ between parts of the data."""

    def scores_in_parts(
        self, artifact: LoadedArtifact, data: Any, count: int
    ) -> list[tuple[int, dict[str, float]]]:
        """The number of rows, or another size, and the metrics of each of `count` random parts.

        It is empty if the data cannot be cut into so many.
        """


@runtime_checkable
class ExportablePage(ExportableTask, Protocol):
    """A task with the signatures that a page calls, and the page."""

    def length(self, **generation: Any) -> int | None:
        """The default length of inputs, such as the number of tokens of a text.

        Args:
            **generation: How to generate, as for `export_parts`.
        """

    def files(
        self, parts: Any, title: str, length: int | None, **generation: Any
    ) -> Mapping[str, str]:
        """The files of the page: their content by name.

        Args:
            parts: What `export_parts` returned, with texts in bytes.
            title: Title of the page, unless the task has one.
            length: The length of inputs.
            **generation: How to generate, as for `export_parts`.
        """


@runtime_checkable
class TaskWithPage(Protocol):
    """A task that a browser can run.

    Attributes:
        web_page: Makes the task as a page.
    """

    def web_page(self) -> ExportablePage: ...


@runtime_checkable
class ModelTokenizer(Protocol):
    """A tokenizer that can stand before a model of ids, such as `zoo.ExportableTokenizer`."""

    def around(self, model: keras.Model, labels: Sequence[str] = ()) -> ExportableTask:
        """The model, whose classes have names, with the tokenizer before it."""


def with_tokenizer(
    model: object, tokenizer: ModelTokenizer, labels: Sequence[str] = ()
) -> ExportableTask:
    """A Keras model with a tokenizer before it.

    Args:
        model: The model.
        tokenizer: The tokenizer.
        labels: The names of its classes, in the order of its output.

    Raises:
        ValueError: If it is a task, which has its tokenizer, or the other is no such tokenizer.
    """
    if not isinstance(model, keras.Model):
        raise ValueError("tokenizer is for a Keras model: a task has its own, with text='bytes'.")
    if not isinstance(tokenizer, ModelTokenizer):
        raise ValueError(
            "tokenizer must be able to stand before a model, such as "
            f"zoo.ExportableTokenizer(tokenizer, texts); received {type(tokenizer).__name__}."
        )
    return tokenizer.around(model, labels)
