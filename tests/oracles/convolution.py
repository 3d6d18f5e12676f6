"""Gated convolutions in NumPy float64. Weights come in the order of the layers' `weights`."""

import numpy as np


def gated_linear_unit(x):
    value, gate = np.split(x, 2, axis=-1)
    return value / (1 + np.exp(-gate))


def gated_conv1d(weights, x, mask=None, padding="same", residual=True, dilation=1, scaled=True):
    """One output position at a time, each over the positions that its kernel reaches."""
    kernel, gain, bias, *projection = weights
    size, length = len(kernel), x.shape[1]
    kernel = gain * kernel / np.sqrt((kernel**2).sum((0, 1)))
    x = x if mask is None else np.where(mask[..., None], x, 0)
    reach = (size - 1) * dilation
    before = reach if padding == "causal" else reach // 2
    outputs = np.tile(bias, (*x.shape[:2], 1))
    for t in range(length):
        for k in range(size):
            seen = t + k * dilation - before
            if 0 <= seen < length:
                outputs[:, t] += x[:, seen] @ kernel[k]
    gated = gated_linear_unit(outputs)
    if not residual:
        return gated
    return (gated + (x @ projection[0] if projection else x)) * (np.sqrt(0.5) if scaled else 1)
