"""Small files to learn from, in each of the forms that tasks take."""

import json
import wave
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import tensorflow as tf

DIGITS = {"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
TOPICS = (("cat", "purrs", "mat", "milk"), ("horse", "neighs", "field"), ("bird", "sings", "nest"))
SIDES = {"good": ("fine", "great"), "bad": ("dull", "poor")}


def table(path: Path, rows: Iterable[Sequence[str]]) -> Path:
    """Rows of cells with tabs between them."""
    path.write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")
    return path


def digits(folder: Path, count: int = 43) -> Path:
    """Number words and their digits."""
    random = np.random.default_rng(5)
    rows = [random.choice(list(DIGITS), random.integers(1, 6)) for _ in range(count)]
    pairs = [(" ".join(words), " ".join(DIGITS[word] for word in words)) for words in rows]
    return table(folder / "data.tsv", pairs)


def animals(folder: Path, count: int = 97) -> Path:
    """Lines about animals and where they sat."""
    random = np.random.default_rng(3)
    lines = [
        f"the {random.choice(['cat', 'horse'])} sat on the {random.choice(['mat', 'log', 'hay'])}."
        for _ in range(count)
    ]
    path = folder / "data.txt"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def topics(folder: Path, sentences: int = 157) -> Path:
    """Sentences of the words of one topic each."""
    random = np.random.default_rng(7)
    chosen = [TOPICS[random.integers(len(TOPICS))] for _ in range(sentences)]
    path = folder / "data.txt"
    path.write_text(" ".join(" ".join(random.choice(t, 4)) + "." for t in chosen) + "\n", "utf-8")
    return path


def films(folder: Path, count: int = 53, labels: Sequence[str] = tuple(SIDES)) -> Path:
    """What is said of films, and how it is meant."""
    random, rows = np.random.default_rng(11), []
    for label in random.choice(labels, count):
        words = list(random.choice(["the", "film", "was", "a", "plot"], random.integers(2, 8)))
        words.insert(random.integers(len(words)), random.choice(SIDES.get(label, ("odd",))))
        rows.append((" ".join(words), label))
    return table(folder / "data.tsv", rows)


def topics_of_lines(folder: Path, count: int = 53) -> Path:
    """Lines, each with the topics of its words, or none."""
    random, rows = np.random.default_rng(13), []
    names = {"cats": TOPICS[0], "birds": TOPICS[2]}
    for own in random.random((count, 2)) < 0.5:
        topics = [name for name, has in zip(names, own, strict=True) if has]
        words = [random.choice(names[name]) for name in topics]
        rows.append((" ".join([*words, "the", "and"]), "|".join(topics)))
    return table(folder / "data.tsv", [("text", "labels"), *rows])


def ratings(folder: Path, count: int = 53) -> Path:
    """What is said of films, and a rating."""
    random, rows = np.random.default_rng(11), []
    worth = {"great": 9.0, "fine": 7.5, "dull": 3.0, "poor": 1.5}
    for word in random.choice(list(worth), count):
        words = list(random.choice(["the", "film", "was", "a", "plot"], random.integers(2, 8)))
        words.insert(random.integers(len(words)), word)
        rows.append((" ".join(words), str(worth[word])))
    return table(folder / "data.tsv", [("text", "rating"), *rows])


def shares(folder: Path, repeated: int = 5) -> Path:
    """Pairs of words, and two values: whether they are the same, and what the second is worth."""
    words = list(DIGITS)[:3]
    rows = [(a, b, str(float(a == b)), str(10.0 * words.index(b))) for a in words for b in words]
    return table(folder / "shares.tsv", [("text", "second", "same", "worth"), *rows * repeated])


def passages(folder: Path, repeated: int = 5) -> Path:
    """Queries of a word, with passages, of which one word fits all."""
    words = list(DIGITS)[:3]
    rows = [(a, f"{b} {a}", str(10.0 * (b == "one"))) for a in words for b in words]
    return table(folder / "passages.tsv", [("query", "passage", "score"), *rows * repeated])


def same(folder: Path, repeated: int = 5, labels: Sequence[str] = ("same", "other")) -> Path:
    """Pairs of words, and a label that the second one tells."""
    words = list(DIGITS)[:3]
    rows = [(a, b, labels[b != "one"]) for a in words for b in words]
    return table(folder / "same.tsv", rows * repeated)


def homes(folder: Path, count: int = 61) -> Path:
    """Questions on who lives where, each with a passage and its only town."""
    random, rows = np.random.default_rng(29), []
    for town in random.choice(["Rome", "Köln", "Oslo"], count):
        words = list(random.choice(["Ann", "Bob", "sings", "sleeps"], random.integers(1, 9)))
        words.insert(random.integers(len(words) + 1), town)
        rows.append(("which town ?", " ".join(words), town))
    return table(folder / "homes.tsv", [("question", "passage", "answer"), *rows])


def names(folder: Path, repeated: int = 7, only: str = "") -> Path:
    """Words with tags, in CoNLL's form."""
    sentences = [
        [("Ann", "B-PER"), ("Lee", "I-PER"), ("sings", "O")],
        [("rain", "O"), ("in", "O"), ("Rome", "B-LOC"), ("in", "O"), ("may", "O")],
        [("Ann", "B-PER"), ("runs", "O"), ("in", "O"), ("Rome", "B-LOC")],
    ]
    blocks = [
        "".join(f"{word}\t{only or tag}\n" for word, tag in words) for words in sentences * repeated
    ]
    path = folder / "data.conll"
    path.write_text("\n".join(blocks), "utf-8")
    return path


MEANT = [
    ("a red hat", "the hat is red"),
    ("two dogs run", "dogs are running"),
    ("rain in may", "it rains in spring"),
    ("he sings", "the man is singing"),
    ("cold tea", "a cup of tea"),
    ("a nest", "where the bird lives in a tree"),
    ("milk", "what the cat drinks"),
]


def alike(folder: Path) -> Path:
    """Pairs of texts of similar meaning."""
    return table(folder / "data.tsv", MEANT)


def likeness(folder: Path) -> Path:
    """Pairs, and how similar they are."""
    rows = [
        (a, b, str(5.0 if i == j else (i + j) / 13))
        for i, (a, _) in enumerate(MEANT)
        for j, (_, b) in enumerate(MEANT)
    ]
    return table(folder / "data.tsv", rows)


def idx(path: Path, array: np.ndarray) -> Path:
    """Bytes in the format of MNIST."""
    header = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    path.write_bytes(header + array.astype(np.uint8).tobytes())
    return path


def strokes(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Images (N, 13, 11) of a bright stroke, and its direction: 0, 1 or 2."""
    random = np.random.default_rng(seed)
    images, kinds = random.integers(0, 40, (count, 13, 11)), random.integers(0, 3, count)
    for image, kind in zip(images, kinds, strict=True):
        y, x = random.integers(2, 5, 2)
        for step in range(6):
            image[y + step * (kind != 0), x + step * (kind != 1) * (kind < 3)] = 255
    return images.astype(np.uint8), kinds


def digit_images(folder: Path, count: int = 61, only: int | None = None) -> Path:
    """Images and their labels as idx files."""
    images, kinds = strokes(count, seed=17)
    idx(folder / "data-labels-idx1-ubyte", kinds if only is None else np.full(count, only))
    return idx(folder / "data-images-idx3-ubyte", images)


def places(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Images (N, 13, 11) of a bright square; and ten times its row, and its column (N, 2)."""
    random = np.random.default_rng(seed)
    images = random.integers(0, 40, (count, 13, 11)).astype(np.uint8)
    corners = random.integers(0, [10, 8], (count, 2))
    for image, (y, x) in zip(images, corners, strict=True):
        image[y : y + 3, x : x + 3] = 255
    return images, corners * [10, 1]


def corners(count: int, seed: int) -> tuple[np.ndarray, list[list[str]]]:
    """Images (N, 13, 11) of which each corner is bright or not, and those at the left that are."""
    random = np.random.default_rng(seed)
    images = random.integers(0, 40, (count, 13, 11)).astype(np.uint8)
    bright = random.random((count, 4)) < 0.5
    for image, (upper, lower, right, other) in zip(images, bright, strict=True):
        image[:5, :4], image[-5:, :4] = 255 * upper, 255 * lower
        image[:5, -4:], image[-5:, -4:] = 255 * right, 255 * other
    names = ("upper", "lower")
    return images, [[n for n, has in zip(names, row, strict=False) if has] for row in bright]


def corner_images(folder: Path, count: int = 61) -> Path:
    """Images and their labels, or none, in a table."""
    rows = [("file", "labels")]
    for number, (image, labels) in enumerate(zip(*corners(count, seed=31), strict=True)):
        (folder / f"{number}.png").write_bytes(tf.io.encode_png(image[..., None]).numpy())
        rows.append((f"{number}.png", "|".join(labels)))
    return table(folder / "data.tsv", rows)


def placed(folder: Path, count: int = 61) -> Path:
    """Images of squares, and a table of where these are."""
    rows = [("file", "row", "column")]
    for number, (image, place) in enumerate(zip(*places(count, seed=29), strict=True)):
        (folder / f"{number}.png").write_bytes(tf.io.encode_png(image[..., None]).numpy())
        rows.append((f"{number}.png", *map(str, place)))
    return table(folder / "data.tsv", rows)


RGB = {"red": (230, 20, 30), "green": (10, 200, 40), "blue": (20, 40, 220)}


def colored(count: int, seed: int) -> tuple[list[np.ndarray], list[list[str]]]:
    """Images (12, 16, 3) of a colored square on the left or on the right, and two captions each."""
    random = np.random.default_rng(seed)
    images, captions = [], []
    for color, side in zip(
        random.choice(list(RGB), count), random.choice(["left", "right"], count), strict=True
    ):
        image = random.integers(0, 30, (12, 16, 3)).astype(np.uint8)
        x = random.integers(0, 3) + 8 * (side == "right")
        image[3:9, x : x + 5] = RGB[color]
        images.append(image)
        captions.append([f"a {color} square on the {side}", f"on the {side} is {color}"])
    return images, captions


def squares(folder: Path, count: int = 61) -> Path:
    """Images of squares, and a table of their captions."""
    path, lines = folder / "data.jsonl", []
    for number, (image, captions) in enumerate(zip(*colored(count, seed=19), strict=True)):
        (folder / f"{number}.png").write_bytes(tf.io.encode_png(image).numpy())
        lines.append(json.dumps({"image": f"{number}.png", "captions": captions}) + "\n")
    path.write_text("".join(lines), "utf-8")
    return path


COLORS = ("blue", "green", "red")


def graph(folder: Path, count: int = 43, only: str = "") -> Path:
    """Tables of nodes that have a color, and of edges between nodes, most of them of one color."""
    random = np.random.default_rng(13)
    colors = random.choice(len(COLORS), count)
    features = random.normal(size=(count, 5)) + 2 * np.eye(3, 5)[colors]
    parts = random.choice(["train", "validation", "test", ""], count, p=[0.5, 0.1, 0.3, 0.1])
    parts[:3] = "train", "validation", "test"
    ends = random.integers(0, count, (2, 7 * count))
    ends = ends[:, (colors[ends[0]] == colors[ends[1]]) | (random.random(7 * count) < 0.1)]
    nodes = [["name", "color", "split", *"abcde"]] + [
        [f"n{i}", only or COLORS[color], part, *(f"{x:.3f}" for x in row)]
        for i, (color, part, row) in enumerate(zip(colors, parts, features, strict=True))
    ]
    edges = [["source", "target"], *([f"n{a}", f"n{b}"] for a, b in ends.T)]
    for name, rows in (("edges", edges), ("nodes", nodes)):
        path = folder / f"{name}.csv"
        path.write_text("".join(",".join(row) + "\n" for row in rows), "utf-8")
    return path


def speeds(folder: Path, count: int = 31) -> Path:
    """Waves of two values, of 9 to 17 steps, and how fast they are; some values are missing."""
    random, rows = np.random.default_rng(37), [["step", "id", "ax", "ay", "speed"]]
    for number in range(count):
        speed = round(random.uniform(2, 12), 2)
        angle = random.uniform(0, 6) + speed / 10 * np.arange(17)
        for step in range(int(random.integers(9, 18))):
            x = "" if random.random() < 0.05 else f"{10 + 3 * np.sin(angle[step]):.3f}"
            rows.append([str(step), f"m{number}", x, f"{np.cos(angle[step]):.3f}", str(speed)])
    path = folder / "data.csv"
    path.write_text("".join(",".join(row) + "\n" for row in rows), "utf-8")
    return path


def wavy(folder: Path, count: int = 40) -> Path:
    """Series of 9 to 17 steps that are fast or not, and high or not, in columns of 0 and 1."""
    random, rows = np.random.default_rng(41), [["step", "id", "ax", "ay", "fast", "high"]]
    for number in range(count):
        fast, high = (int(each) for each in random.integers(0, 2, 2))
        angle = random.uniform(0, 6) + (1.2 if fast else 0.3) * np.arange(17)
        for step in range(int(random.integers(9, 18))):
            x = f"{10 + 3 * np.sin(angle[step]) + 20 * high:.3f}"
            rows.append(
                [str(step), f"m{number}", x, f"{np.cos(angle[step]):.3f}", f"{fast}", f"{high}"]
            )
    path = folder / "data.csv"
    path.write_text("".join(",".join(row) + "\n" for row in rows), "utf-8")
    return path


def motions(folder: Path, count: int = 26, only: str | None = None) -> Path:
    """Slow and fast waves of two values, of 9 to 17 steps; some values are missing."""
    random, rows = np.random.default_rng(19), [["step", "id", "ax", "ay", "label"]]
    for number in range(count):
        label = only or ("slow", "fast")[number % 2]
        angle = random.uniform(0, 6) + (1 if label == "fast" else 0.3) * np.arange(17)
        for step in range(int(random.integers(9, 18))):
            x = "" if random.random() < 0.05 else f"{10 + 3 * np.sin(angle[step]):.3f}"
            rows.append([str(step), f"m{number}", x, f"{np.cos(angle[step]):.3f}", label])
    path = folder / "data.csv"
    path.write_text("".join(",".join(row) + "\n" for row in rows), "utf-8")
    return path


def sales(folder: Path, count: int = 61) -> Path:
    """What two shops sell from day to day, more at the end of a week; some days are missing."""
    random, rows = np.random.default_rng(17), [["day", "shop", "sales"]]
    for shop, level in (("north", 50), ("south", 5)):
        for day in range(count):
            date = np.datetime64("2024-01-01") + day
            value = level * (1 + 0.3 * np.sin(day * 2 * np.pi / 7) + random.normal() / 20)
            rows.append([str(date), shop, "" if random.random() < 0.05 else f"{value:.3f}"])
    path = folder / "data.csv"
    path.write_text("".join(",".join(row) + "\n" for row in rows), "utf-8")
    return path


TONES = {"a": 500, "b": 1300, "c": 2900}  # hertz of each letter
TONE_RATE = 8000


def tones(text: str, seed: int = 0) -> np.ndarray:
    """A text as tones of 60 ms, one for each letter, with some noise; float32 samples."""
    random = np.random.default_rng(seed)
    time = np.arange(TONE_RATE * 60 // 1000) / TONE_RATE
    gap = np.zeros(TONE_RATE * 20 // 1000)
    parts = [part for letter in text for part in (gap, np.sin(2 * np.pi * TONES[letter] * time))]
    samples = np.concatenate([*parts, gap])
    return (0.5 * samples + 0.01 * random.normal(size=len(samples))).astype("float32")


def wav(path: Path, samples: np.ndarray, rate: int = TONE_RATE, channels: int = 1) -> Path:
    """Samples as a WAV file of 16 bits, the same in each channel."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        frames = np.repeat((samples * 32767).astype("<i2"), channels)
        file.writeframes(frames.tobytes())
    return path


def recordings(folder: Path, count: int = 37) -> Path:
    """A table of files with tones, and the letters that they stand for."""
    random = np.random.default_rng(19)
    rows = [("file", "transcript")]
    for number in range(count):
        text = "".join(random.choice(list(TONES), random.integers(1, 5)))
        wav(folder / f"{number}.wav", tones(text, number))
        rows.append((f"{number}.wav", text))
    return table(folder / "data.tsv", rows)
