"""Speech recognition: from a recording to what is said."""

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import numpy as np

from zoo.data.audio.read import Recordings, read_recordings
from zoo.data.readers.column_names import ReadOptions
from zoo.options import values_of
from zoo.serving.inference import Program
from zoo.tasks.answers.transcripts import Transcripts
from zoo.tasks.formats.in_memory import InMemoryFormat
from zoo.tasks.inputs.audio import AudioInput
from zoo.tasks.options import speech_recognizer as options
from zoo.tasks.parts import Parts, Pictures
from zoo.tasks.recipes.recordings import RecordingRecipe
from zoo.tasks.speech_alignment import Alignment, align
from zoo.tasks.speech_streaming import STREAM, step_inference, stream_logits, stream_text
from zoo.tasks.task import Task


def read(data: Any, settings: options.Settings, learned: Any) -> Recordings:
    """Tables of paths and transcripts, or a list of (recording, transcript)."""
    return read_recordings(data, ReadOptions.of(values_of(settings)), settings.mix_channels)


class SpeechRecognizer(Task):
    """Writes what is said in recordings; trained on recordings with transcripts.

    `predict` takes a list of paths of WAV, FLAC or Ogg files, or of arrays of samples (S) from -1
    to 1 at the rate of the model. Files of other rates are resampled.
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
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=InMemoryFormat(read),
        input=AudioInput(),
        answer=Transcripts(),
        recipe=RecordingRecipe(),
        purpose="Writes what is said in recordings.",
        preview="Recordings with what the model writes.",
        pictures=Pictures.RECORDINGS,
    )

    def align(self, audio: Any) -> Alignment:
        """Where in a recording each character is, with the probabilities of all.

        Args:
            audio: A recording, as in the list that `predict` takes.
        """
        return align(self.fitted, self.read_inputs([audio]))

    def stream(self, chunks: Iterable[Any]) -> Iterator[str]:
        """Writes while samples arrive, chunk by chunk.

        Args:
            chunks: Arrays of samples, each of any length, at the rate of the model.

        Returns:
            Iterator over pieces of text. Put together, they are what `predict` writes.

        Raises:
            UserError: If the model is not causal, or a chunk has no samples.
        """
        return stream_text(self.preprocessor, self.stream_logits(chunks))

    def stream_logits(self, chunks: Iterable[Any]) -> Iterator[np.ndarray]:
        """The logits (T, V) of the steps that each chunk completes; see `stream`."""
        program = self.programs.kept(STREAM, lambda: Program(step_inference(self.fitted)))
        return stream_logits(self.model, program, chunks)
