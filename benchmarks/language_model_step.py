"""A training step of a language model from a file beside transformers on PyTorch.

    keras-attn import SmolLM2-135M-Instruct.Q4_1.gguf --out runs/smollm2
    keras-attn export runs/smollm2 --format hugging_face --out checkpoint
    python -m benchmarks.language_model_step runs/smollm2 --checkpoint checkpoint --peer PYTHON

PYTHON is an interpreter with `torch` and `transformers`. Both train the same weights on the same
random tokens in float32, with AdamW (the fused one of PyTorch); the losses of their first step say
whether it is the same step. They take turns, each while the others wait. The goal is 1.2 times as
fast.
"""

import argparse
import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

PEER = Path(__file__).with_name("language_model_step_peer.py")
RATE = 1e-4
WARM = 2  # steps before the measurement


class Step(NamedTuple):
    """A training step: its loss, and its seconds of the processor and by the clock."""

    loss: float
    cpu: float
    wall: float


def our_step(task: Any, xla: bool, ids: np.ndarray) -> Callable[[], Step]:
    """A step of the task's own training.

    Args:
        task: A causal-lm.
        xla: Whether XLA compiles the step.
        ids: Tokens (rows, length + 1).
    """
    import tensorflow as tf

    from zoo.tasks.likelihood import token_objective
    from zoo.training.compiling import compile_model
    from zoo.training.optimizer import adam

    model, loss = task.model, token_objective(task.special_tokens.pad).loss
    compile_model(model, adam(RATE, beta_2=0.999), loss, jit_compile=xla)
    inputs, labels = tf.constant(ids[:, :-1]), tf.constant(ids[:, 1:])
    x = {"token_ids": inputs, "padding_mask": tf.ones_like(inputs, "bool")}

    def step() -> Step:
        used, begin = time.process_time(), time.perf_counter()
        found = float(model.train_on_batch(x, {"logits": labels}))
        return Step(found, time.process_time() - used, time.perf_counter() - begin)

    return step


@contextmanager
def peer_step(python: str, options: dict[str, Any]) -> Iterator[Callable[[], Step]]:
    """A step of the peer, which waits in a process of its own until the context ends."""
    # Threads that wait would keep the cores busy.
    environment = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE", "PYTHONPATH": ""}
    command = [python, "-P", str(PEER), json.dumps(options)]
    process: Any = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:

        def step() -> Step:
            process.stdin.write("step\n")
            process.stdin.flush()
            return Step(*json.loads(process.stdout.readline()))

        yield step


def random_ids(rows: int, length: int, vocabulary_size: int, pad: int) -> np.ndarray:
    """Tokens (rows, length + 1), none of which is padding."""
    ids = np.random.default_rng(0).integers(0, vocabulary_size - 1, (rows, length + 1), "int32")
    return ids + (ids >= pad)


def report(steps: dict[str, list[Step]], tokens: int) -> list[str]:
    """A table in Markdown of the median steps after the warm ones, and the ratios to the peer.

    Args:
        steps: The steps of each; those of the peer are called "transformers".
        tokens: Tokens of a step.
    """
    lines = ["| step | loss of the first | CPU seconds | seconds | tokens a second |"]
    lines.append("| --- | --- | --- | --- | --- |")
    cpu = {name: statistics.median(x.cpu for x in each[WARM:]) for name, each in steps.items()}
    wall = {name: statistics.median(x.wall for x in each[WARM:]) for name, each in steps.items()}
    for name, each in steps.items():
        cells = [f"{each[0].loss:.4f}", f"{cpu[name]:.3f}", f"{wall[name]:.3f}"]
        lines.append(f"| {name} | {' | '.join(cells)} | {tokens / wall[name]:.0f} |")
    for seconds, unit in ((cpu, "by seconds of the processor"), (wall, "by the clock")):
        peer = seconds.pop("transformers", None)
        if peer is not None:
            best = min(seconds, key=lambda name: seconds[name])
            lines.append(f"{best} beside transformers: {peer / seconds[best]:.2f} times, {unit}")
    return lines


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="a run with a causal-lm")
    parser.add_argument("--checkpoint", type=Path, help="the same as a Hugging Face checkpoint")
    parser.add_argument("--peer", help="Python interpreter with transformers")
    parser.add_argument("--rows", type=int, default=2)
    parser.add_argument("--length", type=int, default=256)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    if bool(given.checkpoint) != bool(given.peer):
        parser.error("--checkpoint and --peer belong together")
    # Before TensorFlow is imported, which starts a thread for each core that it may use.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: given.threads])

    import benchmarks.backend  # noqa: F401  isort: skip  before Keras is imported
    import zoo
    from zoo.bench.machine import machine
    from zoo.cli.memory import keep_freed_memory

    keep_freed_memory()  # as the command line
    print(json.dumps({"machine": machine(), "threads": given.threads}))
    tasks: list[Any] = [zoo.load(given.run) for _ in range(2)]
    rows, pad = int(tasks[0].model.output["logits"].shape[-1]), tasks[0].special_tokens.pad
    ids = random_ids(given.rows, given.length, rows, pad)
    turns = {"ours": our_step(tasks[0], False, ids), "ours, XLA": our_step(tasks[1], True, ids)}
    steps: dict[str, list[Step]] = {}
    with ExitStack() as peers:
        if given.peer:
            options = {"checkpoint": str(given.checkpoint), "threads": given.threads}
            options |= {"rate": RATE, "ids": ids.tolist()}
            turns["transformers"] = peers.enter_context(peer_step(given.peer, options))
        for _ in range(WARM + given.turns):
            for name, step in turns.items():
                steps.setdefault(name, []).append(step())
                print(json.dumps({"who": name, **steps[name][-1]._asdict()}), flush=True)
    print("\n".join(report(steps, given.rows * given.length)))


if __name__ == "__main__":
    main()
