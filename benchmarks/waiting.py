"""Waiting: what commands cost as whole processes, in imports of TensorFlow.

    python -m benchmarks.waiting
    python -m benchmarks.waiting exports

A ratio is the median of a command over that of `python -c "import tensorflow"` in the same turns:
of the time on the clock, and of the processor's, user and system, with all child processes.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

import zoo
from benchmarks.command import Benchmark, main
from zoo.bench.timing import Result
from zoo.cli.quick.background import VARIABLE
from zoo.cli.quick.making import make

KERAS_ATTN = Path(sys.executable).with_name("keras-attn")
IMPORT = "import tensorflow"
TEXTS = [("two dogs run", "dogs"), ("a red hat", "hats"), ("a hat of felt", "hats")] * 16
QUESTIONS = 5452  # of TREC's training data
Commands = dict[str, list[str]]


def in_imports(name: str, commands: Commands, turns: int) -> Iterable[Result]:
    """The commands in turns with the import alone, which warm up once: clock, then processor."""
    every = {IMPORT: [sys.executable, "-c", IMPORT], **commands}
    clock: dict[str, list[float]] = {each: [] for each in every}
    processor: dict[str, list[float]] = {each: [] for each in every}
    for turn in range(turns + 1):
        for each, command in every.items():
            start, before = time.perf_counter(), _used()
            subprocess.run(command, check=True, capture_output=True)
            if turn:
                clock[each].append(time.perf_counter() - start)
                processor[each].append(_used() - before)
    for what, seconds in (("clock", clock), ("processor", processor)):
        median = {each: statistics.median(values) for each, values in seconds.items()}
        ratios = {f"imports of {each}": median[each] / median[IMPORT] for each in commands}
        yield Result(f"{name}, {what}", seconds, ratios)


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def answers(quick: bool) -> Iterable[Result]:
    """One answer of a run of texts, of images and of series: by its LiteRT file, and `--exact`."""
    os.environ[VARIABLE] = "make"
    with tempfile.TemporaryDirectory() as name:
        commands: Commands = {}
        for kind, argument in _runs(Path(name)).items():
            asked = [str(KERAS_ATTN), "predict", f"{name}/{kind}", argument]
            commands[f"predict of {kind}"] = asked
            commands[f"predict of {kind} --exact"] = [*asked, "--exact"]
        yield from in_imports("answers", commands, 2 if quick else 7)


def _runs(folder: Path) -> dict[str, str]:
    """Makes small runs, and their files; returns an input of each."""
    from PIL import Image

    random = np.random.default_rng(0)
    levels = [60, 190] * 8
    images = [np.uint8(np.clip(random.normal(x, 30, (28, 28, 3)), 0, 255)) for x in levels]
    Image.fromarray(images[0]).save(folder / "image.png")
    wave = 10 + 5 * np.sin(np.arange(300) * 2 * np.pi / 7) + random.random(300)
    table = folder / "series.csv"
    table.write_text("date,value\n" + "".join(f"{1700 + n},{x:.3f}\n" for n, x in enumerate(wave)))
    labeled = list(zip(images, np.where(np.array(levels) > 99, "light", "dark"), strict=True))
    tasks = {
        "text": (zoo.TextClassifier(), TEXTS, TEXTS[0][0]),
        "image": (zoo.ImageClassifier(), labeled, str(folder / "image.png")),
        "series": (zoo.SeriesForecaster(horizon=7), table, str(table)),
    }
    for kind, (task, data, _) in tasks.items():
        task.fit(data, epochs=1, folder=folder / kind, verbose=False)
        if not make(folder / kind):
            raise RuntimeError(f"the run of {kind} has no file")
    return {kind: given for kind, (_, _, given) in tasks.items()}


def exports(quick: bool) -> Iterable[Result]:
    """The verified int8 export of a default classifier of as many questions as TREC has."""
    random = np.random.default_rng(0)
    words = [f"{x}{y}{z}" for x in "bdfgklmnprst" for y in "aeiou" for z in "bdfgklmnprst"]
    rows = [
        (" ".join(random.choice(words, random.integers(5, 16))), f"topic {n % 6}")
        for n in range(200 if quick else QUESTIONS)
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        task = zoo.TextClassifier()
        task.fit(rows, epochs=1, folder=folder / "run", verbose=False)
        target = folder / "out"
        export = [str(KERAS_ATTN), "export", str(folder / "run"), "--format", "litert"]
        export += ["--text", "bytes", "--quantize", "int8", "--out", str(target / "a.tflite")]
        yield from in_imports("exports", {"export to int8": export}, 1 if quick else 5)
        shutil.rmtree(target)


def commands(quick: bool) -> Iterable[Result]:
    """What looks at a table, and at a default classifier of it."""
    with tempfile.TemporaryDirectory() as name:
        table, run = Path(name) / "table.csv", str(Path(name) / "run")
        lines = [f"{text},{label}\n" for text, label in TEXTS * 8]
        table.write_text("".join(["text,label\n", *lines]), "utf-8")
        zoo.TextClassifier().fit(table, epochs=1, folder=run, verbose=False)
        asked: Commands = {
            "inspect": ["inspect", str(table)],
            "evaluate": ["evaluate", run, "--data", str(table)],
            "report": ["report", run, "--data", str(table)],
        }
        whole = {each: [str(KERAS_ATTN), *rest] for each, rest in asked.items()}
        yield from in_imports("commands", whole, 2 if quick else 5)


def formats(quick: bool) -> Iterable[Result]:
    """A tiny Transformer in each format, verified, and in all of them one after another."""
    with tempfile.TemporaryDirectory() as name:
        run, out = f"{name}/run", Path(name) / "out"
        task = zoo.TextToText("transformer", "tiny", vocabulary_size=60, max_source_length=16)
        task.fit(TEXTS, epochs=1, folder=run, verbose=False)
        options = {
            "saved_model": ["--format", "saved_model", "--out", f"{out}/saved"],
            "litert": ["--format", "litert", "--text", "bytes", "--out", f"{out}/a.tflite"],
            "litert int8": ["--format", "litert", "--quantize", "int8", "--out", f"{out}/b.tflite"],
            "onnx": ["--format", "onnx", "--text", "bytes", "--out", f"{out}/onnx"],
        }
        whole = {each: [str(KERAS_ATTN), "export", run, *rest] for each, rest in options.items()}
        for result in in_imports("formats", whole, 1 if quick else 3):
            together = [sum(turn) for turn in zip(*map(result.seconds.get, whole), strict=True)]
            yield replace(result, seconds={**result.seconds, "all formats": together})


if __name__ == "__main__":
    every: dict[str, Benchmark] = {
        "answers": answers,
        "exports": exports,
        "commands": commands,
        "formats": formats,
    }
    main(every, __doc__.splitlines()[0])
