"""Series of spoken digits: their pitch as a value, or the digit and the speaker as labels.

    python -m benchmarks.spoken_series --fsdd fsdd/ --out spoken/

Writes `pitch-train.npz` and `pitch-test.npz` for `keras-attn train series-regressor`: 256 samples
(32 ms) of a recording, and its pitch in hertz. The pitch is not from a person: it is that of the
largest autocorrelation of 128 ms around these samples, for lags of 60 to 400 Hz. Recordings whose
autocorrelation is below 0.7 there are left out, since they may have none.

Writes `words-train.npz` and `words-test.npz` for `keras-attn train series-classifier
--multi-label`: 64 steps of the logarithms of the energy in 8 bands, and two labels, the digit and
the speaker.
"""

import argparse
import csv
from pathlib import Path

import numpy as np

from benchmarks.spoken_digits import WORDS
from zoo.data.audio.decode import decode

RATE = 8000  # Hz
WINDOW, SHORT = 1024, 256  # samples in which the pitch is measured, and that the model reads
LOWEST, HIGHEST, VOICED = 60, 400, 0.7  # Hz, Hz, autocorrelation
STEPS, FRAME, BANDS = 64, 256, 8
EDGES = np.geomspace(3, FRAME // 2 + 1, BANDS + 1).astype(int)  # of bands, in bins


def loudest(samples: np.ndarray) -> np.ndarray:
    """The window (1024,) with the most energy."""
    padded = np.pad(samples, (0, max(0, WINDOW - len(samples))))
    energy = np.convolve(padded**2, np.ones(WINDOW), "valid")
    start = int(energy.argmax())
    return padded[start : start + WINDOW]


def pitch(window: np.ndarray) -> float | None:
    """The pitch in hertz; None without a clear one.

    Example:
        >>> pitch(np.sin(2 * np.pi * 100 * np.arange(WINDOW) / RATE))
        100.0
    """
    lags = np.arange(RATE // HIGHEST, RATE // LOWEST + 1)
    pairs = [(window[lag:], window[:-lag]) for lag in lags]
    sizes = [np.sqrt((a @ a) * (b @ b)) + 1e-12 for a, b in pairs]
    found = np.array([a @ b / size for (a, b), size in zip(pairs, sizes, strict=True)])
    if found.max() < VOICED:
        return None
    # The first lag that is nearly the best: not twice the period.
    return RATE / float(lags[int((found > 0.95 * found.max()).argmax())])


def bands(samples: np.ndarray) -> np.ndarray:
    """The logarithms of energies (64, 8)."""
    padded = np.pad(samples, FRAME // 2)
    starts = np.linspace(0, len(samples) - 1, STEPS).astype(int)
    frames = np.stack([padded[start : start + FRAME] for start in starts]) * np.hanning(FRAME)
    energies = np.abs(np.fft.rfft(frames)) ** 2
    return np.log(1e-6 + np.add.reduceat(energies, EDGES[:-1], axis=1))


def write(fsdd: Path, out: Path) -> None:
    """Writes the four files to a folder, from the recordings of a folder."""
    out.mkdir(parents=True, exist_ok=True)
    with open(fsdd / "index.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    speakers = sorted({row["speaker"] for row in rows})
    classes = [*WORDS, *speakers]
    for split in ("train", "test"):
        pitches, words = [], []
        for row in rows:
            if row["split"] != split:
                continue
            samples = decode(fsdd / "recordings" / row["file"]).samples[:, 0]
            labels = (WORDS[int(row["digit"])], row["speaker"])
            words.append((bands(samples), [name in labels for name in classes]))
            window = loudest(samples)
            if (found := pitch(window)) is not None:
                start = (WINDOW - SHORT) // 2
                pitches.append((window[start : start + SHORT] / np.abs(window).max(), found))
        for name, pairs, more in (
            ("pitch", pitches, {"names": ["hertz"]}),
            ("words", words, {"classes": classes}),
        ):
            x, y = (np.array(each, "float32") for each in zip(*pairs, strict=True))
            path = out / f"{name}-{split}.npz"
            np.savez_compressed(path, x=x, y=y, **more)
            print(f"{path}: {len(x)} series")


def main() -> None:
    """Writes the four files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fsdd", type=Path, required=True, help="folder with index.csv")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    given = parser.parse_args()
    write(given.fsdd, given.out)


if __name__ == "__main__":
    main()
