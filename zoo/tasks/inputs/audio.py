"""Recordings as the input of a model: arrays of samples, or paths of files."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from zoo.data.audio.decode import SUFFIXES
from zoo.data.audio.paths import recording_at
from zoo.data.audio.read import RECORDING, Recordings, characters_of
from zoo.data.readers.input_columns import InputColumns
from zoo.data_statistics import discarding
from zoo.decoding.character_ngram import CharacterNgram
from zoo.errors import UserError
from zoo.heads.transcript import CHARACTERS
from zoo.lines import from_lines
from zoo.preprocessing.audio import AUDIO, AudioPreprocessor
from zoo.serving.called import CalledModel
from zoo.serving.signatures import SERVING_DEFAULT, Signature
from zoo.tasks.calls import Calls
from zoo.tasks.inputs.media import paths_or_arrays, without_features
from zoo.tasks.options.speech_recognizer import Settings
from zoo.tasks.parts import Fitted, Input, Learned, Start

FittedAudio = Fitted[Settings, AudioPreprocessor]


class AudioInput(Input[Settings, AudioPreprocessor, Recordings]):
    """Samples of one channel at the rate of the model."""

    def learn(
        self, examples: Recordings, settings: Settings, start: Start
    ) -> Learned[Settings, AudioPreprocessor]:
        rate = settings.sample_rate
        if rate is None:
            if not examples.rates:
                raise UserError("arrays of samples have no rate: name it with sample_rate")
            ((rate, _),) = examples.rates.most_common(1)
        characters = characters_of(examples.transcripts)
        with discarding():
            preprocessor = AudioPreprocessor.of(rate, characters, examples.audio)
        if settings.ngram is not None:
            rows, classes = map(preprocessor.encode, examples.transcripts), len(characters) + 1
            preprocessor.ngram = CharacterNgram.of(rows, settings.ngram, classes)
        return Learned(replace(settings, sample_rate=rate), preprocessor)

    def load(self, folder: Path, settings: Settings) -> AudioPreprocessor:
        return AudioPreprocessor.load(folder / AudioPreprocessor.subfolder)

    def restored(self, settings: Settings, artifact: CalledModel) -> AudioPreprocessor:
        characters = from_lines(artifact.beside.get(CHARACTERS, ""))
        return AudioPreprocessor(int(settings.sample_rate or 0), characters, [])

    def sizes(self, settings: Settings, preprocessor: AudioPreprocessor) -> dict[str, Any]:
        return {
            "sample_rate": preprocessor.sample_rate,
            "vocabulary_size": len(preprocessor.characters) + 1,
        }

    def table_columns(self, settings: Settings) -> InputColumns:
        return InputColumns((RECORDING,), recording_at, SUFFIXES)

    def raw(
        self, data: Any, settings: Settings, preprocessor: AudioPreprocessor
    ) -> dict[str, Sequence[Any]]:
        return {AUDIO: paths_or_arrays(data, "recording")}

    def signatures(
        self,
        signatures: dict[str, Signature],
        preprocessor: AudioPreprocessor,
        text: str | None,
        litert: bool,
    ) -> dict[str, Signature]:
        return without_features(signatures, preprocessor) if text else signatures

    def calls(self, preprocessor: AudioPreprocessor, raw: list[dict[str, Any]]) -> Calls:
        return {SERVING_DEFAULT: raw}
