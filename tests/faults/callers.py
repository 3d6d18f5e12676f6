"""`python -m tests.faults.callers ARTIFACT` calls an artifact from many threads at once.

Half of the calls are those of its probes, and their answers have to be those that one thread gets;
the other half are hostile. A line of JSON is printed: how calls of each kind ended, and the
resident memory in MB after each round. All threads share a SavedModel or ONNX files; each has its
own LiteRT interpreter.
"""

import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from export.worker import artifact
from export.worker.isolation import hide_library
from export.worker.probes import SAMPLES, Tensors, is_text, load_probes

THREADS = 100
ROUNDS = 8
SHARED, OWN = 300, 1500  # calls in a round; each interpreter has to see all of them
PROBES = 2  # of a signature
HUGE = b"two dogs \xe2\x80\xae" * 5_000
BROKEN = b"\xff\xed\xa0\x80 dog \xf0\x9f"
# LiteRT may fail, or end the process, at inputs without numbers and at calls after them.
WITHOUT_NUMBERS = ("empty", "no length")
PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")


Run = Callable[[str, Tensors], dict[str, Any]]


class Failed(Exception):
    """What is called broke, instead of refusing the call."""


class Call(NamedTuple):
    """A call, of the kind `good` or of a hostile one."""

    kind: str
    signature: str
    inputs: Tensors


def good_calls(file: Path) -> list[Call]:
    """Calls with the inputs of the probes."""
    probes = load_probes(file)
    return [
        Call("good", signature, probe.inputs)
        for signature, actual in probes.items()
        if not signature.startswith(SAMPLES)
        for probe in actual[:PROBES]
    ]


def hostile_calls(call: Call) -> Iterator[Call]:
    """A call that goes wrong in one of its inputs, in each way."""
    for key, x in call.inputs.items():
        text = is_text(x)
        changed = {
            "rank": x[None],
            "dtype": np.zeros(x.shape, "int32") if text else x.astype("float64"),
            "huge": np.full(x.shape, HUGE) if text else np.full_like(x, _greatest(x.dtype)),
        }
        if text:
            changed["broken"] = np.full(x.shape, BROKEN)
        elif x.ndim:
            changed["no length"] = x[..., :0]
        for kind, other in changed.items():
            yield Call(kind, call.signature, {**call.inputs, key: other})
        without = {name: other for name, other in call.inputs.items() if name != key}
        yield Call("missing", call.signature, without)
    empty = {key: x[:0] if x.ndim else x for key, x in call.inputs.items()}
    yield Call("empty", call.signature, empty)
    yield Call("unknown", call.signature, {**call.inputs, "unknown": np.zeros(1, "float32")})


def _greatest(dtype: np.dtype) -> float:
    return np.iinfo(dtype).max if dtype.kind in "iu" else float("nan")


def same(actual: Tensors, expected: Tensors) -> bool:
    """Whether two answers are equal to the last bit."""
    return actual.keys() == expected.keys() and all(
        each.dtype == expected[name].dtype
        and np.array_equal(each, expected[name], equal_nan=each.dtype.kind == "f")
        for name, each in actual.items()
    )


def entry_of(path: Path) -> dict[str, Any]:
    """What the manifest says of an artifact."""
    manifest = json.loads((path.parent / "manifest.json").read_text())
    actual: dict[str, Any] = manifest["artifacts"][path.name]
    return actual


def memory(process: int | str = "self") -> float:
    """The resident memory of a process in MB."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE_SIZE / 1e6


def opened(path: Path, strings: bool) -> Callable[[], Run]:
    """What gives each thread what it calls."""
    if not path.is_dir():
        return lambda: artifact.load(path, strings).run
    shared = artifact.load(path, strings)
    return lambda: shared.run


def attack(path: Path, new: Callable[[], Run], same: Callable[[Any, Any], bool]) -> None:
    """Calls an artifact, and prints what came of it.

    Args:
        path: The artifact.
        new: Gives each thread what it calls.
        same: Whether an answer is the right one.
    """
    entry = entry_of(path)
    good = good_calls(path.parent / entry["probes"])
    hostile = [each for call in good[::PROBES] for each in hostile_calls(call)]
    if not path.is_dir():
        hostile = [each for each in hostile if each.kind not in WITHOUT_NUMBERS]
    run = new()
    expected = [run(call.signature, call.inputs) for call in good]
    own = threading.local()
    ready = threading.Barrier(THREADS)

    def prepare() -> None:
        own.run = new()
        ready.wait()

    def answer(call: Call, right: Tensors | None) -> tuple[str, str]:
        try:
            actual = own.run(call.signature, call.inputs)
        except Failed:
            return call.kind, "failed"
        except Exception:
            return call.kind, "refused"
        return call.kind, "answered" if right is None or same(actual, right) else "wrong"

    pairs = zip(cycle(zip(good, expected, strict=True)), cycle((x, None) for x in hostile))
    calls = chain.from_iterable(pairs)
    ends: Counter[tuple[str, str]] = Counter()
    count = SHARED if path.is_dir() else OWN
    grown = []
    with ThreadPoolExecutor(THREADS, initializer=prepare) as pool:
        for _ in range(ROUNDS):
            ends.update(pool.map(lambda each: answer(*each), list(islice(calls, count))))
            grown.append(round(memory(), 1))
    actual = {f"{kind} {end}": count for (kind, end), count in sorted(ends.items())}
    print(json.dumps({"ends": actual, "memory": grown}))


if __name__ == "__main__":
    hide_library()
    path = Path(sys.argv[1])
    attack(path, opened(path, entry_of(path)["strings"]), same)
