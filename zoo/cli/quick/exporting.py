"""A task as `export` takes it, for the LiteRT file of its run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from zoo.cli.predicted_tables import MANY
from zoo.cli.predicted_tables import ROWS as FEW
from zoo.cli.quick.answers import takes_texts_or_images
from zoo.cli.quick.place import OF, ROWS, RUN
from zoo.cli.quick.texts import TOKENS, UNKNOWN_TOKENS
from zoo.preprocessing.base import BATCH
from zoo.preprocessing.text import TokenPreprocessor
from zoo.serving.export_parts import ExportParts
from zoo.serving.inference import Tensors
from zoo.serving.signatures import SERVING_DEFAULT, Signature
from zoo.text.special_tokens import SpecialTokens

if TYPE_CHECKING:
    from zoo.tasks.evaluation import LoadedArtifact
    from zoo.tasks.task import Task

TEXT = "bytes"


@dataclass(frozen=True)
class QuickTask:
    """A task of a run, following the protocol that `export` defines.

    Of texts, the file also counts the known and the unknown tokens, of which a run makes a note.

    Args:
        task: The task.
        of: The identity of its run.
    """

    task: "Task"
    of: str

    @staticmethod
    def text_of(task: "Task") -> str | None:
        """The form of texts in the file; None if it takes others."""
        return TEXT if isinstance(task.preprocessor, TokenPreprocessor) else None

    @property
    def model(self) -> Any:
        """The Keras model."""
        return self.task.model

    def export_parts(
        self, text: str | None, litert: bool = False, samples: bool = False, **options: Any
    ) -> ExportParts:
        """All that the file is made from; see `Task.export_parts`."""
        parts = self.task.export_parts(text, litert, samples, **options)
        rows = MANY if self.task.parts.answer.fills_batches else FEW
        parts = replace(parts, config={**parts.config, RUN: {OF: self.of, ROWS: rows}})
        if text is None:
            return parts
        special = self.task.special_tokens
        return replace(
            parts,
            signatures=_counting(parts.signatures, special),
            live=_counting(parts.live, special),
            strings=None if parts.strings is None else _counting(parts.strings, special),
        )

    def evaluate_artifact(self, artifact: "LoadedArtifact", data: Any) -> dict[str, float]:
        """The metrics of an artifact."""
        return self.task.evaluate_artifact(artifact, data)


def refusal(task: "Task") -> str:
    """Why no file is made for a task; empty if one is."""
    answer, preprocessor = task.parts.answer, task.preprocessor
    if answer.export_options or task.parts.input.is_continued:
        return "it generates, with options that a file fixes"
    facts = {key: {"dtype": each.dtype} for key, each in preprocessor.inputs.items()}
    if takes_texts_or_images(facts) or "series" in task.parts.input.facts(preprocessor):
        return ""
    return "its inputs are read with TensorFlow"


def _counting(signatures: Mapping[str, Signature], special: SpecialTokens) -> dict[str, Signature]:
    """The signatures; the first also counts the known and the unknown tokens of each row."""
    main = signatures[SERVING_DEFAULT]

    def postprocess(outputs: Tensors, features: Tensors) -> Tensors:
        ids = features["token_ids"]
        axes = [*range(1, len(ids.shape))]

        def count(chosen: Any) -> Any:
            return tf.reduce_sum(tf.cast(chosen, tf.int32), axis=axes)

        known = tf.ones_like(ids, tf.bool)
        for each in special.invisible:
            known &= tf.not_equal(ids, each)
        own = {TOKENS: count(known), UNKNOWN_TOKENS: count(tf.equal(ids, special.unknown))}
        return {**(main.postprocess(outputs, features) if main.postprocess else outputs), **own}

    results = {**main.results, TOKENS: (BATCH,), UNKNOWN_TOKENS: (BATCH,)}
    meanings = {
        **main.meanings,
        TOKENS: "the number of known tokens",
        UNKNOWN_TOKENS: "the number of unknown tokens",
    }
    first = replace(main, postprocess=postprocess, results=results, meanings=meanings)
    return {**signatures, SERVING_DEFAULT: first}
