"""Training of GAT beside PyTorch Geometric's, and on a graph of two million edges.

    python -m benchmarks.graphs --data cora/ --peer PYTHON
    python -m benchmarks.graphs --edges 2000000
    python -m benchmarks.graphs --edges 2000000 --neighbors 10

PYTHON is an interpreter with `torch` and `torch_geometric`, such as that of another environment.
Both train the network of Cora's preset with dropout for as many epochs, on the whole graph, and
compute the loss of the validation nodes after each.
"""

import argparse
import json
import resource
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import zoo
from benchmarks.machine import machine
from zoo.data.graphs.graph import Graph
from zoo.data.graphs.read import read_graphs

NODES_PER_EDGE, FEATURES, CLASSES = 0.1, 64, 7
PEER = Path(__file__).with_name("graphs_peer.py")


def main() -> None:
    """Prints the seconds of each, and the largest memory."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="a graph to train on")
    parser.add_argument("--edges", type=int, help="size of a random graph to train on instead")
    parser.add_argument("--peer", help="Python interpreter with PyTorch Geometric")
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--neighbors", type=int, help="sample this many neighbors of each node")
    given = parser.parse_args()
    graph = read_graphs(given.data).graphs[0] if given.data else random_graph(given.edges)
    print(json.dumps({"machine": machine(), "graph": str(graph), "epochs": given.epochs}))
    print(json.dumps(ours(graph, given.epochs, given.neighbors)), flush=True)
    if given.peer:
        print(json.dumps(theirs(graph, given.epochs, given.peer)))


def random_graph(edges: int) -> Graph:
    """A graph whose nodes have edges to nodes of all labels, more to those of their own."""
    random, count = np.random.default_rng(0), int(edges * NODES_PER_EDGE)
    kinds = random.integers(0, CLASSES, count)
    nodes = random.normal(size=(count, FEATURES)) + np.eye(CLASSES, FEATURES)[kinds]
    order = np.argsort(kinds, kind="stable")
    source = random.integers(0, count, edges)
    near = np.clip(np.argsort(order)[source] + random.integers(-99, 99, edges), 0, count - 1)
    target = np.where(random.random(edges) < 0.7, order[near], random.integers(0, count, edges))
    part = random.random(count)
    masks = {"train": part < 0.5, "validation": (part > 0.5) & (part < 0.6)}
    return Graph(nodes, np.stack([source, target]), kinds.astype(str), **masks)


def ours(graph: Graph, epochs: int, neighbors: int | None) -> dict[str, Any]:
    """Trains a node classifier."""
    task = zoo.NodeClassifier("gat", "cora")
    task.adapt(graph)
    begin = time.perf_counter()
    history = task.fit(graph, epochs=epochs, patience=epochs, neighbors=neighbors, verbose=False)
    seconds = time.perf_counter() - begin
    steps = sorted(history.history["seconds"])
    return {
        "who": "keras-attn",
        "seconds": round(seconds, 2),
        "seconds of a training epoch": steps[len(steps) // 2],
        "test accuracy": task.evaluate(graph)["accuracy"],
        "gigabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


def theirs(graph: Graph, epochs: int, python: str) -> dict[str, Any]:
    """Trains the same network with PyTorch Geometric, in another process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        classes = np.array([int(label or -1) for label in graph.labels])
        masks = {name: graph.part(name) for name in ("train", "validation", "test")}
        np.savez(path, nodes=graph.nodes, edges=graph.edges, labels=classes, **masks)
        run = [python, str(PEER), str(path), str(epochs)]
        return json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    main()
