"""Log-mel spectrograms in NumPy float64, from the formula."""

import numpy as np


def mel_filters(sample_rate, fft_size, num_mels, low, high):
    """(F, K): the height of each triangle at each frequency, one by one."""

    def mel(hertz):
        return 2595 * np.log10(1 + hertz / 700)

    edges = mel(low) + (mel(high) - mel(low)) / (num_mels + 1) * np.arange(num_mels + 2)
    edges = 700 * (10 ** (edges / 2595) - 1)
    actual = np.zeros((fft_size // 2 + 1, num_mels))
    for k in range(num_mels):
        for f in range(fft_size // 2 + 1):
            hertz = f * sample_rate / fft_size
            actual[f, k] = np.interp(hertz, edges[k : k + 3], [0, 1, 0])
    return actual


def log_mel(waveform, sample_rate, window, hop, num_mels, fft_size, low=0.0, high=None):
    high = sample_rate / 2 if high is None else high
    hann = np.sin(np.pi * np.arange(window) / window) ** 2
    count = -(-waveform.shape[1] // hop)
    padded = np.pad(waveform.astype("float64"), ((0, 0), (0, window)))
    frames = np.stack([padded[:, t * hop : t * hop + window] for t in range(count)], axis=1)
    power = np.abs(np.fft.rfft(frames * hann, fft_size)) ** 2
    filters = mel_filters(sample_rate, fft_size, num_mels, low, high)
    return np.log(np.maximum(power @ filters, 1e-10))
