"""Training of GAT beside PyTorch Geometric's, and on a graph of two million edges.

    python -m benchmarks.graphs --data cora/ --peer PYTHON
    python -m benchmarks.graphs --edges 2000000
    python -m benchmarks.graphs --edges 2000000 --neighbors 10
    python -m benchmarks.graphs --data cora/ --seeds 20

PYTHON is an interpreter with `torch` and `torch_geometric`, such as that of another environment.
Both train the network of Cora's preset with dropout for as many epochs, on the whole graph, and
compute the loss of the validation nodes after each; the peer does not drop projected features.
Where others use the machine, compare the
seconds of the processor. With --seeds, a node classifier is trained to its early stop with each.
"""

import argparse
import json
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import zoo
from zoo.bench.machine import machine
from zoo.data.graphs.graph import Graph
from zoo.data.graphs.read import read_graphs

NODES_PER_EDGE, FEATURES, CLASSES = 0.1, 64, 7
WHOLE = 4_000_000  # number of edges up to which the trained model is evaluated
PEER = Path(__file__).with_name("graphs_peer.py")


def main() -> None:
    """Prints the seconds of each, and the largest memory."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="a graph to train on")
    parser.add_argument("--edges", type=int, help="size of a random graph to train on instead")
    parser.add_argument("--peer", help="Python interpreter with PyTorch Geometric")
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--preset", default="cora")
    parser.add_argument("--seeds", type=int, help="number of seeds, for mean and deviation")
    parser.add_argument("--neighbors", type=int, help="sample this many neighbors of each node")
    given = parser.parse_args()
    if given.data is None and given.edges is None:
        parser.error("give --data or --edges")
    if given.peer and (given.preset != "cora" or given.neighbors):
        parser.error("--peer is for the preset cora, without --neighbors")
    graph = read_graphs(given.data).graphs[0] if given.data else random_graph(given.edges)
    print(json.dumps({"machine": machine(), "graph": str(graph), "epochs": given.epochs}))
    if given.seeds:
        print(json.dumps(over_seeds(graph, given.preset, given.seeds)))
        return
    print(json.dumps(ours(graph, given.preset, given.epochs, given.neighbors)), flush=True)
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
    masks = {"train": part < 0.05, "validation": (part > 0.05) & (part < 0.06)}
    return Graph(nodes, np.stack([source, target]), kinds.astype(str), **masks)


def ours(graph: Graph, preset: str, epochs: int, neighbors: int | None) -> dict[str, Any]:
    """Trains a node classifier."""
    task = zoo.NodeClassifier("gat", preset)
    task.adapt(graph)
    begin, used = time.perf_counter(), time.process_time()
    history = task.fit(graph, epochs=epochs, patience=epochs, neighbors=neighbors, verbose=False)
    seconds, used = time.perf_counter() - begin, time.process_time() - used
    steps = sorted(history.history["seconds"])
    # All edges at once: a graph that needs sampling may not fit.
    whole = graph.edges.shape[1] <= WHOLE
    return {
        "who": "keras-attn",
        "seconds": round(seconds, 2),
        "seconds of processor": round(used, 2),
        "seconds of a training epoch": steps[len(steps) // 2],
        "validation accuracy": max(history.history["val_accuracy"]),
        "test accuracy": task.evaluate(graph)["accuracy"] if whole else None,
        "gigabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


def over_seeds(graph: Graph, preset: str, seeds: int) -> dict[str, Any]:
    """Mean and standard deviation of the test accuracy; prints each."""
    found = []
    for seed in range(seeds):
        task = zoo.NodeClassifier("gat", preset, seed=seed)
        task.adapt(graph)
        history = task.fit(graph, seed=seed, verbose=False)
        found.append(task.evaluate(graph)["accuracy"])
        facts = {"seed": seed, "accuracy": found[-1], "best epoch": history.best_epoch}
        print(json.dumps({**facts, "epochs": len(history.epoch)}), flush=True)
    return {"mean": float(np.mean(found)), "deviation": float(np.std(found)), "seeds": seeds}


def theirs(graph: Graph, epochs: int, python: str) -> dict[str, Any]:
    """Trains the same network with PyTorch Geometric, in another process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        classes = np.array([int(label or -1) for label in graph.labels])
        masks = {name: graph.part(name) for name in ("train", "validation", "test")}
        np.savez(path, nodes=graph.nodes, edges=graph.edges, labels=classes, **masks)
        run = [python, str(PEER), str(path), str(epochs)]
        # Threads that wait would keep the cores busy, which others may need.
        environment = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE", "PYTHONPATH": ""}
        found = subprocess.run(run, check=True, stdout=subprocess.PIPE, env=environment)
        return json.loads(found.stdout)


if __name__ == "__main__":
    main()
