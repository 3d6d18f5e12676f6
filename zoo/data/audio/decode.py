"""From a sound file to samples of one channel at the rate of a model."""

import math
import stat
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from zoo.data.audio.wav import Sound, decode_wav
from zoo.errors import reason_of
from zoo.untrusted import read_regular

MAX_BYTES = 1 << 30  # of one file, and of its samples
BLOCK = 1 << 20  # samples that are read at once
KNOWN = 1 << 20  # number of files whose check is remembered
EXTRA = "pip install 'keras-attn[audio]'"
WITH_SOUNDFILE = (".flac", ".ogg")
SUFFIXES = (".wav", *WITH_SOUNDFILE)


class Facts(NamedTuple):
    """Number of samples, their rate, and the number of channels of a recording."""

    samples: int
    rate: int
    channels: int

    def samples_at(self, rate: int) -> int:
        """The number of samples after resampling.

        Example:
            >>> Facts(7, 16_000, 1).samples_at(8_000)
            4
        """
        return -(-self.samples * rate // self.rate)


def decode(path: Path) -> Sound:
    """Decodes a sound file.

    Raises:
        ValueError: If it cannot be read, or has no samples or samples that are not finite.
    """
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise ValueError("it is not a file")
        if about.st_size > MAX_BYTES:
            raise ValueError(f"it is larger than {MAX_BYTES >> 20} MB")
        if path.suffix.lower() in WITH_SOUNDFILE:
            sound = _with_soundfile(path)
        else:
            sound = decode_wav(read_regular(path, MAX_BYTES))
    except OSError as error:
        raise ValueError(error.strerror or "it cannot be read") from None
    check_samples(sound.samples)
    return sound


def check_samples(samples: np.ndarray) -> None:
    """Raises a `ValueError` if there are no samples, or some are not finite."""
    if not len(samples):
        raise ValueError("it has no samples")
    if not np.isfinite(samples).all():
        raise ValueError("it has samples that are not finite, such as NaN")


def facts_of(path: Path) -> Facts:
    """The facts about a file, all of which is decoded once.

    Raises:
        ValueError: If it cannot be read; see `decode`.
    """
    try:
        about = path.stat()
    except OSError as error:
        raise ValueError(error.strerror or "it cannot be read") from None
    return _facts(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=KNOWN)
def _facts(path: Path, *_: Any) -> Facts:
    samples, rate = decode(path)
    return Facts(len(samples), rate, samples.shape[1])


def fitted(sound: Sound, rate: int) -> np.ndarray:
    """The mean of all channels at another rate, float32 (S).

    Source: Crochiere & Rabiner 1983 (polyphase filters).

    Args:
        sound: The sound.
        rate: Number of samples per second of the result.

    Raises:
        ValueError: If the rate differs and SciPy is not installed.
    """
    x = sound.samples.mean(axis=1)
    if sound.rate == rate:
        return x
    try:
        from scipy.signal import resample_poly
    except ImportError:
        found = f"it has {sound.rate} samples per second, not {rate}"
        raise ValueError(f"{found}: resampling requires SciPy: {EXTRA}") from None
    shared = math.gcd(rate, sound.rate)
    return np.asarray(resample_poly(x, rate // shared, sound.rate // shared), "float32")


def _with_soundfile(path: Path) -> Sound:
    try:
        import soundfile
    except ImportError:
        raise ValueError(f"{path.suffix} files require soundfile: {EXTRA}") from None
    try:
        with soundfile.SoundFile(path) as file:
            # Not all at once: a file may declare more samples than it has.
            blocks = [file.read(0, "float32", always_2d=True)]
            size = 0
            while len(block := file.read(BLOCK, "float32", always_2d=True)):
                blocks.append(block)
                size += block.nbytes
                if size > MAX_BYTES:
                    raise ValueError(f"it has more than {MAX_BYTES >> 20} MB of samples")
            return Sound(np.concatenate(blocks), file.samplerate)
    except soundfile.SoundFileError as error:
        raise ValueError(reason_of(error)) from None
