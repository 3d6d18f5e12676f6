"""A small language model in LiteRT-LM beside other runtimes that run on phones, on one core.

    keras-attn import SmolLM2-135M-Instruct.Q4_1.gguf --out runs/smollm2
    keras-attn export runs/smollm2 --format litertlm --quantize int8 --max-length 640 \
        --out ours.int8.litertlm
    keras-attn export runs/smollm2 --format hugging_face --out checkpoint
    litert-torch export_hf --model=checkpoint --output_dir=theirs --cache_length=640 \
        --prefill_lengths='[512,128,16]'
    PYTHON -P benchmarks/phone_runtimes_peer.py SmolLM2-135M-Instruct.Q4_1.gguf smollm2.Q8_0.gguf
    python -m benchmarks.phone_runtimes ours.int8.litertlm --peer-bundle theirs/model.litertlm \
        --gguf smollm2.Q8_0.gguf --gguf SmolLM2-135M-Instruct.Q4_1.gguf \
        --checkpoint checkpoint --peer PYTHON

PYTHON is an interpreter with `llama_cpp`, `torch` and `transformers`, such as that of another
environment, and `litert-torch` a command of the package of this name.

Every turn of every runtime is a process with one thread on one core, and they take turns. The
first of each is not counted: it brings files into memory, and LiteRT-LM writes packed weights. A
process reads 16 tokens and writes the first one, which ends its start; then it reads a prompt and
writes tokens twice, of which the second is counted. Rates are per second of the processor, in
all threads, which depend less on what else runs than those by the clock.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zoo.bench.machine import machine

WORKER = Path(__file__).with_name("phone_runtimes_peer.py")
# How many times as fast ours should be as the peer of this name.
GOALS = {
    "litert-torch": {"prefill": 1.0, "decode": 1.1},
    "llama.cpp Q8_0": {"prefill": 2.0, "decode": 1.1},
}
HEADER = (
    "runtime",
    "MB",
    "prefill, tokens a CPU second",
    "by the clock",
    "decode, tokens a CPU second",
    "by the clock",
    "start to first token, s",
    "CPU s",
    "peak memory, MB",
)

Turn = dict[str, float]


@dataclass(frozen=True)
class Contender:
    """A model in a runtime.

    Args:
        name: Its name in the table.
        runtime: The runtime, by its name in the worker.
        path: The file, or the folder.
        python: The interpreter that has the runtime.
        turns: What was measured.
    """

    name: str
    runtime: str
    path: Path
    python: str
    turns: list[Turn] = field(default_factory=list)


@dataclass(frozen=True)
class Numbers:
    """The medians of the turns of a contender.

    Args:
        size: Bytes of its files.
        prefill: Tokens that it reads in a second of the processor, and by the clock.
        decode: Tokens that it writes in a second of the processor, and by the clock.
        first: Seconds from the start of the process to the first token, of the processor and by
            the clock.
        peak: Bytes in memory at most.
    """

    size: int
    prefill: tuple[float, float]
    decode: tuple[float, float]
    first: tuple[float, float]
    peak: float

    def row(self, name: str) -> str:
        """A row of a table in Markdown."""
        cells = [f"{self.size / 1e6:,.1f}"]
        cells += [f"{rate:,.1f}" for rate in (*self.prefill, *self.decode)]
        cells += [f"{self.first[1]:.2f}", f"{self.first[0]:.2f}", f"{self.peak / 1e6:,.0f}"]
        return table_row([name, *cells])


def numbers(turns: list[Turn], size: int) -> Numbers:
    """The medians of turns.

    Args:
        turns: What the worker measured.
        size: Bytes of the files.
    """

    def median(of: Callable[[Turn], float]) -> float:
        return statistics.median(map(of, turns))

    def rates(name: str) -> tuple[float, float]:
        return (
            median(lambda turn: turn[f"{name}_tokens"] / turn[f"{name}_cpu"]),
            median(lambda turn: turn[f"{name}_tokens"] / turn[f"{name}_wall"]),
        )

    return Numbers(
        size=size,
        prefill=rates("prefill"),
        decode=rates("decode"),
        first=(median(lambda turn: turn["first_cpu"]), median(lambda turn: turn["first_wall"])),
        peak=median(lambda turn: turn["peak_bytes"]),
    )


def ratios(ours: Numbers, peer: Numbers) -> dict[str, float]:
    """How many times as good ours is as a peer, by the seconds of the processor.

    Args:
        ours: Our numbers.
        peer: The peer's.

    Returns:
        Ratios above 1 where ours is faster, or takes less.
    """
    return {
        "prefill": ours.prefill[0] / peer.prefill[0],
        "decode": ours.decode[0] / peer.decode[0],
        "first token": peer.first[0] / ours.first[0],
        "memory": peer.peak / ours.peak,
        "size": peer.size / ours.size,
    }


def ratio_row(name: str, found: dict[str, float], goals: dict[str, float]) -> str:
    """A row of a table in Markdown, with goals in brackets."""
    cells = [
        f"{ratio:.2f}" + (f" ({goals[key]:.1f})" if key in goals else "")
        for key, ratio in found.items()
    ]
    return table_row([name, *cells])


def table_row(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def size_of(path: Path) -> int:
    """Bytes of a file, or of the files in a folder."""
    files = [path] if path.is_file() else path.rglob("*")
    return sum(each.stat().st_size for each in files if each.is_file())


def run(contender: Contender, options: dict[str, Any]) -> Turn:
    """A turn, in a process of its own."""
    given = {"runtime": contender.runtime, "file": str(contender.path), **options}
    # One thread; whoever waits for it should not keep the core busy.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": ""}
    given["begun"] = time.monotonic()
    command = [contender.python, "-P", str(WORKER), json.dumps(given)]
    found = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
    turn: Turn = json.loads(found.stdout.splitlines()[-1])
    if turn["decode_tokens"] != options["new"]:
        print(f"{contender.name} wrote {turn['decode_tokens']} of {options['new']} tokens")
    return turn


def contenders(given: argparse.Namespace) -> list[Contender]:
    """Ours and the peers that are given."""
    ours = Contender("ours", "LiteRT-LM", given.bundle, sys.executable)
    found = [ours]
    if given.peer_bundle:
        name = "litert-torch"
        found.append(Contender(name, "LiteRT-LM", given.peer_bundle, sys.executable))
    for path in given.gguf:
        name = f"llama.cpp {path.stem.rpartition('.')[2]}"
        found.append(Contender(name, "llama.cpp", path, given.peer))
    if given.checkpoint:
        name = "transformers, float32"
        found.append(Contender(name, "transformers", given.checkpoint, given.peer))
    return found


def main() -> None:
    """Prints a table of the numbers, and one of the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bundle", type=Path, help="our bundle for LiteRT-LM")
    parser.add_argument("--peer-bundle", type=Path, help="a bundle of litert-torch")
    parser.add_argument("--gguf", type=Path, action="append", default=[], help="for llama.cpp")
    parser.add_argument("--checkpoint", type=Path, help="a Hugging Face checkpoint")
    parser.add_argument("--peer", help="Python interpreter with llama_cpp and transformers")
    parser.add_argument("--prompt", type=int, default=512, help="tokens that are read")
    parser.add_argument("--new", type=int, default=128, help="tokens that are written")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    given = parser.parse_args()
    if (given.gguf or given.checkpoint) and not given.peer:
        parser.error("--gguf and --checkpoint need --peer")
    print(json.dumps({"machine": machine(), "prompt": given.prompt, "new": given.new}))
    found = contenders(given)
    with tempfile.TemporaryDirectory() as folder:
        options = {"prompt": given.prompt, "new": given.new, "core": given.core}
        for turn in range(1 + given.turns):
            for number, each in enumerate(found):
                cache = Path(folder, str(number))  # of packed weights
                cache.mkdir(exist_ok=True)
                measured = run(each, {**options, "cache": str(cache)})
                print(json.dumps({"who": each.name, "turn": turn, **measured}), flush=True)
                if turn:
                    each.turns.append(measured)
    ours, *peers = [numbers(each.turns, size_of(each.path)) for each in found]
    print(table_row(HEADER), table_row(["---"] * len(HEADER)), sep="\n")
    for each, their in zip(found, [ours, *peers], strict=True):
        print(their.row(each.name))
    for number, (each, their) in enumerate(zip(found[1:], peers, strict=True)):
        compared = ratios(ours, their)
        if not number:
            head = ["ours beside (goal)", *compared]
            print("", table_row(head), table_row(["---"] * len(head)), sep="\n")
        print(ratio_row(each.name, compared, GOALS.get(each.name, {})))


if __name__ == "__main__":
    main()
