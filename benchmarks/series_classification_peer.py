"""Accuracy of aeon's classifiers; see `benchmarks.series_classification`.

    PYTHON series_classification_peer.py TRAIN.npz TEST.npz

Nearest neighbours by dynamic time warping, and Rocket, which takes only series of one length.
"""

import json
import sys
import time

import numpy as np
from aeon.classification.convolution_based import RocketClassifier
from aeon.classification.distance_based import KNeighborsTimeSeriesClassifier

Rows = tuple[list[np.ndarray], np.ndarray]


def main() -> None:
    """Prints the accuracy of each, and the seconds of training and predicting."""
    train, test = map(_read, sys.argv[1:])
    nearest = KNeighborsTimeSeriesClassifier(n_neighbors=1, distance="dtw", n_jobs=2)
    _print("aeon 1-NN DTW", nearest, train, test)
    if len({series.shape for series in train[0] + test[0]}) == 1:
        _print("aeon Rocket", RocketClassifier(random_state=0, n_jobs=2), train, test)


def _read(path: str) -> Rows:
    """Series (C, T) without the steps of NaN behind their end, and their labels."""
    with np.load(path) as arrays:
        x, y = arrays["x"], arrays["y"]
    x = x[:, :, None] if x.ndim == 2 else x
    return [each[~np.isnan(each).all(axis=1)].T for each in x], y


def _print(who: str, model: object, train: Rows, test: Rows) -> None:
    equal = len({series.shape for series in train[0] + test[0]}) == 1
    inputs = [np.stack(rows[0]) if equal else rows[0] for rows in (train, test)]
    begin = time.perf_counter()
    model.fit(inputs[0], train[1])
    accuracy = float(np.mean(model.predict(inputs[1]) == test[1]))
    seconds = round(time.perf_counter() - begin, 1)
    print(json.dumps({"who": who, "seconds": seconds, "accuracy": round(accuracy, 4)}), flush=True)


if __name__ == "__main__":
    main()
