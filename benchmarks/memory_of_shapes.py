"""How the memory of a SavedModel grows with the number of different shapes that it is called with.

    python -m benchmarks.memory_of_shapes served/en-de/1 --texts test.txt
    TF_ENABLE_ONEDNN_OPTS=0 python -m benchmarks.memory_of_shapes served/en-de/1 --texts test.txt

Each call has a batch of 1 to 32 texts, chosen at random. The memory is that which the process keeps
after the call, with the number of calls and of different shapes (texts, longest text in words).
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

MOST = 32  # texts of a batch


def memory() -> float:
    """The memory that this process holds, in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def grown(call: Any, texts: list[str], calls: int, same: bool) -> Iterator[tuple[int, int, float]]:
    """The number of calls, of shapes, and the memory, ten times.

    Args:
        call: Takes a list of texts.
        texts: The texts to choose from.
        calls: Number of calls.
        same: Whether all calls have the first batch.
    """
    random = np.random.default_rng(0)
    shapes: set[tuple[int, int]] = set()
    batch = texts[:4]
    for number in range(calls + 1):
        if not same:
            batch = [str(each) for each in random.choice(texts, random.integers(1, MOST + 1))]
        shapes.add((len(batch), max(len(text.split()) for text in batch)))
        call(batch)
        if number % max(calls // 10, 1) == 0:
            yield number, len(shapes), memory()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="folder of a SavedModel that takes texts")
    parser.add_argument("--texts", required=True, type=Path, help="a file with a text on each line")
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--same", action="store_true", help="call with one batch only")
    options = parser.parse_args()
    import tensorflow as tf
    import tensorflow_text  # noqa: F401  registers its operators

    loaded = tf.saved_model.load(options.model)
    signature = loaded.signatures["serving_default"]
    (name,) = signature.structured_input_signature[1]
    texts = [line for line in options.texts.read_text("utf-8").split("\n") if line.strip()]

    def call(batch: list[str]) -> None:
        signature(**{name: tf.constant(batch)})

    print("calls  shapes  MB")
    for number, shapes, megabytes in grown(call, texts, options.calls, options.same):
        print(f"{number:5}  {shapes:6}  {megabytes:,.0f}", flush=True)


if __name__ == "__main__":
    main()
