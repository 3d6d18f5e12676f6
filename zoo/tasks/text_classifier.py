"""Text classification: from a text, or a pair of texts, to its label."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.columns import NO_LABEL, Scalars, token_column
from zoo.data.batching.tokenized import Tokenized
from zoo.data.readers.labels import LabeledTexts, read_labeled, read_labeled_in_pieces
from zoo.data.shards.manifest import SCALARS, SEQUENCES, Shards
from zoo.errors import UserError
from zoo.models.ngram_classifier import NgramClassifier
from zoo.preprocessing.base import Preprocessor
from zoo.preprocessing.documents import DocumentPreprocessor
from zoo.preprocessing.model_inputs import Tensors
from zoo.preprocessing.text import SECOND, TEXT, TextPreprocessor, TokenPreprocessor
from zoo.serving.inference import Inference, Run
from zoo.tasks.baseline import Baseline
from zoo.tasks.classifying import Classifying
from zoo.tasks.encoder import TEXTS, EncoderTask
from zoo.tasks.labels import LabelSet, label_set
from zoo.tasks.options import text_classifier as options
from zoo.tasks.prepared import PreparedTask
from zoo.tasks.text import listed
from zoo.text.tokenizer import Tokenizer

COUNTED = 1 << 15  # tokens of prepared data at a time


class TextClassifier(Classifying, PreparedTask, EncoderTask):
    """Classifies texts or pairs of texts; trained on labeled examples.

    Example:
        >>> import zoo
        >>> rows = [("a fine film", "good"), ("a dull one", "bad")] * 4
        >>> task = zoo.TextClassifier("rnn_classifier", "tiny", embedding_dim=8, units=8)
        >>> task.adapt(rows)
        >>> history = task.fit(rows, epochs=1, xla=False, verbose=False)
        >>> set(task.predict(["fine", "dull"])) <= {"good", "bad"}
        True
    """

    name = "text-classifier"
    row_columns = ("texts", "seconds", "labels")
    column_kinds: ClassVar = {"token_ids": SEQUENCES, "labels": SCALARS}
    sorted_by = ("token_ids",)
    depends_on = ("labels", "max_length", "pairs")
    Settings = options.Settings
    Training = options.Training
    min_steps: ClassVar[int] = options.STEPS
    purposes: ClassVar = {"tokens": "Classifies each text, or pair of texts."}
    baseline: Baseline | None = None

    def read(self, data: Any) -> Any:
        return self.stored(data) or read_labeled(data, self.settings)

    def pieces(self, data: Any) -> Iterator[LabeledTexts]:
        return read_labeled_in_pieces(data, self.settings)

    def texts(self, examples: LabeledTexts) -> Iterable[str]:
        return examples.texts + (examples.seconds or [])

    def learn(self, examples: LabeledTexts) -> Preprocessor:
        if isinstance(examples, Shards):
            return super().learn(examples)
        found = label_set(examples, self.settings.labels, self.settings.pairs)
        if found.pairs and self.reads_sentences:
            raise UserError(f"{self.settings.model} classifies documents, and not pairs of texts")
        self.settings.labels, self.settings.pairs = found.labels, found.pairs
        return super().learn(examples)

    def check_settings(self) -> None:
        super().check_settings()
        model, given = self.settings.model, self.settings.max_sentence_length is not None
        if given and not self.reads_sentences:
            raise UserError(f"{model} does not take max_sentence_length; only han does")
        if self.reads_sentences and not given:
            raise UserError(f"{model} requires max_sentence_length")

    def preprocessor_for(self, tokenizer: Tokenizer) -> TokenPreprocessor:
        length, pairs = self.settings.max_length, bool(self.settings.pairs)
        if self.reads_sentences:
            return DocumentPreprocessor(tokenizer, length, self.settings.max_sentence_length)
        return TextPreprocessor(tokenizer, length, pairs, start=self.reads_segments)

    def adapt_model(self, examples: LabeledTexts) -> None:
        super().adapt_model(examples)
        if isinstance(self.model, NgramClassifier):
            self.model.adapt(self._inputs_of(examples))

    def _inputs_of(self, examples: Any) -> Iterator[Tensors]:
        if not isinstance(examples, Shards):
            return self.model_inputs(examples.inputs)
        batches = self.batches(examples, self.Training(batch_tokens=COUNTED))
        every = batches.columns(shuffle=False)
        return (self.inputs({"token_ids": x["token_ids"][x["labels"] != NO_LABEL]}) for x in every)

    def model_sizes(self) -> dict[str, Any]:
        return {**super().model_sizes(), "num_classes": len(self.labels)}

    def batches(self, examples: Any, training: Any, held_out: bool = False) -> BucketedBatches:
        tokens, is_stored = self.tokens(examples), isinstance(examples, Shards)
        if training.batch_tokens is None:
            rows = len(examples) if is_stored else len(examples.labels)
            training.batch_tokens = max(1, round(TEXTS * tokens.columns["token_ids"].used / rows))
        return self.bucketed(
            examples,
            tokens,
            self.labeled,
            self.batch_size(training),
            max_buckets(held_out),
            training.seed,
            what="texts",
        )

    def tokenized(self, examples: LabeledTexts, number: int = 0) -> Tokenized:
        tokens, statistics = token_column(self.preprocessor, examples.inputs)
        labels = Scalars(np.array(self._label_set.numbers(examples), np.int32))
        return Tokenized({"token_ids": tokens, "labels": labels}, statistics)

    @property
    def limits(self) -> dict[str, int]:
        return {**super().limits, "labels": len(self.labels)}

    def fit_baselines(self, examples: LabeledTexts) -> None:
        if isinstance(examples, Shards):
            return  # they have no texts
        self.baseline = Baseline.fit(_joined(examples), examples.labels)

    def baseline_scores(self, examples: LabeledTexts) -> dict[str, float]:
        if self.baseline is None or isinstance(examples, Shards):
            return {}
        return self.baseline.scores(_joined(examples), examples.labels)

    def save_parts(self, folder: Path) -> None:
        super().save_parts(folder)
        if self.baseline is not None:
            self.baseline.save(folder)

    def load_parts(self, folder: Path) -> None:
        self.baseline = Baseline.load(folder)

    def inferences(self, **_: Any) -> dict[str, Inference]:
        def compute(inputs: Tensors) -> Tensors:
            return self.head.outputs(self.model(inputs)["logits"])

        return self.inference(compute, self.head.axes)

    def score(self, examples: LabeledTexts, run: Run) -> dict[str, float]:
        self._label_set.check_pairs(examples.path, examples.seconds is not None)
        return super().score(examples, run)

    def raw_inputs(self, data: Sequence[Any]) -> dict[str, Sequence[str]]:
        for row in listed(data):
            self._label_set.check_pairs("texts", not isinstance(row, str))
        if not self.settings.pairs:
            return {TEXT: data}
        return {TEXT: [first for first, _ in data], SECOND: [second for _, second in data]}

    @property
    def _label_set(self) -> LabelSet:
        return LabelSet(self.labels, bool(self.settings.pairs))


def _joined(examples: LabeledTexts) -> list[str]:
    """One text for each example; for pairs, both texts joined by a space."""
    if examples.seconds is None:
        return examples.texts
    return [f"{a} {b}" for a, b in zip(examples.texts, examples.seconds, strict=True)]
