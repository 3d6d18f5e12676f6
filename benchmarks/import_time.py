"""The import of keras_attn beyond that of Keras, on each backend.

    python -m benchmarks.import_time

Each turn is a new process, which imports Keras, then keras_attn, and tells the seconds of each, and
those of the processor: on a busy machine the latter count.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable

from benchmarks.command import main
from zoo.bench.timing import Result

CODE = """
import json, time
def now(): return time.perf_counter(), time.process_time()
begin = now()
import keras
middle = now()
import keras_attn
end = now()
print(json.dumps([[b - a for a, b in zip(*each)] for each in ((begin, middle), (middle, end))]))
"""
BACKENDS = ("tensorflow", "jax")


def turn(backend: str) -> list[list[float]]:
    """Seconds and seconds of the processor, of Keras and then of keras_attn."""
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env={**os.environ, "KERAS_BACKEND": backend},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def run(quick: bool) -> Iterable[Result]:
    turns: dict[str, list[list[list[float]]]] = {backend: [turn(backend)] for backend in BACKENDS}
    for _ in range(3 if quick else 9):  # the first of each read the files from the disk
        for backend in BACKENDS:
            turns[backend].append(turn(backend))
    for backend, all_turns in turns.items():
        seconds = {
            f"{package}, {what}": [each[first][second] for each in all_turns[1:]]
            for first, package in enumerate(("keras", "keras_attn"))
            for second, what in enumerate(("wall", "processor"))
        }
        yield Result(f"imports on {backend}", seconds, {})


if __name__ == "__main__":
    main({"imports": run}, __doc__.splitlines()[0])
