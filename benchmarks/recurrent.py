"""LSTM and GRU beside their peers: a forward pass and a train step, in one run.

    python -m benchmarks.recurrent --output recurrent.json

Contenders: ours, `keras.layers`, each with and without XLA, and PyTorch where it is installed.
They take turns, so that a busy moment of the machine falls on all of them; the time told is the
least of the repeats, which other work on the machine disturbs least. A train step is the forward
pass, a loss and the gradients of weights and inputs.
"""

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["KERAS_BACKEND"] = "tensorflow"

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

from keras_attn.recurrent.gru import GRU  # noqa: E402
from keras_attn.recurrent.lstm import LSTM  # noqa: E402

Contender = Callable[[], Any]
LAYERS = {
    "lstm": (LSTM, keras.layers.LSTM, {}),
    "gru": (GRU, keras.layers.GRU, {"reset_after": False}),
    "gru_reset_after": (GRU, keras.layers.GRU, {"reset_after": True}),
}


def keras_contenders(layer: Any, x: np.ndarray, xla: bool) -> dict[str, Contender]:
    """The forward pass and the train step of one Keras layer, compiled."""
    x = tf.constant(x)
    layer(x)

    def forward() -> Any:
        return layer(x, training=False)

    def train() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_mean(tf.square(layer(x, training=True)))
        return tape.gradient(loss, [x, *layer.trainable_variables])

    def compiled(function: Callable) -> Contender:
        graph = tf.function(function, jit_compile=xla)
        return lambda: tf.nest.flatten(graph())[-1].numpy()

    return {"forward": compiled(forward), "train": compiled(train)}


def torch_contenders(kind: str, units: int, x: np.ndarray) -> dict[str, Contender]:
    """PyTorch's own layer; its GRU has the reset gate after the matrix only."""
    import torch

    torch.set_num_threads(os.cpu_count() or 1)
    layer = {"lstm": torch.nn.LSTM, "gru_reset_after": torch.nn.GRU}[kind](
        x.shape[-1], units, batch_first=True
    )
    inputs = torch.tensor(x, requires_grad=True)

    def forward() -> Any:
        with torch.no_grad():
            return layer(inputs)[0]

    def train() -> Any:
        layer.zero_grad()
        inputs.grad = None
        layer(inputs)[0].square().mean().backward()

    return {"forward": forward, "train": train}


def contenders(kind: str, units: int, x: np.ndarray) -> dict[str, dict[str, Contender]]:
    ours, theirs, arguments = LAYERS[kind]
    arguments = {**arguments, "units": units, "return_sequences": True}
    found = {}
    for name, layer in (("ours", ours), ("keras", theirs)):
        for xla in (False, True):
            label = f"{name}{' xla' if xla else ''}"
            found[label] = keras_contenders(layer(**arguments), x, xla)
    if kind != "gru":
        try:
            found["torch"] = torch_contenders(kind, units, x)
        except ImportError:
            pass
    return found


def measure(runs: dict[str, Contender], repeats: int) -> dict[str, float]:
    """Least milliseconds of each, taking turns."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()
        run()
    for _ in range(repeats):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            times[name].append(1e3 * (time.perf_counter() - start))
    return {name: round(min(taken), 2) for name, taken in times.items()}


def ratios(times: dict[str, float]) -> dict[str, float]:
    """How many times as fast ours is: like for like, and each side at its best."""
    ours = min(times["ours"], times["ours xla"])
    found = {
        "keras / ours": times["keras"] / times["ours"],
        "keras xla / ours xla": times["keras xla"] / times["ours xla"],
        "best keras / best ours": min(times["keras"], times["keras xla"]) / ours,
    }
    if "torch" in times:
        found["torch / best ours"] = times["torch"] / ours
    return {name: round(value, 2) for name, value in found.items()}


def machine() -> dict[str, Any]:
    names = [platform.processor()]
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as file:
            names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return {
        "processor": names[0],
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "keras": keras.__version__,
        "tensorflow": tf.__version__,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--length", type=int, default=100)
    parser.add_argument("--width", type=int, default=256, help="width of the inputs")
    parser.add_argument("--units", type=int, default=512)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--layers", nargs="+", choices=LAYERS, default=list(LAYERS))
    parser.add_argument("--output", help="JSON file to write")
    options = parser.parse_args()
    shape = (options.batch, options.length, options.width)
    x = np.random.default_rng(0).normal(size=shape).astype("float32")
    report: dict[str, Any] = {"machine": machine(), "sizes": vars(options), "results": {}}
    for kind in options.layers:
        runs = contenders(kind, options.units, x)
        for what in ("forward", "train"):
            times = measure({name: run[what] for name, run in runs.items()}, options.repeats)
            result = {"milliseconds": times, "ratios": ratios(times)}
            report["results"][f"{kind} {what}"] = result
            print(f"{kind} {what}: {json.dumps(result)}", flush=True)
    if options.output:
        with open(options.output, "w") as file:
            json.dump(report, file, indent=2)


if __name__ == "__main__":
    main()
