"""Writes graph.npz: PyTorch Geometric's GATConv on a small graph, heads in a row and averaged.

Run with torch and torch_geometric installed: python tests/references/make_graph.py
"""

from pathlib import Path

import numpy as np
import torch
import torch_geometric
from torch_geometric.nn import GATConv

NODES, WIDTH, HEADS, UNITS = 7, 5, 2, 3


def draw(*shape):
    return torch.randn(*shape, dtype=torch.float64)


if __name__ == "__main__":
    torch.manual_seed(0)
    x = draw(NODES, WIDTH)
    # Node 6 has no edge to it, node 2 an edge to itself, and one edge is there twice.
    edges = torch.tensor([[0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 0], [1, 0, 2, 3, 2, 5, 5, 4, 4, 0, 2]])
    options = {"heads": HEADS, "negative_slope": 0.2, "add_self_loops": False}
    concat = GATConv(WIDTH, UNITS, **options).double()
    mean = GATConv(WIDTH, UNITS, concat=False, **options).double()
    with torch.no_grad():
        concat.bias.copy_(draw(HEADS * UNITS))
        mean.lin.weight.copy_(concat.lin.weight)
        mean.att_src.copy_(concat.att_src)
        mean.att_dst.copy_(concat.att_dst)
        mean.bias.copy_(concat.bias[:UNITS])
        joined, (same_edges, weights) = concat(x, edges, return_attention_weights=True)
        assert torch.equal(same_edges, edges)
        actual = {
            "nodes": x,
            "edges": edges.to(torch.int32),
            "kernel": concat.lin.weight.T.reshape(WIDTH, HEADS, UNITS),
            "source_attention": concat.att_src[0],
            "target_attention": concat.att_dst[0],
            "bias": concat.bias,
            "concat": joined,
            "mean": mean(x, edges),
            "weights": weights,
        }
    np.savez_compressed(
        Path(__file__).with_name("graph.npz"),
        version=np.array(torch_geometric.__version__),
        **{name: value.detach().numpy() for name, value in actual.items()},
    )
