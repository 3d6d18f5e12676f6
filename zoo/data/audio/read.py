"""The reader of recordings with their transcripts: from tables, or from memory."""

import dataclasses
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zoo.data.array_identity import array_identity
from zoo.data.audio.decode import Facts, check_samples, facts_of
from zoo.data.audio.paths import are_recordings, recording_at
from zoo.data.audio.recognition import refuse_labels
from zoo.data.examples import ExampleRow
from zoo.data.in_memory import InMemory
from zoo.data.readers.column_finder import ColumnFinder, check_rows
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.files import Paths, is_path, name_of, paths_of
from zoo.data.readers.profile import Profile
from zoo.data.readers.roles import Role
from zoo.data.readers.table import as_texts
from zoo.data.readers.tables import open_table
from zoo.data_statistics import Statistics, counted, with_statistics
from zoo.errors import DataError, UserError
from zoo.option_names import option_value

# The usual names of columns; without a header, the first two columns are taken.
AUDIO = (
    *("audio", "path", "file", "filename", "file_name", "audio_path", "wav", "recording"),
    *("audio_filepath", "audio_file", "wav_filename", "wav_path", "filepath", "file_path"),
)
RECORDING = Role(AUDIO[0], "path", AUDIO[1:])
TEXT = (
    *("text", "transcript", "transcription", "sentence", "normalized_text", "normalized"),
    *("raw_transcription", "utterance"),
)
Audio = str | np.ndarray  # the path of a file, or samples (S)
RecordingData = Paths | Iterable[tuple[Any, str]]  # paths, or what NumPy makes arrays of


