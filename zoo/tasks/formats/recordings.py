"""Recordings with transcripts, as users have them."""

from typing import Any

from zoo.data.audio.read import Recordings, read_recordings
from zoo.data.readers.column_names import ReadOptions
from zoo.preprocessing.audio import AudioPreprocessor
from zoo.tasks.options.speech_recognizer import Settings
from zoo.tasks.parts import Format


class RecordingFormat(Format[Settings, AudioPreprocessor, Recordings]):
    """Tables of paths and transcripts, or a list of (recording, transcript)."""

    def read(self, data: Any, settings: Settings, learned: AudioPreprocessor | None) -> Recordings:
        return read_recordings(data, ReadOptions.of(settings.values()), settings.mix_channels)
