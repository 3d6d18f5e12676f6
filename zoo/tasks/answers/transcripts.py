"""Transcripts as the answer of a task: what is said in recordings."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf
from keras import ops

from keras_attn.functional.ctc_beam import ctc_beam_search
from keras_attn.functional.ctc_greedy import ctc_greedy_decode
from zoo.data.audio.read import Recordings
from zoo.heads.head import Reader
from zoo.heads.transcript import TranscriptHead
from zoo.metrics.texts import TextRows
from zoo.models.blank_after_end import BLANK
from zoo.options import names_of, options_of
from zoo.preprocessing.audio import AudioPreprocessor
from zoo.preprocessing.base import BATCH, Features
from zoo.registry.metrics import TRANSCRIPTS
from zoo.serving.inference import Inference, Tensors
from zoo.tasks.inputs.audio import FittedAudio
from zoo.tasks.measuring import Judged
from zoo.tasks.options.speech_recognizer import DecodingOptions, Settings
from zoo.tasks.parts import Answer, Predictor
from zoo.text.form import TEXT, TEXT_BYTES, TEXT_LENGTHS, TextForm

AudioPredictor = Predictor[FittedAudio, TranscriptHead]


class Transcripts(Answer[Settings, AudioPreprocessor, Recordings, TranscriptHead]):
    """The characters of a recording, by greedy decoding or by beam search."""

    options = DecodingOptions
    export_options = tuple(names_of(DecodingOptions))

    def learn(self, examples: Recordings, settings: Settings) -> Settings:
        return settings

    def sizes(self, settings: Settings) -> dict[str, Any]:
        return {}

    def head(self, settings: Settings, preprocessor: AudioPreprocessor) -> TranscriptHead:
        return TranscriptHead(preprocessor)

    def inferences(
        self, fitted: FittedAudio, head: TranscriptHead, reader: Reader, options: Mapping[str, Any]
    ) -> dict[str, Inference]:
        model, beams = fitted.model, options_of(DecodingOptions, options).beams
        ngram, scores = fitted.preprocessor.ngram, None
        if ngram is not None and beams > 1:
            scores = ngram.scores(fitted.settings.ngram_weight)

        def compute(inputs: Tensors) -> Tensors:
            outputs = model(inputs)
            logits, lengths = outputs["logits"], outputs["lengths"]
            if beams == 1:
                classes, count, score = ctc_greedy_decode(logits, lengths, BLANK)
            else:
                of_beams = ctc_beam_search(logits, lengths, beams, BLANK, scores)
                classes, count, score = (x[:, 0] for x in of_beams)
            steps = ops.maximum(lengths, 1)
            return {
                "token_ids": _without_padding(classes, ops.max(steps)),
                "lengths": count,
                "confidence": ops.exp(score / ops.cast(steps, "float32")),
            }

        row = (BATCH,)
        axes = {"token_ids": (BATCH, None), "lengths": row, "confidence": row}
        return {reader.name: Inference(reader.features, reader.prepare, compute, axes)}

    def judged(self, predictor: AudioPredictor, examples: Recordings) -> Judged:
        correct = [[text] for text in examples.transcripts]
        return {TRANSCRIPTS: lambda: TextRows(correct, self._found(predictor, examples))}

    def _found(self, predictor: AudioPredictor, examples: Recordings) -> list[str]:
        head = predictor.head

        def finish(outputs: Tensors, features: Features) -> Tensors:
            return _texts(head, outputs, features)

        rows = predictor.rows(examples.inputs, finish=finish)
        return [head.result(row) for row in rows]


def _texts(head: TranscriptHead, outputs: Tensors, features: Features) -> Tensors:
    """The texts of outputs, which an artifact may have in it, as strings or as bytes."""
    if "token_ids" in outputs:
        return head.postprocess(outputs, features, TextForm.STRINGS)
    if TEXT in outputs:
        return outputs
    rows = zip(outputs[TEXT_BYTES].numpy(), outputs[TEXT_LENGTHS].numpy(), strict=True)
    return {TEXT: tf.constant([bytes(row[:length].astype(np.uint8)) for row, length in rows])}


def _without_padding(classes: Any, steps: Any) -> Any:
    """The classes (B, T) of the steps of the longest recording; in a file of one shape all of them.

    Behind each recording is the blank.
    """
    has_one_shape = classes.shape[1] is not None and not tf.executing_eagerly()
    return classes if has_one_shape else classes[:, :steps]
