"""Latency and rate of servers of a classifier and of a translator, under concurrent callers.

    python -m benchmarks.serving --peer PYTHON --out serving.json

`keras-attn serve` answers from a run, a SavedModel and a LiteRT file that takes text, with dynamic
batching of up to 32 rows within 2 ms, and without. The peers, with a Python interpreter that has
them, serve the same SavedModel: FastAPI for each request alone, LitServe with the same batching.
The models are drawn, not trained: the translator always writes 16 tokens. All servers are started
at once and take turns; the callers are threads of this process, on the same processor.
"""

import benchmarks.backend  # noqa: F401  isort: skip  sets the backend before Keras is imported

import argparse
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import export
import zoo
from benchmarks.servers import SERVE, Answer, answers, free_port, started
from zoo.bench.machine import machine

CALLERS = (1, 10, 100)
PEERS = {
    name: Path(__file__).with_name(f"{name.lower()}_peer.py") for name in ("FastAPI", "LitServe")
}
ALONE = ["--max-batch", "1", "--max-wait", "0"]
WORDS = ["a", "man", "in", "the", "red", "hat", "two", "dogs", "run", "on", "hill", "by", "sea"]


def texts(count: int) -> list[str]:
    """Texts of 3 to 24 words."""
    random = np.random.default_rng(7)
    return [" ".join(random.choice(WORDS, random.integers(3, 25))) for _ in range(count)]


def classifier() -> zoo.TextClassifier:
    task = zoo.TextClassifier("bert", "tiny", max_length=32, vocabulary_size=200)
    task.adapt([(text, label) for text in texts(50) for label in ("good", "bad")])
    return task


def translator() -> zoo.TextToText:
    lengths = {"max_source_length": 32, "max_target_length": 16}
    task = zoo.TextToText("transformer", "tiny", vocabulary_size=200, **lengths)
    task.adapt([(text, text) for text in texts(50)])
    return task


# The options of generation: 16 tokens of all of which none is the end.
TASKS: dict[str, tuple[Any, dict[str, Any]]] = {
    "classifier": (classifier, {}),
    "translator": (translator, {"min_new_tokens": 15}),
}


def programs(task: Any, options: dict[str, Any], folder: Path) -> dict[str, list[str]]:
    """The programs of our servers, by contender."""
    task.save(folder / "run")
    export.saved_model(task, folder / "saved", **options)
    export.litert(task, folder / "model.tflite", text="bytes", **options)
    of_run = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    sources = {
        "run": [str(folder / "run"), *of_run],
        "SavedModel": [str(folder / "saved")],
        "LiteRT": [str(folder / "model.tflite")],
    }
    return {
        f"{name}{what}": [*SERVE, *source, "--name", "model", *more]
        for name, source in sources.items()
        for what, more in ((", batched", []), (", alone", ALONE))
    }


def during(seconds: float, bodies: list[bytes]) -> Iterator[tuple[int, bytes]]:
    """Requests for a time."""
    end = time.perf_counter() + seconds
    for request in cycle(enumerate(bodies)):
        if time.perf_counter() > end:
            return
        yield request


def numbers(turns: list[tuple[float, list[Answer]]]) -> dict[str, float]:
    """Percentiles of the latencies of all turns, and the rate of the best one."""
    latencies = [1e3 * each.seconds for _, found in turns for each in found]
    p50, p99 = np.percentile(latencies, [50, 99])
    rate = max(len(found) / seconds for seconds, found in turns)
    return {"p50_ms": p50, "p99_ms": p99, "rate": rate, "requests": len(latencies)}


def turn(port: int, path: str, bodies: list[bytes], callers: int, seconds: float) -> Any:
    start = time.perf_counter()
    found = answers(port, path, during(seconds, bodies), callers)
    assert {each.status for each in found} == {200}, found[0]
    return time.perf_counter() - start, found


def measured(name: str, given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A row for each contender and number of callers."""
    make, options = TASKS[name]
    bodies = [json.dumps({"instances": [text]}).encode() for text in texts(64)]
    with TemporaryDirectory() as folder, ExitStack() as stack:
        servers = {}
        for contender, program in programs(make(), options, Path(folder)).items():
            port = free_port()
            stack.enter_context(started([*program, "--port", str(port)], port))
            servers[contender] = port, "/v1/models/model:predict"
        for peer, script in PEERS.items() if given.peer else ():
            port = free_port()
            saved = str(Path(folder) / "saved" / "1")
            stack.enter_context(started([given.peer, str(script), saved, str(port)], port))
            servers[peer] = port, "/predict"
        for callers in CALLERS:
            turns: dict[str, list[Any]] = {contender: [] for contender in servers}
            for number in range(1 + given.turns):  # the first warms them up
                for contender, (port, path) in servers.items():
                    found = turn(port, path, bodies, callers, given.seconds)
                    if number:
                        turns[contender].append(found)
            for contender, all_turns in turns.items():
                row = {"task": name, "callers": callers, "contender": contender}
                yield row | numbers(all_turns)


HEAD = "| task | callers | server | p50 ms | p99 ms | answers/s |\n|" + " --- |" * 6


def line(row: dict[str, Any]) -> str:
    """A row of the table in Markdown."""
    times = f"{row['p50_ms']:.1f} | {row['p99_ms']:.1f} | {row['rate']:.0f}"
    return f"| {row['task']} | {row['callers']} | {row['contender']} | {times} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(TASKS))
    parser.add_argument("--peer", help="Python interpreter with the peers")
    parser.add_argument("--out", metavar="FILE", help="JSON file to write")
    parser.add_argument("--turns", type=int, default=3, help="turns of each server")
    parser.add_argument("--seconds", type=float, default=2.0, help="length of a turn")
    given = parser.parse_args()
    print(HEAD)
    rows = []
    for name in given.names or TASKS:
        for row in measured(name, given):
            print(line(row), flush=True)
            rows.append(row)
    if given.out:
        Path(given.out).write_text(json.dumps({"machine": machine(), "rows": rows}, indent=2))


if __name__ == "__main__":
    main()
