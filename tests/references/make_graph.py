"""Writes graph.npz: graph attention with the semantics of PyTorch Geometric's GATConv.

`python tests/references/make_graph.py`, with torch installed. GATConv(5, 3, heads=2,
add_self_loops=False) computes this: x = lin(x) per head, alpha = leaky_relu(x_src . att_src +
x_dst . att_dst, 0.2), softmax over the edges of each target, alpha x_src summed at the target,
heads concatenated or averaged, plus bias. Written here with torch's scatter operations, float64.
"""

from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import leaky_relu

NODES, WIDTH, HEADS, UNITS = 7, 5, 2, 3


def draw(*shape):
    return torch.randn(*shape, dtype=torch.float64)


if __name__ == "__main__":
    torch.manual_seed(0)
    x, lin = draw(NODES, WIDTH), draw(HEADS * UNITS, WIDTH)
    att_src, att_dst = draw(1, HEADS, UNITS), draw(1, HEADS, UNITS)
    bias = draw(HEADS * UNITS)
    # Node 6 has no edge to it, node 2 an edge to itself, and one edge is there twice.
    edges = torch.tensor([[0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 0], [1, 0, 2, 3, 2, 5, 5, 4, 4, 0, 2]])

    source, target = edges
    hidden = (x @ lin.T).view(NODES, HEADS, UNITS)
    alpha = (hidden * att_src).sum(-1)[source] + (hidden * att_dst).sum(-1)[target]
    alpha = leaky_relu(alpha, 0.2)
    at = target[:, None].expand_as(alpha)
    greatest = torch.full((NODES, HEADS), -torch.inf, dtype=alpha.dtype)
    greatest = greatest.scatter_reduce(0, at, alpha, "amax")
    alpha = (alpha - greatest[target]).exp()
    total = torch.zeros(NODES, HEADS, dtype=alpha.dtype).scatter_add(0, at, alpha)
    alpha = alpha / total[target]
    sums = torch.zeros(NODES, HEADS, UNITS, dtype=alpha.dtype)
    sums = sums.index_add(0, target, hidden[source] * alpha[..., None])

    found = {
        "nodes": x,
        "edges": edges.to(torch.int32),
        "kernel": lin.T.reshape(WIDTH, HEADS, UNITS),
        "source_attention": att_src[0],
        "target_attention": att_dst[0],
        "bias": bias,
        "concat": sums.flatten(1) + bias,
        "mean": sums.mean(1) + bias[:UNITS],
        "weights": alpha,
    }
    path = Path(__file__).with_name("graph.npz")
    np.savez_compressed(path, **{name: value.numpy() for name, value in found.items()})
