"""The training of image captioners."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from keras_attn.losses import MaskedCrossentropy
from keras_attn.metrics.token import MaskedAccuracy, Perplexity
from zoo.data.batching.augment import Augmentation
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.captions import CaptionBatches
from zoo.data.batching.images import ImageSource
from zoo.data.batching.padded_columns import Sequences
from zoo.data.batching.token_columns import token_column
from zoo.data.images.captions import CaptionedImages
from zoo.heads.generated_text import GeneratedTextHead
from zoo.metrics.texts import TextRows
from zoo.preprocessing.base import Features
from zoo.registry.metrics import CAPTIONS
from zoo.serving.inference import Tensors
from zoo.tasks.baselines.frequent_answers import SameAnswer
from zoo.tasks.baselines.sampling import sampled
from zoo.tasks.inputs.captioned_images import CaptionedImageInput, FittedCaptions
from zoo.tasks.measuring import Judged
from zoo.tasks.options.image_captioner import STEPS, Training
from zoo.tasks.parts import Recipe
from zoo.training.attention_penalty import AttentionPenalty
from zoo.training.objective import Objective

TEXTS = 2_000  # maximum number of texts that are compared
WORDS = 2_000  # number of most frequent words that are compared


def _typical(examples: CaptionedImages) -> str:
    return typical_text(examples.all_captions)


def _judged(examples: CaptionedImages, caption: str) -> Judged:
    return {CAPTIONS: lambda: TextRows(examples.captions, [caption] * len(examples))}


@dataclass(frozen=True)
class CaptionRecipe(Recipe[FittedCaptions, Training, CaptionedImages, GeneratedTextHead]):
    """One row for each caption; a penalty spreads the attention over the image.

    Args:
        input: What the model reads.
    """

    input: CaptionedImageInput
    min_steps: int = STEPS
    stops_early: bool = True
    baselines = SameAnswer("typical_caption", _typical, _judged)

    def batches(
        self,
        examples: CaptionedImages,
        fitted: FittedCaptions,
        head: GeneratedTextHead,
        training: Training,
        held_out: bool,
    ) -> CaptionBatches:
        targets = self.input.targets(fitted.settings, fitted.preprocessor)
        captions, statistics = token_column(targets, {"text": examples.all_captions})
        assert isinstance(captions, Sequences)
        counts = [len(each) for each in examples.captions]
        changes = Augmentation(training.shift, training.rotation, training.flip)

        def teacher_forced(batch: Features) -> tuple[Tensors, Tensors]:
            labels = dict.fromkeys(("logits", "attention"), batch["target_ids"])
            return self.input.teacher_forced(fitted, batch), labels

        return CaptionBatches(
            ImageSource(examples.images, fitted.preprocessor),
            np.repeat(np.arange(len(counts)), counts),
            captions,
            teacher_forced,
            training.batch_size,
            max_buckets(held_out),
            training.seed,
            Augmentation() if held_out else changes,
            statistics,
        )

    def objective(self, head: GeneratedTextHead, training: Training) -> Objective:
        pad = head.writer.tokenizer.special_tokens.pad
        return Objective(
            loss={
                "logits": MaskedCrossentropy(training.label_smoothing, ignore_id=pad),
                "attention": AttentionPenalty(pad),
            },
            metrics={"logits": [Perplexity(pad), MaskedAccuracy(pad, name="accuracy")]},
            loss_weights={"logits": 1.0, "attention": training.attention_penalty},
            monitor="val_logits_perplexity",
        )

    def default_freeze(self, fitted: FittedCaptions) -> int:
        return int(fitted.settings.backbone_weights is not None)


def typical_text(texts: Sequence[str]) -> str:
    """The text with the highest mean cosine similarity to all, by the words that it has.

    Example:
        >>> typical_text(["a dog runs", "a dog runs in snow", "snow in may"])
        'a dog runs in snow'
    """
    rows = sampled(len(texts), TEXTS)
    words = [set(texts[row].lower().split()) for row in rows]
    frequent = Counter(word for each in words for word in each).most_common(WORDS)
    columns = {word: column for column, (word, _) in enumerate(frequent)}
    contains = np.zeros((len(rows), max(1, len(columns))), "float32")
    for row, each in enumerate(words):
        contains[row, [columns[word] for word in each if word in columns]] = 1
    units = contains / np.maximum(np.linalg.norm(contains, axis=1, keepdims=True), 1)
    return texts[rows[int((units @ units.sum(axis=0)).argmax())]]
