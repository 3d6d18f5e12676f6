"""Writes convolution.npz: a gated convolution block made of PyTorch's own parts.

`python tests/references/make_convolution.py`, with torch installed. float64 throughout.
"""

from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import conv1d, glu, pad
from torch.nn.utils.parametrizations import weight_norm

WIDTH, SIZE = 5, 3


def block(convolution, x, causal):
    """fairseq's block of the same paper: (glu(conv(x)) + x) sqrt(1/2), over (B, D, T)."""
    sides = (SIZE - 1, 0) if causal else (SIZE // 2, SIZE // 2)
    y = conv1d(pad(x, sides), convolution.weight, convolution.bias)
    return (glu(y, dim=1) + x) * 0.5**0.5


if __name__ == "__main__":
    torch.manual_seed(0)
    with torch.no_grad():
        plain = torch.nn.Conv1d(WIDTH, 2 * WIDTH, SIZE, dtype=torch.float64)
        convolution = weight_norm(plain)
        gain = convolution.parametrizations.weight.original0  # (2F, 1, 1)
        direction = convolution.parametrizations.weight.original1  # (2F, D, k)
        gain.copy_(torch.rand(gain.shape) + 0.5)
        x = torch.randn(2, WIDTH, 7, dtype=torch.float64)
        actual = {
            "x": x.transpose(1, 2),
            "kernel": direction.permute(2, 1, 0),
            "gain": gain.ravel(),
            "bias": convolution.bias,
            "same": block(convolution, x, causal=False).transpose(1, 2),
            "causal": block(convolution, x, causal=True).transpose(1, 2),
        }
    path = Path(__file__).with_name("convolution.npz")
    np.savez_compressed(path, **{name: value.detach().numpy() for name, value in actual.items()})
