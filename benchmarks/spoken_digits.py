"""Spoken digits: joins recordings of single digits to strings of 3 to 7.

    python -m benchmarks.spoken_digits --fsdd fsdd/ --out digits/ --count 4000

Writes `train.tsv`, `val.tsv` and `test.tsv`, which `keras-attn train speech-recognizer` reads, and
their WAV files. A string has recordings of one speaker. Those of `test.tsv` are of the official
test split (indices 0 to 4); `val.tsv` has recordings of the training split that `train.tsv` does
not have (indices 5 to 9). With `--leave-out NAME`, `train.tsv` and `val.tsv` have no recording of
that speaker, and `test.tsv` has all recordings of the speaker and no others.

Source: the Free Spoken Digit Dataset, https://github.com/Jakobovski/free-spoken-digit-dataset.
"""

import argparse
import wave
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from zoo.data.audio.decode import decode

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
RATE = 8000
DIGITS = (3, 7)  # in a string, at least and at most
PAUSE = (0.05, 0.3)  # seconds between digits, and before and after them
NOISE = 10**-3  # standard deviation of what is heard in a pause
TEST, VAL = range(5), range(5, 10)  # indices of recordings
Random = np.random.Generator


class Digit(NamedTuple):
    """A recording of one digit."""

    digit: int
    speaker: str
    index: int
    samples: np.ndarray


def read_digits(folder: Path) -> list[Digit]:
    """All recordings of a folder with files such as `7_jackson_32.wav`."""
    found = []
    for path in sorted(folder.rglob("*_*_*.wav")):
        digit, speaker, index = path.stem.split("_")
        samples = decode(path).samples[:, 0]
        found.append(Digit(int(digit), speaker, int(index), samples))
    return found


def parts(digits: Sequence[Digit], left_out: str | None) -> dict[str, list[Digit]]:
    """The recordings of each table.

    Example:
        >>> digits = [Digit(0, name, i, np.zeros(1)) for name in "ab" for i in (0, 5, 10)]
        >>> {name: [each.index for each in some] for name, some in parts(digits, None).items()}
        {'train': [10, 10], 'val': [5, 5], 'test': [0, 0]}
        >>> {name: [each.speaker for each in some] for name, some in parts(digits, "b").items()}
        {'train': ['a', 'a'], 'val': ['a'], 'test': ['b', 'b', 'b']}
    """
    if left_out is not None:
        known = [each for each in digits if each.speaker != left_out]
        return {
            "train": [each for each in known if each.index not in VAL],
            "val": [each for each in known if each.index in VAL],
            "test": [each for each in digits if each.speaker == left_out],
        }
    held_out = {*TEST, *VAL}
    return {
        "train": [each for each in digits if each.index not in held_out],
        "val": [each for each in digits if each.index in VAL],
        "test": [each for each in digits if each.index in TEST],
    }


def joined(digits: Sequence[Digit], random: Random) -> tuple[np.ndarray, str]:
    """A string of recordings of one speaker with pauses, and the words."""
    speaker = random.choice(sorted({each.speaker for each in digits}))
    own = [each for each in digits if each.speaker == speaker]
    count = random.integers(*DIGITS, endpoint=True)
    chosen = [own[i] for i in random.integers(len(own), size=count)]

    def pause() -> np.ndarray:
        return np.zeros(round(random.uniform(*PAUSE) * RATE))

    pieces = [piece for each in chosen for piece in (pause(), each.samples)]
    samples = np.concatenate([*pieces, pause()])
    samples = samples + random.normal(scale=NOISE, size=len(samples))
    return samples, " ".join(WORDS[each.digit] for each in chosen)


def write(folder: Path, name: str, digits: Sequence[Digit], count: int, seed: int) -> None:
    """Writes strings as WAV files of 16 bits, and a table of them."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    rows = ["path\ttext"]
    for number in range(count):
        samples, text = joined(digits, np.random.default_rng([seed, number]))
        path = folder / name / f"{number:05}.wav"
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
        rows.append(f"{name}/{path.name}\t{text}")
    (folder / f"{name}.tsv").write_text("\n".join(rows) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fsdd", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=4000, help="number of training strings")
    parser.add_argument("--leave-out", help="name of a speaker")
    given = parser.parse_args()
    digits = read_digits(given.fsdd)
    for seed, (name, some) in enumerate(parts(digits, given.leave_out).items()):
        count = given.count if name == "train" else 400
        write(given.out, name, some, count, seed)
        print(f"{name}: {count} strings of {len(some)} recordings")


if __name__ == "__main__":
    main()
