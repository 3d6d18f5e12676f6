"""Files of real data sets for each task, as `benchmarks.defaults` trains on them.

The folder of data has `sst2/stsa.binary.{train,dev,test}`, `trec/TREC.{train,test}.all`,
`mnist/*.gz` (idx), `planetoid/cora.npz`, `multi30k/{train,val,test2016}.en-de.tsv`,
`flickr8k/captions_1000.jsonl` with `images128/`, `fsdd/index.csv` with `recordings/`,
`tinyshakespeare/input.txt`, `20news/{train,test}.jsonl.gz`, the series of
`benchmarks.default_series` and what `benchmarks.default_made` reads.
"""

import csv
import gzip
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.capitals import tagged
from benchmarks.capitals import write as write_tagged
from benchmarks.default_files import Files, FilesOfTasks, Rows, tables
from benchmarks.default_made import (
    angles,
    cards,
    groups,
    headers,
    pitch,
    ratings,
    speakers,
    subjects,
)
from benchmarks.default_series import co2, elnino, seattle
from benchmarks.spoken_digits import WORDS
from zoo.data.audio.decode import decode
from zoo.data.images.idx import read_idx

HELD_OUT = 300  # rows to validate with where data have none apart
MESSAGES = 100  # of newsgroups, to validate and to evaluate with
TEST = 1000  # maximum number of rows to evaluate
STEPS = 64  # of the loudness of a spoken word
CHARACTERS = 200  # of running text for each row


def some(rows: Rows, most: int, seed: int = 0) -> list[Any]:
    """At most so many rows, drawn at random."""
    rows = list(rows)
    return rows if len(rows) <= most else random.Random(seed).sample(rows, most)


def sst2(data: Path, out: Path, rows: int) -> Files:
    """Movie reviews, good or bad."""
    parts = {
        part: [(line[2:].strip(), line[0]) for line in _lines(data / f"sst2/stsa.binary.{part}")]
        for part in ("train", "dev", "test")
    }
    return tables(out, ("text", "label"), some(parts["train"], rows), parts["dev"], parts["test"])


def trec(data: Path, out: Path, rows: int) -> Files:
    """Questions by what they ask for."""
    train, test = (
        [(line.split(" ", 1)[1].strip(), line.split(" ", 1)[0].split(":")[0]) for line in part]
        for part in (_lines(data / f"trec/TREC.{x}.all", "latin-1") for x in ("train", "test"))
    )
    train = some(train, len(train) - 1)
    held_out, train = train[:HELD_OUT], train[HELD_OUT:]
    return tables(out, ("text", "label"), some(train, rows), held_out, test)


def sst2_and_trec(data: Path, out: Path, rows: int) -> FilesOfTasks:
    """Reviews and questions, for one model with two classifiers."""
    each = {"sst2": sst2, "trec": trec}
    return FilesOfTasks({name: task(data, out / name, rows) for name, task in each.items()})


def multi30k(data: Path, out: Path, rows: int) -> Files:
    """English captions with their German translations."""
    parts = _translations(data)
    return tables(out, ("source", "target"), some(parts[0], rows), parts[1], some(parts[2], TEST))


def capitals(data: Path, out: Path, rows: int) -> Files:
    """Which German words have a capital."""
    paths = [out / f"{part}.conll" for part in ("train", "val", "test")]
    out.mkdir(parents=True, exist_ok=True)
    for path, pairs, most in zip(paths, _translations(data), (rows, HELD_OUT, TEST), strict=True):
        write_tagged(path, [tagged(german) for _, german in some(pairs, most)])
    return Files(*paths)


def flickr_pairs(data: Path, out: Path, rows: int) -> Files:
    """Pairs of captions of the same photograph."""
    train, held_out, test = (
        [pair for each in part for pair in zip(*[iter(each["captions"][:4])] * 2, strict=True)]
        for part in _captions(data)
    )
    once = [pair for index, pair in enumerate(test) if not index % 2]
    return tables(out, ("source", "target"), some(train, 2 * rows), held_out, once)


def flickr(data: Path, out: Path, rows: int) -> Files:
    """Captions of photographs."""
    shutil.copytree(data / "flickr8k/images128", out / "images", dirs_exist_ok=True)
    paths = [out / f"{part}.jsonl" for part in ("train", "val", "test")]
    for path, part in zip(paths, _captions(data), strict=True):
        lines = [
            json.dumps({"image": f"images/{each['image']}", "caption": caption})
            for each in some(part, rows)
            for caption in each["captions"]
        ]
        path.write_text("\n".join(lines) + "\n", "utf-8")
    return Files(*paths)


def mnist(data: Path, out: Path, rows: int) -> Files:
    """Images of digits."""
    out.mkdir(parents=True, exist_ok=True)
    x, y = _idx(data, "train")
    order = np.random.default_rng(0).permutation(len(x))
    parts = {"val": order[:HELD_OUT], "train": order[HELD_OUT : HELD_OUT + rows]}
    for name, chosen in parts.items():
        np.savez(out / f"{name}.npz", x=x[chosen], y=y[chosen])
    x, y = _idx(data, "t10k")
    np.savez(out / "test.npz", x=x[:TEST], y=y[:TEST])
    return Files(*(out / f"{name}.npz" for name in ("train", "val", "test")))


