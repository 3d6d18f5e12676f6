"""The alignment of characters with a recording."""

from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from keras import ops

from zoo.models.blank_after_end import BLANK
from zoo.preprocessing.audio import LENGTHS, WAVEFORM
from zoo.preprocessing.base import Features
from zoo.tasks.inputs.audio import FittedAudio


class AlignedCharacter(NamedTuple):
    """A character of the most probable alignment, and the seconds from which to which it lasts."""

    character: str
    start: float
    end: float


class Alignment(NamedTuple):
    """What a model hears in a recording, and when.

    `spectrogram` (T, K) are its standardized log-mel features, `probabilities` (U, V) those of the
    blank and of each character at each step, `seconds` the length of a frame and of a step, and
    `characters` the characters of the most probable alignment, in order.
    """

    spectrogram: np.ndarray
    probabilities: np.ndarray
    seconds: tuple[float, float]
    characters: list[AlignedCharacter]


def align(fitted: FittedAudio, features: Features) -> Alignment:
    """The `Alignment` of a recording.

    Args:
        fitted: The settings, the preprocessor and the model of a speech recognizer.
        features: The features of one recording.
    """
    model, preprocessor = fitted.model, fitted.preprocessor
    frames, _ = model.features(features[WAVEFORM], features[LENGTHS])
    scores = ops.softmax(model(features)["logits"], axis=-1)
    spectrogram, probabilities = (ops.convert_to_numpy(x)[0] for x in (frames, scores))
    hop = model.features.log_mel.hop / preprocessor.sample_rate
    step = model.samples_per_step / preprocessor.sample_rate
    heard = aligned_characters(probabilities.argmax(-1), preprocessor.characters, step)
    return Alignment(spectrogram, probabilities, (hop, step), heard)


def aligned_characters(
    classes: Any, characters: list[str], seconds: float
) -> list[AlignedCharacter]:
    """The characters of an alignment.

    Args:
        classes: The class of each step.
        characters: The characters of the classes from 1.
        seconds: Length of a step.

    Example:
        >>> aligned_characters([0, 2, 2, 0, 1], ["a", "b"], 0.5)
        [AlignedCharacter(character='b', start=0.5, end=1.5),
         AlignedCharacter(character='a', start=2.0, end=2.5)]
    """
    aligned, step = [], 0
    for label, steps in groupby(map(int, classes)):
        count = len([*steps])
        if label != BLANK:
            begin, end = step * seconds, (step + count) * seconds
            aligned.append(AlignedCharacter(characters[label - 1], begin, end))
        step += count
    return aligned
