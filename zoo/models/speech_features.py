"""The features of speech: samples to the steps that an encoder reads."""

from typing import Any

import keras
import numpy as np
from keras import ops

from keras_attn.audio.log_mel import LogMelSpectrogram
from keras_attn.functional.masks import padding_mask
from zoo.models.config import config_of


@keras.saving.register_keras_serializable(package="keras_attn")
class SpeechFeatures(keras.layers.Layer):
    """Log-mel features, standardized with the mean and deviation of training data.

    It computes in float32 under every dtype policy. What is behind the end of a recording has no
    influence.

    Formula: `f_t(k) = (log_mel(x)_t(k) - m_k) / s_k`, and 0 behind the end

    Args:
        sample_rate: Number of samples per second.
        window_ms: Length of a frame in milliseconds.
        hop_ms: Milliseconds from one frame to the next.
        num_mels: Number of bands K.

    Inputs: `waveform` (B, S), `lengths` (B,), the number of samples in each row.
    Outputs: Features (B, T, K), float32, and the number of frames of each row (B,).

    Example:
        >>> layer = SpeechFeatures(8000, num_mels=5)
        >>> features, lengths = layer(ops.ones((1, 160)), ops.convert_to_tensor([90]))
        >>> tuple(features.shape), int(lengths[0])
        ((1, 2, 5), 2)
    """

    def __init__(
        self,
        sample_rate: int,
        window_ms: int = 25,
        hop_ms: int = 10,
        num_mels: int = 40,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        self._config = config_of(SpeechFeatures, locals())
        super().__init__(name=name, dtype="float32", autocast=False)
        self.hop_ms = hop_ms
        window, hop = (max(1, sample_rate * ms // 1000) for ms in (window_ms, hop_ms))
        self.log_mel = LogMelSpectrogram(sample_rate, window, hop, num_mels, dtype="float32")

    def build(self, waveform_shape: tuple, lengths_shape: tuple) -> None:
        def weight(name: str, initializer: str) -> Any:
            shape = (self.log_mel.num_mels,)
            return self.add_weight(shape, initializer, trainable=False, name=name)

        self.mean, self.scale = weight("mean", "zeros"), weight("scale", "ones")

    def call(self, waveform: Any, lengths: Any) -> tuple[Any, Any]:
        lengths = ops.cast(lengths, "int32")
        inside = padding_mask(lengths, ops.shape(waveform)[1])
        x = self.log_mel(ops.where(inside, ops.cast(waveform, "float32"), 0.0))
        frames = self.log_mel.lengths(lengths)
        inside = ops.expand_dims(padding_mask(frames, ops.shape(x)[1]), -1)
        return ops.where(inside, (x - self.mean) / self.scale, 0.0), frames

    def adapt(self, frames: np.ndarray) -> None:
        """Standardizes features like these from now on.

        Args:
            frames: Features as `call` returns them now, without padding, (N, K).
        """
        spread = frames.std(axis=0)
        mean, scale = (ops.convert_to_numpy(x) for x in (self.mean, self.scale))
        self.mean.assign(mean + scale * frames.mean(axis=0))
        self.scale.assign(scale * np.where(spread > 0, spread, 1))

    def compute_output_shape(self, waveform_shape: tuple, lengths_shape: tuple) -> tuple:
        return self.log_mel.compute_output_shape(waveform_shape), lengths_shape

    def get_config(self) -> dict[str, Any]:
        return {**self._config, "name": self.name}


@keras.saving.register_keras_serializable(package="keras_attn")
class FrameStacking(keras.layers.Layer):
    """Puts neighboring frames side by side, so that there are fewer steps.

    Source: Sak et al. 2015, section 2.
    Formula: `y_u = [x_{nu}; ...; x_{nu+n-1}]`, with zeros behind the end

    Args:
        stack: Number n of frames in a step.

    Inputs: `x` (B, T, K), `lengths` (B,).
    Outputs: Steps (B, U, n K) with U = ceil(T / n), the mask of those that belong to a row (B, U),
        and their number in each row (B,).

    Example:
        >>> steps, mask, lengths = FrameStacking(2)(ops.ones((1, 3, 5)), ops.convert_to_tensor([2]))
        >>> tuple(steps.shape), ops.convert_to_numpy(mask).tolist(), int(lengths[0])
        ((1, 2, 10), [[True, False]], 1)
    """

    def __init__(self, stack: int, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype="float32", autocast=False)
        self.stack = stack

    def call(self, x: Any, lengths: Any) -> tuple[Any, Any, Any]:
        width = self.stack * x.shape[-1]
        x = ops.pad(x, ((0, 0), (0, self.stack - 1), (0, 0)))
        count = ops.shape(x)[1] // self.stack
        y = ops.reshape(x[:, : count * self.stack], (ops.shape(x)[0], count, width))
        steps = (ops.cast(lengths, "int32") + self.stack - 1) // self.stack
        return y, padding_mask(steps, count), steps

    def compute_output_spec(self, x: Any, lengths: Any) -> tuple[Any, Any, Any]:
        rows, frames, width = x.shape
        count = None if frames is None else -(-frames // self.stack)
        return (
            keras.KerasTensor((rows, count, width * self.stack), "float32"),
            keras.KerasTensor((rows, count), "bool"),
            keras.KerasTensor(lengths.shape, "int32"),
        )

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name, "stack": self.stack}
