"""The training of speech recognizers."""

from collections import Counter
from importlib.util import find_spec
from typing import Any, Literal

import keras
import numpy as np
from keras import ops

from zoo.data.audio.read import Recordings
from zoo.data.batching.audio import Waveforms, too_short
from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.padded_columns import Numbers, Sequences
from zoo.data_statistics import Statistics, discarding
from zoo.heads.transcript import TranscriptHead
from zoo.metrics.texts import TextRows
from zoo.models.blank_after_end import BLANK
from zoo.models.spec_augment import Masks
from zoo.preprocessing.audio import LENGTHS, WAVEFORM, padded
from zoo.registry.metrics import TRANSCRIPTS
from zoo.tasks.baselines.frequent_answers import SameAnswer
from zoo.tasks.inputs.audio import FittedAudio
from zoo.tasks.measuring import Judged
from zoo.tasks.options.speech_recognizer import STEPS, Training
from zoo.tasks.parts import Recipe
from zoo.training.ctc import CharacterCTC
from zoo.training.objective import Objective

LABELS = "labels"
MEASURED = 256  # number of recordings with which features are standardized


def _most_frequent(examples: Recordings) -> str:
    ((transcript, _),) = Counter(examples.transcripts).most_common(1)
    return transcript


def _judged(examples: Recordings, transcript: str) -> Judged:
    if find_spec("jiwer") is None:  # which computes the error rates
        return {}
    correct = [[text] for text in examples.transcripts]
    return {TRANSCRIPTS: lambda: TextRows(correct, [transcript] * len(examples))}


class RecordingRecipe(Recipe[FittedAudio, Training, Recordings, TranscriptHead]):
    """Batches of recordings of similar length, with SpecAugment."""

    baselines = SameAnswer("majority", _most_frequent, _judged)
    min_steps = STEPS

    def initialize(self, examples: Recordings, fitted: FittedAudio, head: TranscriptHead) -> None:
        """Standardizes the features with recordings that are spread over all of them."""
        count, features_of = len(examples), fitted.model.features
        chosen = np.linspace(0, count - 1, min(MEASURED, count)).astype(int)
        measured = []
        with discarding():
            for number in chosen:
                row = padded([fitted.preprocessor.fitted(examples.audio[number])])
                features, _ = features_of(row[WAVEFORM], row[LENGTHS])
                measured.append(ops.convert_to_numpy(features)[0])
        features_of.adapt(np.concatenate(measured))

    def batches(
        self,
        examples: Recordings,
        fitted: FittedAudio,
        head: TranscriptHead,
        training: Training,
        held_out: bool,
    ) -> BucketedBatches:
        preprocessor = fitted.preprocessor
        lengths = examples.samples_at(preprocessor.sample_rate)
        classes = [preprocessor.encode(text) for text in examples.transcripts]
        unknown = sum(map(len, examples.transcripts)) - sum(map(len, classes))
        steps = -(-lengths // fitted.model.samples_per_step)
        statistics = Statistics(
            {
                "characters that the model does not know left out": unknown,
                "recordings too short for their transcripts": too_short(classes, steps),
            }
        )
        return BucketedBatches(
            {
                WAVEFORM: Waveforms(examples.audio, lengths, preprocessor.fitted),
                LABELS: Sequences.of(classes, BLANK),
                LENGTHS: Numbers(lengths.astype("int32"), fill=0),
            },
            _split_labels,
            lambda samples, characters: int(training.batch_size),
            max_buckets(held_out),
            training.seed,
            what="recordings",
            statistics=statistics + examples.statistics,
        )

    def masks(self, fitted: FittedAudio, training: Training) -> Masks:
        hop = fitted.model.features.hop_ms
        return Masks(
            time=(training.time_masks, training.time_mask_ms // hop),
            frequency=(training.frequency_masks, training.frequency_mask_bands),
        )

    def objective(self, head: TranscriptHead, training: Training) -> Objective:
        return Objective(loss={"logits": CharacterCTC()})

    def default_xla(self) -> bool | Literal["auto"]:
        # Each bucket takes another shape, and the loops of recurrent layers compile slowly.
        return False if keras.backend.backend() == "tensorflow" else "auto"


def _split_labels(batch: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The inputs of the model, and the labels of its logits."""
    labels = batch.pop(LABELS)
    return batch, {"logits": labels}