@dataclasses.dataclass(frozen=True)
class Recordings(InMemory):
    """Recordings with their transcripts.

    Args:
        audio: Paths of files, or arrays of samples.
        transcripts: What is said.
        facts: Length, rate and channels of each; the rate of arrays is 0, that of the model.
        bad: The skipped recordings, as (table, line, reason).
    """

    audio: list[Audio]
    transcripts: list[str]
    facts: list[Facts]
    bad: list[tuple[str, int, str]] = dataclasses.field(default_factory=list)

    @property
    def columns(self) -> dict[str, list[Any]]:
        return {"audio": self.audio, "transcripts": self.transcripts, "facts": self.facts}

    @property
    def inputs(self) -> dict[str, list[Audio]]:
        return {"audio": self.audio}

    def cell_identity(self, cell: Any) -> Hashable:
        return super().cell_identity(array_identity(cell))

    @property
    def statistics(self) -> Statistics:
        """Number of skipped recordings."""
        return Statistics({"recordings that cannot be read skipped": len(self.bad)})

    @property
    def files(self) -> list[Path]:
        """The recordings that are files."""
        return [Path(audio) for audio in self.audio if isinstance(audio, str)]

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first recordings, for a report."""
        rows = zip(self.audio[:count], self.transcripts, strict=False)
        return [ExampleRow(self.name(i), audio, text) for i, (audio, text) in enumerate(rows)]

    @property
    def rates(self) -> Counter[int]:
        """How many files have each rate."""
        return Counter(facts.rate for facts in self.facts if facts.rate)

    def samples_at(self, rate: int) -> np.ndarray:
        """The number of samples of each recording at a rate, (N,)."""
        return np.array([x.samples_at(rate) if x.rate else x.samples for x in self.facts])

    def name(self, index: int) -> str:
        """The name of a file, or the number of an array."""
        audio = self.audio[index]
        return Path(audio).name if isinstance(audio, str) else f"recording {index + 1}"

    def check_channels(self) -> None:
        """Refuses recordings of which some have more channels than others.

        Raises:
            UserError: If there are; the message names one of each.
        """
        first = self.facts[0].channels
        for index, facts in enumerate(self.facts):
            if facts.channels != first:
                raise UserError(
                    f"{self.name(index)} has {counted(facts.channels, 'channels')}, and "
                    f"{self.name(0)} has {first}: use "
                    f"{option_value('mix_channels', True)} to mix all to one"
                )

    def __str__(self) -> str:
        what = counted(len(self.audio), "recordings")
        seconds = sum(facts.samples / facts.rate for facts in self.facts if facts.rate)
        rates = ", ".join(f"{rate:,} Hz ({count:,})" for rate, count in self.rates.most_common(3))
        length = f" of {seconds / 60:.1f} minutes at {rates}" if rates else ""
        words = sum(len(text.split()) for text in self.transcripts)
        return with_statistics(f"{self.path}: {what}{length}; {words:,} words", self.statistics)


def read_recordings(
    data: RecordingData, options: ReadOptions = DEFAULT, mix_channels: bool = False
) -> Recordings:
    """Reads recordings with their transcripts.

    Args:
        data: One or several tables with the path of a file, relative to the folder of the table
            (see `recording_at`), and a transcript in each row; or a list of (audio, transcript),
            where audio is a path or an array.
        options: How tables are read.
        mix_channels: Whether recordings may differ in their number of channels.

    Returns:
        The `Recordings`.

    Raises:
        DataError: If a recording cannot be read, or has no transcript.
        UserError: If a table cannot be read, or recordings differ in their number of channels.

    Example:
        >>> print(read_recordings([(np.zeros(3), "one"), (np.zeros(2), "two three")]))
        data in memory: 2 recordings; 3 words
    """
    path, recordings = name_of(data), Recordings(name_of(data), [], [], [])
    if is_path(data):
        for each in paths_of(data):
            _read_table(each, options, recordings)
    else:
        _read_rows(path, data, recordings)
    if not recordings.audio:
        raise UserError(f"{path} has no recordings")
    if not mix_channels:
        recordings.check_channels()
    return recordings


def _read_table(path: Path, options: ReadOptions, recordings: Recordings) -> None:
    given = options.names
    named = [name for name in (given.audio, given.text) if name] or [*AUDIO, *TEXT]
    table, _ = open_table(path, "recordings", named, options.encoding).read().without_bad(False)
    check_rows(table, header=False)
    columns = ColumnFinder(table, "recordings")
    audio = given.audio or _column_of_recordings(columns, path.parent)
    names = columns.take_texts(audio, (*AUDIO, "1"), "audio", required=True) or []
    second = "3" if not table.header and _is_normalized(columns) else "2"
    if columns.find(given.text, (*TEXT, second)) is None:
        refuse_labels(columns)
    texts = columns.take_texts(given.text, (*TEXT, second), "text", required=True) or []
    for line, name, text in zip(table.lines.tolist(), names, texts, strict=True):
        try:
            transcript = _transcript(text)
            file = recording_at(path.parent, name)
            facts = facts_of(file)
        except ValueError as error:
            reason = f"{name}: {error}"
            if not options.skip_bad_rows:
                raise DataError(path, line, reason) from None
            recordings.bad.append((str(path), line, reason))
            continue
        _add(recordings, str(file), transcript, facts)


def _column_of_recordings(columns: ColumnFinder, folder: Path) -> str | None:
    """The column that names sound files, if there is one and none has a usual name."""
    if columns.find(None, (*AUDIO, "1")) is not None:
        return None
    named = [name for name, x in columns.left.items() if are_recordings(folder, as_texts(x))]
    return named[0] if len(named) == 1 else None


def _is_normalized(columns: ColumnFinder) -> bool:
    """Whether the third column has the texts of the second with numbers in words, as LJSpeech."""
    if [*columns.left] != ["2", "3"]:
        return False
    second, third = (as_texts(column) for column in columns.left.values())
    words, others = Profile.of(third).words, Profile.of(second).words
    alike = sum(a == b for a, b in zip(second, third, strict=True))
    return alike > len(third) / 2 or words >= max(1.5, 0.5 * others)


def _read_rows(path: str, rows: Iterable[tuple[Any, str]], recordings: Recordings) -> None:
    try:
        pairs = [(audio, str(text)) for audio, text in rows]
    except (TypeError, ValueError):
        raise UserError(f"{path}: expected a list of (audio, transcript)") from None
    for number, (audio, text) in enumerate(pairs, 1):
        try:
            if is_path(audio):
                _add(recordings, str(audio), _transcript(text), facts_of(Path(str(audio))))
            else:
                samples = as_samples(audio)
                _add(recordings, samples, _transcript(text), Facts(len(samples), 0, 1))
        except ValueError as error:
            raise UserError(f"{path}: recording {number}: {error}") from None


def _add(recordings: Recordings, audio: Audio, transcript: str, facts: Facts) -> None:
    recordings.audio.append(audio)
    recordings.transcripts.append(transcript)
    recordings.facts.append(facts)


def _transcript(text: str) -> str:
    """A text with single spaces, in composed characters."""
    transcript = " ".join(unicodedata.normalize("NFC", text).split())
    if not transcript:
        raise ValueError("the transcript is empty")
    return transcript


def as_samples(audio: Any) -> np.ndarray:
    """Samples as an array (S) of float32.

    Raises:
        ValueError: If they are no finite numbers, are none, or have several channels.

    Example:
        >>> as_samples([0, 0.5]).dtype
        dtype('float32')
    """
    array = np.asarray(audio)
    if array.ndim != 1 or array.dtype.kind != "f":
        form = f"{array.dtype} {array.shape}"
        raise ValueError(f"expected samples (S) as floats from -1 to 1, got {form}")
    samples = array.astype("float32")
    check_samples(samples)
    return samples


def characters_of(transcripts: Sequence[str]) -> list[str]:
    """The characters of transcripts, sorted.

    Example:
        >>> characters_of(["one", "no"])
        ['e', 'n', 'o']
    """
    return sorted(set("".join(transcripts)))
