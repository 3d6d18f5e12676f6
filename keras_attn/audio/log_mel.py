"""Log-mel spectrograms as matrix products."""

from typing import Any, ClassVar

import keras
import numpy as np
from keras import ops

from keras_attn.checked import CheckedLayer

FLOOR = 1e-10  # of the power in a band, whose logarithm is taken


@keras.saving.register_keras_serializable(package="keras_attn")
class LogMelSpectrogram(CheckedLayer):
    """Log-mel spectrogram: the power in bands that are equally wide on the mel scale.

    It has no weights. Frames are cut out by reshaping, and their discrete Fourier transform is a
    matrix product, so that LiteRT needs built-in operators only. It computes in float32 under every
    dtype policy.

    A frame begins every `hop` samples. Beyond the end of the waveform there are zeros, so zeros
    that pad a waveform do not change its frames.

    Source: Davis & Mermelstein 1980; the mel scale of O'Shaughnessy 1987, as in HTK (Young et al.
        2006, section 5.4).
    Formula: `X_t(f) = sum_n w(n) x(t hop + n) exp(-2 pi i f n / fft_size)` for n < window and
        t < ceil(S / hop), w the periodic Hann window;
        `y_t(k) = log(max(sum_f M(f, k) |X_t(f)|^2, 1e-10))`, where M(., k) are triangles between
        neighboring points that are equally spaced by `mel(f) = 2595 log10(1 + f / 700)`

    Args:
        sample_rate: Number of samples per second.
        window: Number of samples in a frame.
        hop: Number of samples from one frame to the next.
        num_mels: Number of bands K.
        fft_size: Number of points of the Fourier transform. Defaults to the least power of two
            that is at least `window`.
        low: Lowest frequency in hertz.
        high: Highest frequency in hertz. Defaults to half the sample rate.

    Inputs: `waveform` (B, S).
    Outputs: (B, T, K) with T = ceil(S / hop), in the compute dtype of the layer.

    Raises:
        ValueError: If a size is not positive, `fft_size` is less than `window`, or the frequencies
            do not rise from 0 to half the sample rate.

    Example:
        >>> from keras import ops
        >>> from keras_attn import LogMelSpectrogram
        >>> layer = LogMelSpectrogram(sample_rate=8000, window=200, hop=80, num_mels=5)
        >>> tone = ops.sin(2 * 3.14159 * 3000 * ops.arange(800, dtype="float32") / 8000)
        >>> y = layer(ops.expand_dims(tone, 0))
        >>> tuple(y.shape), int(ops.argmax(y[0, 4]))
        ((1, 10, 5), 4)
    """

    axes: ClassVar[dict[str, str]] = {"waveform": "B S"}

    def __init__(
        self,
        sample_rate: int = 16_000,
        window: int = 400,
        hop: int = 160,
        num_mels: int = 80,
        fft_size: int | None = None,
        low: float = 0.0,
        high: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**{"autocast": False, **kwargs})
        sizes = {"sample_rate": sample_rate, "window": window, "hop": hop, "num_mels": num_mels}
        for name, size in sizes.items():
            if size < 1:
                raise ValueError(f"{name} must be positive; received {size!r}.")
        self.sample_rate, self.window, self.hop, self.num_mels = sizes.values()
        self.fft_size = 1 << (window - 1).bit_length() if fft_size is None else fft_size
        self.low, self.high = low, sample_rate / 2 if high is None else high
        if self.fft_size < window:
            raise ValueError(f"fft_size must be at least window; received {self.fft_size!r}.")
        if not 0 <= self.low < self.high <= sample_rate / 2:
            raise ValueError(
                "low and high must rise from 0 to half the sample rate; "
                f"received {self.low!r} and {self.high!r}."
            )
        self._blocks = -(-window // hop)  # a frame is this many blocks of `hop` samples, or less
        self._transform = _fourier(window, self._blocks * hop, self.fft_size)
        points = np.linspace(_mel(self.low), _mel(self.high), num_mels + 2)
        self._filters = _triangles(700 * (10 ** (points / 2595) - 1), sample_rate, self.fft_size)

    def call(self, waveform: Any) -> Any:
        # The constants come first in the products: LiteRT's quantization leaves them as they are
        # there, while eight bits would drown quiet bands in the noise of loud ones.
        x = ops.cast(waveform, "float32")
        power = ops.square(ops.matmul(self._transform, self._frames(x)))
        cosines, sines = ops.split(power, 2, axis=1)
        mel = ops.log(ops.maximum(ops.matmul(self._filters, cosines + sines), FLOOR))
        return ops.cast(ops.transpose(mel, (0, 2, 1)), self.compute_dtype)

    def _frames(self, x: Any) -> Any:
        """The samples of each frame (B, N, T), N the least multiple of `hop` for a window."""
        x = ops.pad(x, ((0, 0), (0, self._blocks * self.hop - 1)))
        rows, samples = ops.shape(x)[0], ops.shape(x)[1]
        count = samples // self.hop
        blocks = ops.reshape(x[:, : count * self.hop], (rows, count, self.hop))
        blocks = ops.transpose(blocks, (0, 2, 1))
        frames = count - self._blocks + 1
        parts = [blocks[:, :, i : i + frames] for i in range(self._blocks)]
        return ops.concatenate(parts, axis=1)

    def lengths(self, samples: Any) -> Any:
        """The number of frames of waveforms.

        Args:
            samples: Number of samples of each waveform, an integer or integers (B,).
        """
        return (samples + self.hop - 1) // self.hop

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        rows, samples = input_shape
        return rows, None if samples is None else self.lengths(samples), self.num_mels

    def get_config(self) -> dict[str, Any]:
        names = ("sample_rate", "window", "hop", "num_mels", "fft_size", "low", "high")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}


def _mel(hertz: float) -> float:
    return 2595 * float(np.log10(1 + hertz / 700))


def _fourier(window: int, length: int, fft_size: int) -> np.ndarray:
    """Window and transform in one: cosines and sines (2 F, length) of the non-negative frequencies.

    Columns beyond the window are zeros.
    """
    n, f = np.arange(window), np.arange(fft_size // 2 + 1)[:, None]
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * n / window)
    angle = 2 * np.pi * (n * f % fft_size) / fft_size
    waves = hann * np.concatenate([np.cos(angle), np.sin(angle)])
    return np.pad(waves, ((0, 0), (0, length - window))).astype("float32")


def _triangles(points: np.ndarray, sample_rate: int, fft_size: int) -> np.ndarray:
    """Triangles (K, F) that rise from one point to the next, and fall to the one after it."""
    hertz = np.arange(fft_size // 2 + 1) * sample_rate / fft_size
    left, middle, right = (points[i : len(points) - 2 + i, None] for i in range(3))
    rising, falling = (hertz - left) / (middle - left), (right - hertz) / (right - middle)
    return np.maximum(0, np.minimum(rising, falling)).astype("float32")