def cora(data: Path, out: Path, rows: int) -> Files:
    """Papers that cite each other, with the public split."""
    path = data / "planetoid/cora.npz"
    return Files(path, None, path)


def spoken_words(data: Path, out: Path, rows: int) -> Files:
    """Recordings of single digits, with the word as transcript."""
    shutil.copytree(data / "fsdd/recordings", out / "recordings", dirs_exist_ok=True)
    parts = [
        [(f"recordings/{file}", WORDS[digit]) for file, digit in part]
        for part in _words(data, rows)
    ]
    return tables(out, ("audio", "text"), *parts)


def loudness(data: Path, out: Path, rows: int) -> Files:
    """The loudness of recordings of single digits over time, as series."""
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / f"{part}.npz" for part in ("train", "val", "test")]
    for path, part in zip(paths, _words(data, rows), strict=True):
        series = []
        for file, _ in part:
            samples = np.abs(decode(data / "fsdd/recordings" / file).samples[:, 0])
            starts = np.arange(STEPS) * len(samples) // STEPS
            series.append(np.log(1e-4 + np.add.reduceat(samples, starts) * STEPS / len(samples)))
        np.savez(path, x=np.stack(series).astype("float32"), y=[WORDS[digit] for _, digit in part])
    return Files(*paths)


def shakespeare(data: Path, out: Path, rows: int) -> Files:
    """The plays of Shakespeare as running text."""
    out.mkdir(parents=True, exist_ok=True)
    text = (data / "tinyshakespeare/input.txt").read_text("utf-8")
    half = len(text) * 95 // 100
    parts = {"train": text[: min(rows * CHARACTERS, len(text) * 9 // 10)]}
    parts |= {"val": text[len(text) * 9 // 10 : half], "test": text[half:]}
    for name, part in parts.items():
        (out / f"{name}.txt").write_text(part, "utf-8")
    return Files(*(out / f"{name}.txt" for name in parts))


def news(data: Path, out: Path, rows: int) -> Files:
    """Messages of 20 newsgroups, as documents."""
    out.mkdir(parents=True, exist_ok=True)
    train, test = (_messages(data / f"20news/{part}.jsonl.gz") for part in ("train", "test"))
    train, test = some(train, rows + MESSAGES), some(test, MESSAGES)
    for name, part in (("val", train[:MESSAGES]), ("train", train[MESSAGES:]), ("test", test)):
        (out / f"{name}.jsonl").write_text("\n".join([*part, ""]), "utf-8")
    return Files(*(out / f"{name}.jsonl" for name in ("train", "val", "test")))


SOURCES: dict[str, dict[str, Callable[[Path, Path, int], Files | FilesOfTasks]]] = {
    "text-classifier": {"sst2": sst2, "trec": trec, "groups": groups},
    "node-classifier": {"cora": cora},
    "image-classifier": {"mnist": mnist, "cards": cards},
    "series-classifier": {"loudness": loudness, "speakers": speakers},
    "text-embedder": {"flickr8k": flickr_pairs},
    "token-tagger": {"capitals": capitals},
    "speech-recognizer": {"fsdd": spoken_words},
    "series-forecaster": {"co2": co2, "elnino": elnino, "seattle": seattle},
    "causal-lm": {"shakespeare": shakespeare},
    "text-to-text": {"multi30k": multi30k},
    "image-captioner": {"flickr8k": flickr},
    "multi-task": {"sst2-trec": sst2_and_trec},
    "masked-lm": {"20news": news},
    "denoising": {"20news": news},
    "question-answering": {"headers": headers},
    "text-pair-scorer": {"subjects": subjects},
    "text-regressor": {"ratings": ratings},
    "image-regressor": {"angles": angles},
    "series-regressor": {"pitch": pitch},
}


def _lines(path: Path, encoding: str = "utf-8") -> list[str]:
    return path.read_text(encoding).rstrip("\n").split("\n")


def _messages(path: Path) -> list[str]:
    rows = map(json.loads, gzip.decompress(path.read_bytes()).decode("utf-8").splitlines())
    return [json.dumps({"text": each["text"]}) for each in rows]


def _translations(data: Path) -> list[list[list[str]]]:
    return [
        [line.split("\t") for line in _lines(data / f"multi30k/{part}.en-de.tsv")]
        for part in ("train", "val", "test2016")
    ]


def _captions(data: Path) -> list[list[dict[str, Any]]]:
    rows = [json.loads(line) for line in _lines(data / "flickr8k/captions_1000.jsonl")]
    return [[each for each in rows if each["split"] == part] for part in ("train", "dev", "test")]


def _idx(data: Path, part: str) -> tuple[np.ndarray, np.ndarray]:
    folder = data / "mnist"
    images = read_idx(folder / f"{part}-images-idx3-ubyte.gz", axes=(3,))
    return images, read_idx(folder / f"{part}-labels-idx1-ubyte.gz", axes=(1,))


def _words(data: Path, rows: int) -> list[list[tuple[str, int]]]:
    with (data / "fsdd/index.csv").open() as file:
        every = list(csv.DictReader(file))
    inside = [(each["file"], int(each["digit"])) for each in every if each["split"] == "train"]
    outside = [(each["file"], int(each["digit"])) for each in every if each["split"] == "test"]
    mixed = some(inside, len(inside) - 1)
    return [mixed[HELD_OUT : HELD_OUT + rows], mixed[:HELD_OUT], outside]
