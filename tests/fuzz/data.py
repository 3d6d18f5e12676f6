"""Targets of the readers of data."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import tensorflow as tf
from PIL import Image

from tests.fuzz.target import Target
from tests.tasks.cases import files
from tests.zoo.data.graphs.published import planetoid
from zoo.data.audio.decode import decode, fitted
from zoo.data.audio.read import read_recordings
from zoo.data.graphs.read import read_graphs
from zoo.data.images.captions import read_captions
from zoo.data.images.header import Shape
from zoo.data.images.read import read_images
from zoo.data.inspection import inspect
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.documents import read_documents
from zoo.data.readers.labels import read_labeled
from zoo.data.readers.pairs import read_pairs
from zoo.data.readers.tags import read_tagged
from zoo.data.readers.word_vectors import read_word_vectors
from zoo.data.series.labeled import read_labeled_series
from zoo.data.series.read import read_series
from zoo.data.series.reading import ReadingOptions
from zoo.preprocessing.images import ImagePreprocessor

ROWS = [("it was fine", "good"), ('a "dull", odd film', "bad"), ("über 你", "good")] * 3
WORDS = {"it": 0, "was": 1, "über": 2}


def tables(folder: Path) -> None:
    """The same rows in each format of tables."""
    rows = [("text", "label"), *ROWS]
    lines = [json.dumps({"text": text, "label": label}) + "\n" for text, label in ROWS]
    csv = "".join('"{}",{}\n'.format(a.replace('"', '""'), b) for a, b in rows)
    contents = {
        "data.csv": csv,
        "data.tsv": "".join(f"{a}\t{b}\n" for a, b in rows),
        "data.jsonl": "".join(lines),
        "data.json": f"[{','.join(lines)}]",
    }
    for name, content in contents.items():
        (folder / name).write_text(content, "utf-8")
    (folder / "data.csv.gz").write_bytes(gzip.compress(csv.encode()))
    columns = {"text": [a for a, _ in ROWS], "label": [b for _, b in ROWS]}
    pyarrow.parquet.write_table(pyarrow.table(columns), folder / "data.parquet")


def tagged(folder: Path) -> None:
    """Words with tags, in both formats."""
    (folder / "data.conll").write_text("it O\nwas O\nBerlin B-LOC\n\nfine O\n\n" * 3, "utf-8")
    (folder / "data.tsv").write_text("it was Berlin\tO O B-LOC\nfine\tO\n" * 3, "utf-8")
    rows = "".join(f"{i}\tw{i}\tw\tNOUN\t_\t_\t0\troot\t_\t_\n" for i in (1, 2, 3))
    (folder / "data.conllu").write_text(f"# text = w\n{rows}\n" * 3, "utf-8")
    (folder / "data.jsonl").write_text('{"tokens": ["it", "was"], "tags": ["O", "B-X"]}\n' * 3)


def vectors(folder: Path) -> None:
    """Vectors of words, with and without the header of word2vec."""
    lines = "it 0.1 0.2 -0.3\nwas 1 2 3\nüber 1e-3 0 5\n"
    (folder / "glove.txt").write_text(lines, "utf-8")
    (folder / "word2vec.txt").write_text("3 3\n" + lines, "utf-8")


def images(folder: Path) -> None:
    """Images of a few formats, in folders of classes."""
    pixels = np.random.default_rng(3).integers(0, 256, (7, 5, 3)).astype("uint8")
    encoders: dict[str, Callable[..., Any]] = {"png": tf.io.encode_png, "jpg": tf.io.encode_jpeg}
    for name, encode in encoders.items():
        for number in range(2):
            path = folder / "images" / ("odd", "even")[number] / f"{number}.{name}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(encode(pixels + number).numpy())
    (folder / "images" / "odd" / "2.bmp").write_bytes(bitmap(pixels))
    for name, options in (("webp", {"lossless": True}), ("gif", {}), ("tif", {})):
        Image.fromarray(pixels).save(folder / "images" / "even" / f"3.{name}", **options)


def bitmap(pixels: np.ndarray) -> bytes:
    """A BMP file of 24 bits, which has no checksums."""
    height, width, _ = pixels.shape
    rows = [row[:, ::-1].tobytes().ljust(-(-width * 3 // 4) * 4, b"\0") for row in pixels[::-1]]
    body = b"".join(rows)
    sizes = np.array([40, width, height], "<u4").tobytes() + np.array([1, 24], "<u2").tobytes()
    header = sizes + bytes(24)
    start = 14 + len(header)
    return b"BM" + np.array([start + len(body), 0, start], "<u4").tobytes() + header + body


def pixels_of(path: Path) -> None:
    """Reads a folder of images, and decodes them as a training does."""
    actual = read_images(path.parent.parent, ReadOptions(skip_bad_rows=True))
    ImagePreprocessor.of(Shape(7, 5, actual.channels()), actual.images)


def archived_images(folder: Path) -> None:
    pixels = np.random.default_rng(5).integers(0, 256, (6, 7, 5)).astype("uint8")
    np.savez(folder / "data.npz", x=pixels, y=np.arange(6) % 2)


def archived_graph(folder: Path) -> None:
    random = np.random.default_rng(7)
    np.savez(
        folder / "graph.npz",
        nodes=random.normal(size=(5, 3)).astype("float32"),
        edges=np.array([[0, 1, 2, 3], [1, 2, 3, 4]]),
        labels=np.array(["a", "b", "a", "b", "a"]),
        train=np.array([True, True, False, False, False]),
    )


def read_shops(path: Path) -> None:
    read_series(path, ReadingOptions.of({"series_column": "shop"}))


def archived_series(folder: Path) -> None:
    random = np.random.default_rng(11)
    values = random.normal(size=(6, 9, 2)).astype("float32")
    np.savez(folder / "data.npz", series=values, labels=np.array(["a", "b"] * 3))


def sounds(folder: Path) -> None:
    """Recordings in two formats, and a table of them."""
    import soundfile

    samples = files.tones("ab")
    files.wav(folder / "0.wav", samples)
    soundfile.write(folder / "1.flac", samples, files.TONE_RATE)
    rows = [("file", "transcript"), ("0.wav", "ab"), ("1.flac", "ab")]
    files.table(folder / "data.tsv", rows)


def samples_of(path: Path) -> None:
    """Reads a table of recordings, and decodes them as a training does."""
    for audio in read_recordings(path.parent / "data.tsv").audio:
        fitted(decode(Path(audio)), files.TONE_RATE)


def captions(folder: Path) -> None:
    files.squares(folder, count=3)


LENIENT = ReadOptions(skip_bad_rows=True)
TARGETS = {
    "inspect tables": Target(tables, inspect),
    "labeled texts": Target(tables, read_labeled),
    "labeled texts, bad rows skipped": Target(tables, lambda path: read_labeled(path, LENIENT)),
    "pairs": Target(tables, read_pairs),
    "documents": Target(tables, read_documents),
    "tagged texts": Target(tagged, read_tagged),
    "word vectors": Target(vectors, lambda path: read_word_vectors(path, WORDS)),
    "inspect texts": Target(files.animals, inspect),
    "images": Target(images, pixels_of),
    "images in an archive": Target(archived_images, read_images),
    "images of MNIST's format": Target(
        lambda folder: files.digit_images(folder, count=5),
        lambda path: read_images(path.with_name("data-images-idx3-ubyte")),
    ),
    "captions": Target(captions, lambda path: read_captions(path.with_name("data.jsonl"))),
    "recordings": Target(sounds, samples_of),
    "graph as tables": Target(
        lambda folder: files.graph(folder, count=11), lambda path: read_graphs(path.parent)
    ),
    "graph in an archive": Target(archived_graph, read_graphs),
    "graph of Planetoid": Target(planetoid, lambda path: read_graphs(path.parent)),
    "series": Target(lambda folder: files.sales(folder, count=7), read_shops),
    "labeled series": Target(lambda folder: files.motions(folder, count=4), read_labeled_series),
    "labeled series in an archive": Target(archived_series, read_labeled_series),
    "inspect archives": Target(archived_series, inspect),
}
