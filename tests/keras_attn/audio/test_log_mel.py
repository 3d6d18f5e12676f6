"""Log-mel spectrograms against the formula and another implementation."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn import LogMelSpectrogram
from tests.oracles.audio import log_mel, mel_filters

SIZES = {"sample_rate": 8000, "window": 199, "hop": 83, "num_mels": 23}


def noise(*shape):
    return np.random.default_rng(3).normal(size=shape).astype("float32")


@pytest.mark.parametrize("samples", [1, 83, 84, 199, 997])
@pytest.mark.parametrize("hop", [83, 211])
def test_equals_the_formula(samples, hop):
    sizes = {**SIZES, "hop": hop}
    x = noise(3, samples)
    actual = ops.convert_to_numpy(LogMelSpectrogram(**sizes)(x))
    np.testing.assert_allclose(actual, log_mel(x, **sizes, fft_size=256), rtol=1e-4, atol=1e-4)


def test_equals_the_short_time_fourier_transform_of_keras():
    x = noise(2, 1009)
    layer = LogMelSpectrogram(8000, window=200, hop=80, num_mels=23)
    real, imaginary = keras.ops.stft(x, 200, 80, 256, window="hann", center=False)
    power = ops.convert_to_numpy(real) ** 2 + ops.convert_to_numpy(imaginary) ** 2
    # Keras puts the window in the middle of a frame as long as the transform: the power is that of
    # a window which begins 28 samples later.
    expected = np.log(power @ mel_filters(8000, 256, 23, 0, 4000))
    actual = ops.convert_to_numpy(layer(x[:, 28:]))[:, : expected.shape[1]]
    np.testing.assert_allclose(actual, expected, rtol=1e-3, atol=1e-3)


def test_zeros_behind_a_waveform_change_nothing():
    layer, x = LogMelSpectrogram(**SIZES), noise(2, 500)
    count = layer.lengths(500)
    alone = ops.convert_to_numpy(layer(x))
    padded = ops.convert_to_numpy(layer(np.pad(x, ((0, 0), (0, 307)))))
    assert alone.shape[1] == count < padded.shape[1]
    np.testing.assert_allclose(padded[:, :count], alone, rtol=1e-5, atol=1e-5)


def test_silence_and_no_samples_are_finite():
    layer = LogMelSpectrogram(**SIZES)
    np.testing.assert_allclose(ops.convert_to_numpy(layer(np.zeros((1, 100)))), np.log(1e-10))
    assert tuple(layer(np.zeros((2, 0), "float32")).shape) == (2, 0, 23)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hop": 0}, "hop must be positive; received 0"),
        ({"fft_size": 128}, "fft_size must be at least window; received 128"),
        ({"high": 4001}, "low and high must rise from 0 to half the sample rate"),
    ],
)
def test_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        LogMelSpectrogram(**{**SIZES, **options})
