"""Writes recurrent.npz: PyTorch's recurrent layers on random input, forward and backward.

Run with PyTorch installed: python tests/references/make_recurrent.py
"""

from pathlib import Path

import numpy as np
import torch

LAYERS = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "elman": torch.nn.RNN}
ROWS, STEPS, WIDTH, UNITS = 3, 7, 5, 11


def reference(kind: str) -> dict[str, np.ndarray]:
    """Weights, outputs, last states, and the gradients of `sum(outputs * upstream)`."""
    torch.manual_seed(len(kind))
    layer = LAYERS[kind](WIDTH, UNITS, batch_first=True, dtype=torch.float64)
    x = torch.randn(ROWS, STEPS, WIDTH, dtype=torch.float64, requires_grad=True)
    first = [torch.randn(1, ROWS, UNITS, dtype=torch.float64, requires_grad=True)]
    first += [first[0].detach().flip(1).requires_grad_()] if kind == "lstm" else []
    upstream = torch.randn(ROWS, STEPS, UNITS, dtype=torch.float64)
    outputs, last = layer(x, tuple(first) if kind == "lstm" else first[0])
    (outputs * upstream).sum().backward()
    last = last if kind == "lstm" else (last,)
    actual = {
        "x": x,
        "upstream": upstream,
        "outputs": outputs,
        "input_kernel": layer.weight_ih_l0,
        "recurrent_kernel": layer.weight_hh_l0,
        "input_bias": layer.bias_ih_l0,
        "recurrent_bias": layer.bias_hh_l0,
        "d_x": x.grad,
        "d_input_kernel": layer.weight_ih_l0.grad,
        "d_recurrent_kernel": layer.weight_hh_l0.grad,
        "d_input_bias": layer.bias_ih_l0.grad,
    }
    for i, (begin, end) in enumerate(zip(first, last, strict=True)):
        actual |= {f"first_{i}": begin[0], f"last_{i}": end[0], f"d_first_{i}": begin.grad[0]}
    return {f"{kind}_{name}": tensor.detach().numpy() for name, tensor in actual.items()}


if __name__ == "__main__":
    arrays = {name: array for kind in LAYERS for name, array in reference(kind).items()}
    np.savez_compressed(
        Path(__file__).with_name("recurrent.npz"), version=np.array(torch.__version__), **arrays
    )
