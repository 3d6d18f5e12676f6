"""The decoder of sound files: samples of one channel at the rate of a model."""

import io
import math
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from zoo.data.audio.wav import plain_wav
from zoo.untrusted import read_regular

MAX_BYTES = 1 << 30  # of one file
MAX_DECODED = 1 << 29  # bytes of its samples; of silence, a file has less than one percent
UNKNOWN = 1 << 62  # number of samples from which on libsndfile does not know it
RATES = range(1000, 384_001)  # of a file, in samples per second
KNOWN = 1 << 20  # number of files whose check is remembered
EXTRA = "pip install 'keras-attn[audio]'"
WAV = ("WAV", "WAVEX")  # as libsndfile names its formats
COMPRESSED = {".flac": ("FLAC",), ".ogg": ("OGG",)}
SUFFIXES = (".wav", *COMPRESSED)


class Sound(NamedTuple):
    """Samples from -1 to 1, float32 (S, C), and how many there are per second."""

    samples: np.ndarray
    rate: int


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
    """Decodes a WAV, FLAC or Ogg file.

    Raises:
        ValueError: If it cannot be read, is too large, or has no samples, samples that are not
            finite, or a rate that no recording has.
    """
    try:
        content = read_regular(path, MAX_BYTES)
    except OSError as error:
        raise ValueError(error.strerror or "it cannot be read") from None
    compressed = COMPRESSED.get(path.suffix.lower())
    sound = _decoded(content, compressed) if compressed else _decoded(plain_wav(content), WAV)
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
        ValueError: If the rate differs and SciPy is not installed, or there are too many samples
            at that rate.
    """
    samples, channels = sound.samples.shape
    _check_size(4 * Facts(samples, sound.rate, channels).samples_at(rate))
    x = sound.samples.mean(axis=1) if channels > 1 else sound.samples[:, 0]
    if sound.rate == rate:
        return x
    try:
        from scipy.signal import resample_poly
    except ImportError:
        reason = f"it has {sound.rate} samples per second, not {rate}"
        raise ValueError(f"{reason}: resampling requires SciPy: {EXTRA}") from None
    shared = math.gcd(rate, sound.rate)
    return np.asarray(resample_poly(x, rate // shared, sound.rate // shared), "float32")


def _decoded(content: bytes, formats: tuple[str, ...]) -> Sound:
    """The sound in the bytes of a file that has one of some formats."""
    import soundfile  # takes as long as the rest of the command line

    try:
        with soundfile.SoundFile(io.BytesIO(content)) as file:
            if file.format not in formats:
                raise ValueError(f"it is a {file.format} file, not {formats[0]}")
            if file.samplerate not in RATES:
                first, last = RATES[0], RATES[-1]
                what = f"expected {first:,} to {last:,}"
                raise ValueError(f"it has {file.samplerate:,} samples per second, {what}")
            if file.frames >= UNKNOWN:
                reason = "it does not say how many samples it has, as programs write it to a pipe"
                raise ValueError(f"{reason}: write it to a file")
            _check_size(4 * file.frames * file.channels)  # before anything is decoded
            samples = np.empty((file.frames, file.channels), "float32")
            return Sound(file.read(out=samples), file.samplerate)
    except soundfile.LibsndfileError as error:
        raise ValueError(f"it cannot be decoded: {error.error_string}") from None


def _check_size(size: int) -> None:
    if size > MAX_DECODED:
        raise ValueError(f"it has more than {MAX_DECODED >> 20} MB of samples")
