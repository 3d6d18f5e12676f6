"""Where the time of a contender goes, by operator, as TensorFlow's profiler sees it.

    python -m benchmarks.profile
    python -m benchmarks.profile "gpt train" "ours xla" --steps 5

Without a name, it lists what can be measured. The times of operators are summed over all threads;
the time of one that runs inside of another counts for the inner one alone, and waiting for another
thread does not count. With XLA, the operators are those of its compiled program.
"""

import benchmarks.backend  # noqa: F401  isort: skip  sets the backend before Keras is imported

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import tensorflow as tf

from benchmarks import gpt, recurrent, transformer
from benchmarks.operators import operators
from zoo.bench.machine import machine
from zoo.bench.timing import Contender
from zoo.cli.memory import keep_freed_memory
from zoo.registry import MODELS


def layer(kind: str, what: str) -> dict[str, Contender]:
    x = np.random.default_rng(0).normal(size=(32, 100, 256)).astype("float32")
    return {name: run[what] for name, run in recurrent.contenders(kind, 512, x).items()}


def generation(rows: int) -> dict[str, Contender]:
    return gpt.generations(gpt.SMALL, gpt.ours(gpt.SMALL), {}, rows, gpt.NEW)


GROUPS: dict[str, Callable[[], dict[str, Contender]]] = {
    "lstm forward": lambda: layer("lstm", "forward"),
    "lstm train": lambda: layer("lstm", "train"),
    "transformer train": lambda: transformer.contenders(
        MODELS["transformer"].presets["base"], transformer.LENGTH
    ),
    "gpt train": lambda: gpt.train_steps(gpt.SMALL, gpt.LENGTH),
    "gpt generation, batch 1": lambda: generation(1),
    "gpt generation, batch 16": lambda: generation(16),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("group", nargs="?", choices=GROUPS, help="what is measured")
    parser.add_argument("contender", nargs="?", help="whose step")
    parser.add_argument("--steps", type=int, default=3, help="number of steps")
    parser.add_argument("--top", type=int, default=15, help="number of operators to show")
    given = parser.parse_args()
    keep_freed_memory()  # as the command line
    if given.group is None:
        parser.exit(message="\n".join(GROUPS) + "\n")
    contenders = GROUPS[given.group]()
    if given.contender not in contenders:
        parser.error(f"contender must be one of {', '.join(contenders)}")
    step = contenders[given.contender]
    step(), step()
    began = time.perf_counter()
    for _ in range(given.steps):
        step()
    plain = (time.perf_counter() - began) / given.steps
    with TemporaryDirectory() as folder:
        tf.profiler.experimental.start(folder)
        began = time.perf_counter()
        for _ in range(given.steps):
            step()
        profiled = (time.perf_counter() - began) / given.steps
        tf.profiler.experimental.stop()
        found = operators(Path(folder))
    total = found.total() / given.steps
    print(f"{given.group}, {given.contender}, on {machine()['processor']}")
    print(f"a step: {1e3 * plain:.0f} ms, with the profiler {1e3 * profiled:.0f} ms")
    print(f"operators of all threads: {1e3 * total:.0f} ms")
    for name, seconds in found.most_common(given.top):
        seconds /= given.steps
        print(f"{name:<40} {1e3 * seconds:>8.1f} ms  {seconds / total:>5.1%}")


if __name__ == "__main__":
    main()
