"""The network of Cora's preset in PyTorch Geometric; benchmarks/graphs.py runs it.

    python graphs_peer.py graph.npz EPOCHS

Imports nothing of this project: it runs in an environment with torch and torch_geometric.
"""

import json
import resource
import sys
import time

import numpy as np
import torch
import torch.nn.functional as functional
from torch_geometric.nn import GATConv


class Network(torch.nn.Module):
    def __init__(self, features, classes):
        super().__init__()
        self.first = GATConv(features, 8, heads=8, dropout=0.6)
        self.last = GATConv(64, classes, heads=1, concat=False, dropout=0.6)

    def forward(self, x, edges):
        x = functional.dropout(x, 0.6, self.training)
        x = functional.elu(self.first(x, edges))
        x = functional.dropout(x, 0.6, self.training)
        return self.last(x, edges)


def main(path, epochs):
    torch.manual_seed(0)
    with np.load(path) as arrays:
        x, edges, y, train, validation, test = (
            torch.from_numpy(arrays[name])
            for name in ("nodes", "edges", "labels", "train", "validation", "test")
        )
    x, edges = x / x.abs().sum(-1, keepdim=True).clamp(min=1e-9), edges.long()
    model = Network(x.shape[1], int(y.max()) + 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=5e-4)
    begin, used = time.perf_counter(), time.process_time()
    steps, best, kept = [], np.inf, None
    for _ in range(epochs):
        start = time.perf_counter()
        model.train()
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x, edges)[train], y[train])
        loss.backward()
        optimizer.step()
        steps.append(time.perf_counter() - start)
        model.eval()
        with torch.no_grad():
            found = model(x, edges)
            loss = float(functional.cross_entropy(found[validation], y[validation]))
        if loss < best:
            best, kept = loss, found
    seconds, used = time.perf_counter() - begin, time.process_time() - used
    right = (kept.argmax(-1) == y)[test].float().mean()
    return {
        "who": f"PyTorch Geometric, torch {torch.__version__}",
        "seconds": round(seconds, 2),
        "seconds of processor": round(used, 2),
        "seconds of a training epoch": round(sorted(steps)[len(steps) // 2], 4),
        "test accuracy": round(float(right), 4),
        "gigabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]))))
