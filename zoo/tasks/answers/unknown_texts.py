"""Texts of which a model knows no token: they get the most frequent label, and are marked."""

from collections import Counter

from keras import ops

from zoo.data.readers.labels import LabeledTexts
from zoo.data.shards.examples import PreparedExamples
from zoo.heads.head import ClassHead, Reader
from zoo.models.known_tokens import has_known_token
from zoo.preprocessing.base import BATCH
from zoo.preprocessing.text import TokenPreprocessor
from zoo.serving.inference import Inference, Tensors
from zoo.serving.unknown import UNKNOWN
from zoo.tasks.parts import Fitted
from zoo.tasks.parts.kinds import S


class UnknownTexts:
    """Texts without known tokens get the most frequent label."""

    def shares(
        self, examples: LabeledTexts | PreparedExamples, labels: list[str]
    ) -> tuple[float, ...]:
        """The share of each label in the training data; nothing for prepared data."""
        texts = examples.texts_with_labels()
        if texts is None:
            return ()
        _, given = texts
        counts = Counter(given)
        return tuple(counts[label] / len(given) for label in labels)

    def inferences(
        self, fitted: Fitted[S, TokenPreprocessor], head: ClassHead, reader: Reader
    ) -> dict[str, Inference]:
        """The inference that gives such a text the shares of the labels as scores.

        It also returns `unknown`, int32 (B,): 1 for such a text, otherwise 0.
        """
        blank = fitted.preprocessor.tokenizer.blank_ids

        def compute(inputs: Tensors) -> Tensors:
            known = has_known_token(inputs["token_ids"], blank)
            outputs = head.outputs(fitted.model(inputs)["logits"], known)
            return {**outputs, UNKNOWN: ops.cast(1 - ops.squeeze(known, 1), "int32")}

        axes = {**head.axes, UNKNOWN: (BATCH,)}
        return {reader.name: Inference(reader.features, reader.prepare, compute, axes)}
