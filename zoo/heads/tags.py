"""Tags as answers: each word of a text has one of several classes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import keras
import tensorflow as tf
from keras import ops

from zoo.data.labels import class_numbers
from zoo.data.readers.tags import tagged_text
from zoo.heads.head import Reader
from zoo.heads.label import LabelHead, class_scores, label_objective
from zoo.lines import LABELS, to_lines
from zoo.preprocessing.base import Features
from zoo.preprocessing.words import BEGINS_WORD
from zoo.serving.inference import Inference, OutputAxes, Tensors
from zoo.text.form import TEXT_BYTES, TEXT_LENGTHS, TextForm
from zoo.text.programs.ragged import axis_size
from zoo.text.programs.spelling import Spelling
from zoo.training.objective import Objective

Tagged = list[tuple[str, str]]  # words with their tags


@dataclass(frozen=True)
class TagsHead:
    """One tag for each word, that of its first token; a `zoo.heads.head.Head`.

    Source: Devlin et al. 2019, section 5.3: the first token of a word represents the word.

    Args:
        labels: The tags in class order.
    """

    labels: list[str]

    @property
    def axes(self) -> OutputAxes:
        """The axes of each of the `outputs`, by name."""
        shape = ("batch", "length")
        return {"scores": (*shape, len(self.labels)), "class_id": shape}

    @property
    def meanings(self) -> dict[str, str]:
        return {
            "scores": f"the probability of each tag for each token, in the order of {LABELS}",
            "class_id": f"the most probable tag of each token: its line in {LABELS}, from 0",
            "text": "the tags of the words, with spaces between them",
        }

    @property
    def files(self) -> dict[str, str]:
        return {LABELS: to_lines(self.labels)}

    def inferences(self, model: keras.Model, reader: Reader) -> dict[str, Inference]:
        """The inference of a model with the output `logits`, by name of the signature."""

        def compute(inputs: Tensors) -> Tensors:
            return self.outputs(model(inputs)["logits"], inputs["padding_mask"])

        return {reader.name: Inference(reader.features, reader.prepare, compute, self.axes)}

    def objective(self, smoothing: float = 0.0) -> Objective:
        """Cross-entropy and accuracy of the output `logits`; tokens without a label do not count.

        Args:
            smoothing: Label smoothing factor.
        """
        return label_objective({"logits": LabelHead(self.labels)}, smoothing)

    def outputs(self, logits: Any, padding_mask: Any) -> Tensors:
        """The outputs of the model from its logits (B, T, C), in `keras.ops`; zeros for padding."""
        scores = ops.softmax(logits, axis=-1)
        return class_scores(ops.where(ops.expand_dims(padding_mask, -1), scores, 0.0))

    def postprocess(self, outputs: Tensors, features: Features, form: TextForm) -> Tensors:
        if form is TextForm.BYTES:
            begins, spelling = features[BEGINS_WORD], [f" {tag}".encode() for tag in self.labels]
            classes = outputs["class_id"][:, : axis_size(begins, 1)]
            spelled = Spelling(spelling, [True] * len(spelling))
            text_bytes, lengths = spelled(tf.where(begins > 0, classes, -1))
            return {TEXT_BYTES: text_bytes, TEXT_LENGTHS: lengths}
        names = tf.constant([tag.encode() for tag in self.labels])
        tags = tf.gather(names, outputs["class_id"])
        of_words = tf.gather(tags, features["word_starts"], batch_dims=1)
        return {"text": tf.strings.reduce_join(of_words, axis=1, separator=" ")}

    def result(self, row: Mapping[str, Any]) -> list[str]:
        """The tags of the words of a text."""
        return row["text"].decode().split(" ")

    def text(self, result: Tagged) -> str:
        return tagged_text(result)

    def numbers(self, tags: Iterable[str], source: str) -> dict[str, int]:
        """The class number of each tag.

        Args:
            tags: Tags of words.
            source: Path of the data, for the message.

        Raises:
            UserError: If a tag is unknown.
        """
        return class_numbers(self.labels, tags, "tag", source)
