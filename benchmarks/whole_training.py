"""Whole trainings: `train` beside a program of plain Keras, as processes that begin with a table.

    python -m benchmarks.whole_training

Both read the same tables of texts with three labels, train a bidirectional GRU of 64 units on words
for the same number of epochs, in batches of 32 rows or 512 tokens, keep the weights of the best
epoch, and save them. The program is what a user of Keras would write: `TextVectorization`,
`Embedding`, `Bidirectional`, `compile` and `fit`. `train` computes baselines, calibrates the scores
and writes a run that can be resumed besides. The times are those on the clock of whole processes.
"""

import csv
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from benchmarks.command import main
from zoo.bench.timing import Result, compare

KERAS_ATTN = Path(sys.executable).with_name("keras-attn")
PEER = Path(__file__).with_name("whole_training_peer.py")
SIZES = {1_000: 20, 100_000: 3}  # rows, and epochs
BATCH, TOKENS = "32", "512"


def trainings(quick: bool) -> Iterable[Result]:
    """Both programs in turns, for a small table and for a large one."""
    for rows, epochs in SIZES.items():
        if quick and rows > 1_000:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_table(folder / "train.csv", rows, 0)
            write_table(folder / "val.csv", 500, 1)
            commands = {"ours": ours(folder, epochs), "Keras": theirs(folder, epochs)}
            times: dict[str, list[float]] = {each: [] for each in commands}
            for turn in range(1 if quick else 3):
                for each, command in commands.items():
                    start = time.perf_counter()
                    subprocess.run([*command, f"{name}/{each}-{turn}"], check=True)
                    times[each].append(time.perf_counter() - start)
            ratios = compare(times, {"Keras / ours": ("Keras", "ours")})
            yield Result(f"{rows:,} rows, {epochs} epochs", times, ratios)


def ours(folder: Path, epochs: int) -> list[str]:
    data = ["--data", str(folder / "train.csv"), "--validation", str(folder / "val.csv")]
    model = ["--model", "rnn_classifier", "--tokenizer", "words", "--dropout", "0.3"]
    training = ["--epochs", str(epochs), "--batch-tokens", TOKENS, "--learning-rate", "1e-3"]
    return [str(KERAS_ATTN), "train", "text-classifier", *data, *model, *training, "--out"]


def theirs(folder: Path, epochs: int) -> list[str]:
    files = [str(folder / "train.csv"), str(folder / "val.csv")]
    return [sys.executable, str(PEER), *files, str(epochs), BATCH]


def write_table(path: Path, rows: int, seed: int) -> None:
    """A table of texts of 5 to 25 words, whose label is that of most of their words.

    Example:
        >>> path = getfixture("tmp_path") / "a.csv"
        >>> write_table(path, 7, 0)
        >>> len(path.read_text().split("\\n"))
        9
    """
    random = np.random.default_rng(seed)
    words = [f"{x}{y}{z}" for x in "bdfgklmnprst" for y in "aeiou" for z in "bdfgklmnprst"]
    groups = np.array_split(np.array(words), 3)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["text", "label"])
        for _ in range(rows):
            label = random.integers(3)
            chosen = np.where(
                random.random(random.integers(5, 26)) < 0.5, label, random.integers(3)
            )
            writer.writerow([" ".join(random.choice(groups[each]) for each in chosen), f"l{label}"])


if __name__ == "__main__":
    main({"trainings": trainings}, __doc__.splitlines()[0])
