"""Speech recognition: from a recording to what is said."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from keras_attn.functional.ctc_beam import ctc_beam_search
from keras_attn.functional.ctc_greedy import ctc_greedy_decode
from zoo.data.audio.read import Recordings, read_recordings, spoken
from zoo.data.batching.audio import Waveforms, too_short
from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.columns import Scalars, Sequences
from zoo.data.readers.files import is_path
from zoo.data_statistics import Statistics, discarding
from zoo.decoding.character_ngram import CharacterNgram
from zoo.errors import UserError
from zoo.heads.transcript import TranscriptHead
from zoo.models.certain_blank import BLANK
from zoo.options import Options
from zoo.preprocessing.audio import AUDIO, LENGTHS, WAVEFORM, AudioPreprocessor, padded
from zoo.preprocessing.base import BATCH, Features, Preprocessor
from zoo.serving.inference import Inference, Program, Run, Tensors
from zoo.serving.signatures import SERVING_DEFAULT, Signature
from zoo.tasks.options import speech_recognizer as options
from zoo.tasks.speech_alignment import Alignment, align
from zoo.tasks.speech_streaming import SpeechStreaming
from zoo.tasks.views import PreviewRow
from zoo.text.form import TEXT, TEXT_BYTES, TEXT_LENGTHS
from zoo.training.ctc import CharacterCTC
from zoo.training.objective import Objective

FOLDER = "audio"  # of the preprocessor, in a run folder
LABELS = "labels"
MEASURED = 256  # number of recordings with which features are standardized


class SpeechRecognizer(SpeechStreaming):
    """Writes what is said in recordings; trained on recordings with transcripts.

    `predict` takes a list of paths of WAV files (with the extra `audio` also FLAC and Ogg), or of
    arrays of samples (S) from -1 to 1 at the rate of the model. Files of other rates are resampled.
    Decoding is greedy, or with `beams=8` a prefix beam search, in which a character n-gram of the
    transcripts takes part if there is one (`ngram=4`).

    Source: Graves et al. 2006; Graves & Jaitly 2014.

    Example:
        >>> import numpy as np, zoo
        >>> def tone(hertz, text):
        ...     return np.pad(np.sin(2 * np.pi * hertz * np.arange(500) / 8000), 500), text
        >>> rows = [tone(500, "o"), tone(2000, "ee")] * 8
        >>> sizes = {"sample_rate": 8000, "hidden_dim": 16, "num_layers": 1, "dropout": 0.0}
        >>> task = zoo.SpeechRecognizer(**sizes)
        >>> task.adapt(rows)
        >>> training = {"epochs": 10, "batch_size": 4, "learning_rate": 0.03, "xla": False}
        >>> history = task.fit(rows, **training, verbose=False)
        >>> task.predict([rows[0][0], rows[1][0]])
        ['o', 'ee']
    """

    name = "speech-recognizer"
    predict_options: ClassVar[type[Options]] = options.DecodingOptions
    export_options = tuple(options.DecodingOptions.names())
    Settings = options.Settings
    Training = options.Training
    min_steps: ClassVar[int] = options.STEPS
    purposes: ClassVar = {"waveform": "Writes what is said in recordings."}
    preview_explanation: ClassVar[str] = "Recordings with what the model writes."

    # --- Data ---

    def read(self, data: Any) -> Recordings:
        return read_recordings(data, self.settings)

    def files_of(self, data: Any, examples: Recordings) -> list[Path]:
        return [Path(audio) for audio in examples.audio if isinstance(audio, str)]

    def learn(self, examples: Recordings) -> AudioPreprocessor:
        if self.settings.sample_rate is None:
            if not examples.rates:
                raise UserError("arrays of samples have no rate: name it with sample_rate")
            ((self.settings.sample_rate, _),) = examples.rates.most_common(1)
        characters = spoken(examples.transcripts)
        with discarding():
            found = AudioPreprocessor.of(self.settings.sample_rate, characters, examples.audio)
        if self.settings.ngram is not None:
            rows, classes = map(found.encode, examples.transcripts), len(characters) + 1
            found.ngram = CharacterNgram.of(rows, self.settings.ngram, classes)
        return found

    def save_preprocessor(self, folder: Path) -> None:
        self.preprocessor.save(folder / FOLDER)

    def load_preprocessor(self, folder: Path) -> AudioPreprocessor:
        return AudioPreprocessor.load(folder / FOLDER)

    def same_preprocessor(self, folder: Path) -> bool:
        return self.load_preprocessor(folder).facts() == self.preprocessor.facts()

    def model_sizes(self) -> dict[str, Any]:
        preprocessor = self.preprocessor
        return {
            "sample_rate": preprocessor.sample_rate,
            "vocabulary_size": len(preprocessor.characters) + 1,
        }

    def adapt_model(self, examples: Recordings) -> None:
        """Standardizes the features with recordings that are spread over all of them."""
        count = len(examples.audio)
        places = np.linspace(0, count - 1, min(MEASURED, count)).astype(int)
        found = []
        with discarding():
            for place in places:
                row = padded([self.preprocessor.fitted(examples.audio[place])])
                features, _ = self.model.features(row[WAVEFORM], row[LENGTHS])
                found.append(ops.convert_to_numpy(features)[0])
        self.model.features.adapt(np.concatenate(found))

    def sample_inputs(self, examples: Recordings, count: int) -> dict[str, list[Any]]:
        return {}  # the preprocessor keeps some recordings

    def references(self, examples: Recordings) -> list[str]:
        return examples.transcripts

    # --- Training ---

    def batches(
        self, examples: Recordings, training: Any, held_out: bool = False
    ) -> BucketedBatches:
        preprocessor = self.preprocessor
        lengths = examples.samples_at(preprocessor.sample_rate)
        classes = [preprocessor.encode(text) for text in examples.transcripts]
        unknown = sum(map(len, examples.transcripts)) - sum(map(len, classes))
        steps = -(-lengths // self.model.samples_per_step)
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
                LENGTHS: Scalars(lengths.astype("int32"), fill=0),
            },
            _split_labels,
            lambda samples, characters: int(training.batch_size),
            max_buckets(held_out),
            training.seed,
            what="recordings",
            statistics=statistics + examples.statistics,
        )

    def objective(self, training: Any) -> Objective:
        hop = self.model.features.hop_ms
        self.model.augment.masks = {
            "time": (training.time_masks, training.time_mask_ms // hop),
            "frequency": (training.frequency_masks, training.frequency_mask_bands),
        }
        return Objective(loss={"logits": CharacterCTC()})

    # --- Inference ---

    @property
    def head(self) -> TranscriptHead:
        return TranscriptHead(self.preprocessor)

    def inferences(self, **given: Any) -> dict[str, Inference]:
        beams = options.DecodingOptions.of(given, self.name).beams
        ngram = self.preprocessor.ngram
        scores = None
        if ngram is not None and beams > 1:
            scores = ngram.scores(self.settings.ngram_weight)

        def compute(inputs: Tensors) -> Tensors:
            found = self.model(inputs)
            logits, lengths = found["logits"], found["lengths"]
            if beams == 1:
                classes, count, score = ctc_greedy_decode(logits, lengths, BLANK)
            else:
                of_beams = ctc_beam_search(logits, lengths, beams, BLANK, scores)
                classes, count, score = (x[:, 0] for x in of_beams)
            steps = ops.maximum(found["lengths"], 1)
            return {
                "token_ids": _without_padding(classes, ops.max(steps)),
                "lengths": count,
                "confidence": ops.exp(score / ops.cast(steps, "float32")),
            }

        row = (BATCH,)
        outputs = {"token_ids": (BATCH, None), "lengths": row, "confidence": row}
        return {"waveform": Inference(self.preprocessor.features, dict, compute, outputs)}

    def signatures(
        self, text: str | None, litert: bool = False, **options: Any
    ) -> dict[str, Signature]:
        found = super().signatures(text, litert, **options)
        if text:
            del found["waveform"]  # takes the same
        return found

    def calls(
        self, preprocessor: Preprocessor, raw: list[dict[str, np.ndarray]]
    ) -> dict[str, list[dict[str, np.ndarray]]]:
        return {SERVING_DEFAULT: raw}

    def runner(self, **given: Any) -> Run:
        program = self.program("waveform")
        if given:
            program = Program(self.inferences(**given)["waveform"])
        return lambda _, features: program(features)

    def raw_inputs(self, data: Any) -> dict[str, Sequence[Any]]:
        if isinstance(data, str | PathLike):
            raise UserError("predict takes a list of recordings; got a single one")
        return {AUDIO: [str(each) if is_path(each) else np.asarray(each) for each in data]}

    def align(self, audio: Any) -> Alignment:
        """Where in a recording each character is, with the probabilities of all.

        Args:
            audio: A recording, as in the list that `predict` takes.
        """
        return align(self, audio)

    def score(self, examples: Recordings, run: Run) -> dict[str, float]:
        rows = self.predict_rows(examples.inputs, run, finish=self._said)
        return self.head.score(examples.transcripts, [self.result(row) for row in rows])

    def _said(self, outputs: Tensors, features: Features) -> Tensors:
        """The text of outputs, which an artifact may have in it, as strings or as bytes."""
        if "token_ids" in outputs:
            return self.postprocess(outputs, features)
        if TEXT in outputs:
            return outputs
        found = zip(outputs[TEXT_BYTES].numpy(), outputs[TEXT_LENGTHS].numpy(), strict=True)
        return {TEXT: tf.constant([bytes(row[:n].astype(np.uint8)) for row, n in found])}

    def preview(self, data: Any, count: int) -> list[PreviewRow]:
        examples = self.read(data)
        audio = examples.audio[:count]
        names = [examples.name(place) for place in range(len(audio))]
        rows = zip(names, self.predict(audio), examples.transcripts, audio, strict=False)
        return [PreviewRow(*row) for row in rows]

    def default_xla(self) -> bool | str:
        # Each bucket takes another shape, and the loops of recurrent layers compile slowly.
        return False if keras.backend.backend() == "tensorflow" else "auto"


def _without_padding(classes: Any, steps: Any) -> Any:
    """The classes (B, T) of the steps of the longest recording; in a file of one shape all of them.

    Behind each recording is the blank.
    """
    has_one_shape = classes.shape[1] is not None and not tf.executing_eagerly()
    return classes if has_one_shape else classes[:, :steps]


def _split_labels(batch: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The inputs of the model, and the labels of its logits."""
    labels = batch.pop(LABELS)
    return batch, {"logits": labels}
