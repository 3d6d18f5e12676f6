"""Recordings as the model takes them: samples of one channel at one rate."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import tensorflow as tf

from zoo.data.audio.decode import decode, facts_of, fitted
from zoo.data.audio.read import Audio, as_samples
from zoo.data.readers.npz import read_arrays
from zoo.data_statistics import Statistics, record
from zoo.decoding.character_ngram import CharacterNgram
from zoo.errors import UserError, damage
from zoo.json_file import read_json, write_json
from zoo.preprocessing.base import BATCH, Features, Preprocessor, TensorSpec
from zoo.text.form import TEXT, TEXT_BYTES, TEXT_LENGTHS, TextForm
from zoo.text.programs.spelling import Spelling

AUDIO, WAVEFORM, LENGTHS, NGRAM = "audio", "waveform", "lengths", "ngram"
CONFIG, SAMPLE = "audio.json", "arrays.npz"
SAMPLE_SIZE = 8  # number of recordings to verify artifacts with
SAMPLES = 8  # number of batches to measure the agreement of two models
MAX_BATCH = 4 << 30  # bytes of the samples of a batch, with padding
RATES = range(1000, 192_001)  # of a model, in samples per second


class AudioPreprocessor(Preprocessor):
    """Reads recordings at the rate of the model, and writes characters.

    Args:
        sample_rate: Number of samples per second of the model.
        characters: The characters that the model writes; their classes begin with 1.
        sample: Some recordings of the training data, to verify artifacts with.

    Attributes:
        ngram: The character n-gram model of the transcripts, or None.
    """

    feature_signature: ClassVar[str] = "waveform"
    subfolder: ClassVar[str] = "audio"

    def __init__(
        self, sample_rate: int, characters: Sequence[str], sample: Sequence[np.ndarray]
    ) -> None:
        self.sample_rate, self.characters, self.sample = sample_rate, [*characters], [*sample]
        self.ngram: CharacterNgram | None = None
        samples = f"samples from -1 to 1, {sample_rate} per second"
        self.features = {
            WAVEFORM: TensorSpec((BATCH, "samples"), "float32", 0.0, samples),
            LENGTHS: TensorSpec(
                (BATCH,), "int32", 0, "the number of samples in each row", (0, 2**31 - 1)
            ),
        }
        self.inputs = self.features

    @classmethod
    def of(cls, sample_rate: int, characters: Sequence[str], audio: Sequence[Audio]) -> Self:
        """The preprocessor for recordings at a rate.

        Args:
            sample_rate: Number of samples per second.
            characters: The characters of the transcripts.
            audio: The recordings; some are kept, to verify artifacts with.
        """
        if sample_rate not in RATES:
            raise UserError(f"sample_rate must be from 1000 to 192000, got {sample_rate}")
        empty = cls(sample_rate, characters, [])
        indices = np.linspace(0, len(audio) - 1, min(SAMPLE_SIZE, len(audio))).astype(int)
        return cls(sample_rate, characters, [empty.fitted(audio[index]) for index in indices])

    def __call__(self, **inputs: Any) -> Features:
        return inputs

    def read(self, inputs: Mapping[str, Sequence[Any]]) -> dict[str, np.ndarray]:
        return padded([self.fitted(audio) for audio in inputs[AUDIO]])

    def row_lengths(self, inputs: Mapping[str, Sequence[Any]]) -> list[int]:
        """The number of samples of each recording, at the rate of the model."""
        return [self._length(audio) for audio in inputs[AUDIO]]

    def _length(self, audio: Audio) -> int:
        if not isinstance(audio, str):
            return len(audio)
        with naming(audio):
            return facts_of(Path(audio)).samples_at(self.sample_rate)

    def fitted(self, audio: Audio) -> np.ndarray:
        """One recording at the rate of the model, float32 (S).

        Args:
            audio: The path of a file, or samples at the rate of the model.

        Raises:
            UserError: If it cannot be read.
        """
        with naming(audio):
            if not isinstance(audio, str):
                return as_samples(audio)
            sound = decode(Path(audio))
            changes = {
                f"recordings resampled to {self.sample_rate} Hz": sound.rate != self.sample_rate,
                "recordings of several channels mixed to one": sound.samples.shape[1] > 1,
            }
            record(Statistics({what: int(done) for what, done in changes.items()}))
            return fitted(sound, self.sample_rate)

    # --- Characters ---

    def encode(self, transcript: str) -> list[int]:
        """The classes of characters, without those that the model does not know.

        Example:
            >>> AudioPreprocessor(8000, ["a", "b"], []).encode("bxa")
            [2, 1]
        """
        classes = {character: number for number, character in enumerate(self.characters, 1)}
        return [classes[each] for each in transcript if each in classes]

    def spell(self, classes: Any) -> Any:
        """The texts of classes (B, T), in TensorFlow operators; 0 is the blank.

        Example:
            >>> AudioPreprocessor(8000, ["a", "b"], []).spell([[2, 1, 0]]).numpy().tolist()
            [b'ba']
        """
        names = tf.constant([b"", *(character.encode() for character in self.characters)])
        return tf.strings.reduce_join(tf.gather(names, classes), axis=-1)

    def text(self, classes: Any, form: TextForm) -> dict[str, tf.Tensor]:
        """The texts of classes (B, T), as the outputs of a signature."""
        if form is not TextForm.BYTES:
            return {TEXT: self.spell(classes)}
        texts = [b"", *(character.encode() for character in self.characters)]
        spelling = Spelling(texts, [bool(text) for text in texts], keep_space=True)
        return dict(zip((TEXT_BYTES, TEXT_LENGTHS), spelling(classes), strict=True))

    # --- Files ---

    def check_litert(self) -> None:
        raise UserError("LiteRT cannot join characters: its files give their numbers")

    def save(self, folder: Path) -> None:
        """Writes the preprocessor to a folder."""
        write_json(folder / CONFIG, self.facts())
        sample: Any = padded(self.sample)
        sample |= {} if self.ngram is None else {NGRAM: self.ngram.table}
        np.savez_compressed(folder / SAMPLE, **sample)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Reads what `save` wrote.

        Raises:
            UserError: If a file is missing or damaged.
        """
        path = folder / CONFIG
        with damage(path):
            facts = read_json(path, dict)
            rate, characters = facts["sample_rate"], facts["characters"]
            if rate not in RATES or not all(len(each) == 1 for each in characters):
                raise ValueError("no rate and characters")
        arrays = read_arrays(folder / SAMPLE)
        table = arrays.pop(NGRAM, None)
        lengths, waveforms = (arrays.get(name, np.zeros(0)) for name in (LENGTHS, WAVEFORM))
        fits = waveforms.ndim == 2 and lengths.shape == waveforms.shape[:1] != (0,)
        if table is not None:
            fits = fits and table.shape == (1 + len(characters),) * table.ndim != ()
        if not (fits and waveforms.dtype == "float32" and lengths.dtype.kind in "iu"):
            raise UserError(f"{folder / SAMPLE} is damaged: restore it, or train again.")
        rows = zip(waveforms, lengths, strict=True)
        preprocessor = cls(rate, characters, [row[:length] for row, length in rows])
        preprocessor.ngram = None if table is None else CharacterNgram(table)
        return preprocessor

    def facts(self) -> dict[str, Any]:
        """What has to be equal for a run to go on, as JSON types."""
        return {"sample_rate": self.sample_rate, "characters": self.characters}

    # --- Verification ---

    def probes(self, examples: Mapping[str, Sequence[Any]]) -> list[dict[str, np.ndarray]]:
        random = np.random.default_rng(0)
        first = self.sample[0]
        silence, short = np.zeros_like(first), first[: max(1, len(first) // 7)]
        noise = random.uniform(-1, 1, len(first)).astype("float32")
        return [padded(rows) for rows in (self.sample, [silence, short, noise], [first])]

    def samples(self, examples: Mapping[str, Sequence[Any]]) -> list[dict[str, np.ndarray]]:
        gains = np.random.default_rng(1).uniform(0.7, 1, (SAMPLES, len(self.sample)))
        return [
            padded([x * np.float32(g) for x, g in zip(self.sample, row, strict=True)])
            for row in gains
        ]


@contextmanager
def naming(audio: Audio) -> Iterator[None]:
    """Names the recording in errors of what reads it.

    Raises:
        UserError: If it cannot be read.
    """
    try:
        yield
    except ValueError as error:
        name = audio if isinstance(audio, str) else AUDIO
        raise UserError(f"{name}: {error}") from None


def padded(rows: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """Recordings as a batch: samples with zeros behind the end of each, and lengths.

    Raises:
        UserError: If they take too much memory once they are as long as the longest.

    Example:
        >>> padded([np.ones(2), np.ones(1)])["waveform"].tolist()
        [[1.0, 1.0], [1.0, 0.0]]
    """
    lengths = np.array([len(row) for row in rows], "int32")
    longest = int(max(lengths, default=0))
    if 4 * len(rows) * longest > MAX_BATCH:
        raise UserError(
            f"{len(rows)} recordings, the longest of {longest:,} samples, have more than "
            f"{MAX_BATCH >> 30} GB as a batch: leave out the longest, or give fewer at once"
        )
    samples = np.zeros((len(rows), longest), "float32")
    for index, row in enumerate(rows):
        samples[index, : len(row)] = row
    return {WAVEFORM: samples, LENGTHS: lengths}
