"""Accuracy of classifiers of series beside those of aeon.

    python -m benchmarks.series_classification train.npz test.npz --seeds 3 --peer PYTHON

The files have arrays `x` (N, T) or (N, T, C), with NaN behind the end of shorter series, and `y`
(N). PYTHON is an interpreter with `aeon`, such as that of another environment.
"""

import argparse
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import zoo
from zoo.bench.machine import machine

PEER = Path(__file__).with_name("series_classification_peer.py")


def main() -> None:
    """Prints the accuracy of each on the test data, and the seconds of training."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("train", type=Path, help="an .npz file of training data")
    parser.add_argument("test", type=Path, help="an .npz file of test data")
    parser.add_argument("--encoder", nargs="+", default=["conv", "rnn", "attention"])
    parser.add_argument("--preset", default="tiny")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--peer", help="Python interpreter with aeon")
    given = parser.parse_args()
    print(json.dumps({"machine": machine(), "data": str(given.train)}), flush=True)
    for encoder in given.encoder:
        for seed in range(given.seeds):
            print(json.dumps(ours(given, encoder, seed)), flush=True)
    if given.peer:
        files = map(str, (given.train, given.test))
        subprocess.run([given.peer, str(PEER), *files], check=True)


def ours(given: argparse.Namespace, encoder: str, seed: int) -> dict[str, Any]:
    """Trains a classifier, and scores it on the test data."""
    task = zoo.SeriesClassifier(preset=given.preset, encoder=encoder, seed=seed)
    task.adapt(given.train)
    begin = time.perf_counter()
    task.fit(given.train, seed=seed, verbose=False)
    seconds = time.perf_counter() - begin
    accuracy = task.evaluate(given.test)["accuracy"]
    who = f"keras-attn {encoder} {given.preset}, seed {seed}"
    return {"who": who, "seconds": round(seconds, 1), "accuracy": round(accuracy, 4)}


if __name__ == "__main__":
    main()
