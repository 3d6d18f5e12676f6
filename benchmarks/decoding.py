"""Greedy decoding with caches from the exported artifacts.

    python -m benchmarks.decoding --out decoding.json

A Transformer that never ends writes 64 tokens for each source of 32, from the SavedModel (as a
graph and compiled by XLA), from the LiteRT file (float32 and int8 weights) and from the ONNX file,
on two threads. The exports are the library's own, verification included. The peers, where they are
installed, are CTranslate2 with the same weights, in float32 and int8, and a model of the same size
in transformers on PyTorch.
"""

import benchmarks.backend  # noqa: F401  isort: skip  sets the backend before Keras is imported

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import ctranslate2_peer, transformers_peer
from benchmarks.artifacts import load, write_artifacts
from benchmarks.command import main
from benchmarks.endless import LENGTHS, EndlessTranslator, source_ids
from zoo.bench.timing import Contender, Result, Versus, best, compare, take_turns

THREADS = 2
BATCHES = (1, 16)
FLOAT32 = ("saved_model", "saved_model xla", "litert", "onnx")
PEERS = ("ctranslate2", "transformers")


def contender(path: Path, rows: int) -> Contender:
    """Generates for a batch, and makes sure that every row got all its tokens."""
    run, token_ids = load(path, THREADS), source_ids(rows)

    def generate() -> None:
        lengths = run(token_ids=token_ids)["lengths"]
        assert (lengths == LENGTHS["target"]).all(), f"rows of {lengths} tokens"

    return generate


def peers(task: EndlessTranslator, folder: Path, rows: int) -> dict[str, Contender]:
    """Those that are installed."""
    found: dict[str, Contender] = {}
    with suppress(ImportError):
        if not folder.exists():
            ctranslate2_peer.write_model(task.model, folder)
        for name, kind in (("ctranslate2", "float32"), ("ctranslate2 int8", "int8")):
            found[name] = ctranslate2_peer.contender(folder, rows, kind, THREADS)
    with suppress(ImportError):
        model = transformers_peer.create_model(task.model.get_config())
        found["transformers"] = transformers_peer.contender(model, rows, THREADS)
    return found


def versus(seconds: dict[str, list[float]]) -> Versus:
    """Each artifact beside the best peer of its precision."""
    pairs = {"ctranslate2 int8 / litert int8": ("ctranslate2 int8", "litert int8")}
    if any(name in seconds for name in PEERS):
        peer = best(seconds, *PEERS)
        pairs |= {f"best peer / {ours}": (peer, ours) for ours in FLOAT32}
    return pairs


def run(quick: bool = False) -> Iterator[Result]:
    preset, turns, batches = ("tiny", 3, BATCHES[:1]) if quick else ("base", 9, BATCHES)
    task = EndlessTranslator(preset, batches, **({"num_layers": 1} if quick else {}))
    with TemporaryDirectory() as folder:
        paths = write_artifacts(task, Path(folder))
        for rows in batches:
            contenders = {name: contender(path, rows) for name, path in paths.items()}
            contenders.update(peers(task, Path(folder) / "ctranslate2", rows))
            seconds = take_turns(contenders, turns)
            name = f"transformer {preset} greedy decoding, batch {rows}"
            work = rows * LENGTHS["target"]
            yield Result(name, seconds, compare(seconds, versus(seconds)), work, "tokens")


if __name__ == "__main__":
    main({"decoding": run}, __doc__.splitlines()[0])
