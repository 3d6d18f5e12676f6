"""Tokens per second of training on short chats: packed, one chat in a row, and in windows.

    python -m benchmarks.packing --chats chats.jsonl

Of each kind of rows, steps of the same model are timed in turn. A row of windows has parts of
several chats, which see each other; packed rows have several chats, which do not; the other rows
have one chat, padded to the longest. Only the tokens of the chats count, not the padding.
"""

import argparse
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

import zoo
from zoo.data.batching.batches import Batches
from zoo.data.readers.chats import read_chats
from zoo.tasks.causal_lm import FORMAT
from zoo.tasks.likelihood import token_objective
from zoo.tasks.options.causal_lm import Training
from zoo.tasks.packing import packed_batches
from zoo.tasks.token_streams import windows_of
from zoo.training.compiling import compile_model

WARM, ROUNDS = 2, 12  # steps of each kind


def kinds(task: zoo.CausalLM, path: Path, tokens: int) -> dict[str, Batches]:
    """The batches by name, each of about as many positions."""
    examples, length = read_chats(path), task.settings.max_length
    rows = max(1, tokens // length)
    packed = packed_batches(examples, task.fitted, Training(batch_size=rows))
    longest = max(len(ids) - 1 for ids in packed._texts)
    alone = packed_batches(examples, task.fitted, Training(batch_size=max(1, tokens // longest)))
    alone.length, alone.rows = longest, [[number] for number in range(len(alone._texts))]
    windows = windows_of(examples, FORMAT, task.fitted, rows)
    return {"packed": packed, "one in a row": alone, "windows": windows}


def step(task: zoo.CausalLM, batches: Any) -> Callable[[], tuple[int, float]]:
    """A function that trains on the next batch: its number of tokens, and its seconds."""
    every = cycle(batches.dataset())

    def train() -> tuple[int, float]:
        inputs, labels = next(every)
        begin = time.perf_counter()
        task.model.train_on_batch(inputs, labels)
        return int(np.sum(inputs["padding_mask"])), time.perf_counter() - begin

    return train


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chats", type=Path, required=True, help="A .jsonl file of chats.")
    parser.add_argument("--max-length", type=int, default=512)
    parser.add_argument("--tokens", type=int, default=4096, help="Positions of a batch.")
    given = parser.parse_args()
    task = zoo.CausalLM("llama", "tiny", max_length=given.max_length)
    task.adapt(given.chats)
    compile_model(task.model, "adam", token_objective(task.special_tokens.pad).loss)
    steps = {}
    for name, batches in kinds(task, given.chats, given.tokens).items():
        print(f"{name}: {batches}")
        steps[name] = step(task, batches)
    found: dict[str, list[float]] = {name: [] for name in steps}
    for number in range(WARM + ROUNDS):
        for name, train in steps.items():
            tokens, seconds = train()
            if number >= WARM:
                found[name].append(tokens / seconds)
    for name, rates in found.items():
        print(f"{name}: {np.median(rates):,.0f} tokens/s (least {min(rates):,.0f})")


if __name__ == "__main__":
    main()
