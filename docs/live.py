"""Small models that run inside the site: trained on data made here, exported as pages.

`python -m docs.live` trains the three models again, and writes what the site has of them to
docs/live; `python -m docs.live NAME` one of them.
"""

import html
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

import export
import zoo
from docs import live_pages
from zoo.tasks.task import Task

KEPT = ("model.tflite", "tokens.json")  # files of a page that the site takes as they are
SEED = 7
THINGS = "coat lamp book phone table bike jacket chair watch bag".split()
MESSAGES = {
    "order": ("where is my {}", "has the {} been sent", "when will the {} arrive", "track my {}"),
    "return": (
        "the {} does not fit",
        "I want to send the {} back",
        "the {} is broken",
        "can I exchange the {}",
    ),
    "payment": (
        "I paid the {} twice",
        "the invoice of the {} is wrong",
        "can I pay the {} by card",
        "refund the money for the {}",
    ),
}
NAMES = "Ada Alan Grace Katherine Edsger Barbara Donald Frances".split()
PLACES = "Paris Oslo Lima Kyoto Nairobi Quito Lisbon Delhi".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
SENTENCES = (
    "{p} flies to {l} on {d}",
    "on {d} {p} met {p} in {l}",
    "the train from {l} to {l} leaves on {d}",
    "{p} and {p} are in {l} until {d}",
    "is {p} back from {l} by {d} ?",
)
TAGS = {"p": ("person", NAMES), "l": ("place", PLACES), "d": ("day", DAYS)}
SIDE = 32  # pixels of an image
SHAPES = ("circle", "square", "triangle", "cross")


def messages() -> Task:
    """What a message to a shop is about."""
    rows = [
        (text.format(thing), label)
        for label, texts in MESSAGES.items()
        for text in texts
        for thing in THINGS
    ]
    shuffled = [rows[i] for i in np.random.default_rng(SEED).permutation(len(rows))]
    task = zoo.TextClassifier(num_buckets=4096)
    task.fit(shuffled, epochs=30, xla=False, verbose=False)
    return task


def tagged(rng: np.random.Generator, count: int) -> list[tuple[list[str], list[str]]]:
    """The words of sentences with their tags."""

    def word(text: str) -> tuple[str, str]:
        tag, choices = TAGS.get(text.strip("{}"), ("O", [text]))
        return (str(rng.choice(choices)), tag) if text.startswith("{") else (text, "O")

    rows = [[word(x) for x in str(rng.choice(SENTENCES)).split()] for _ in range(count)]
    return [([text for text, _ in row], [tag for _, tag in row]) for row in rows]


def places() -> Task:
    """Persons, places and days in a sentence."""
    task = zoo.TokenTagger(
        tokenizer="words",
        hidden_dim=32,
        intermediate_dim=64,
        num_heads=4,
        num_layers=1,
        max_sequence_length=32,
    )
    rows = tagged(np.random.default_rng(SEED), 600)
    task.fit(rows, epochs=25, learning_rate=5e-3, xla=False, verbose=False)
    return task


def drawn(shape: str, rng: np.random.Generator) -> np.ndarray:
    """A shape as an image (32, 32, 1): light on dark, anywhere, of any size and angle."""
    size, angle = rng.uniform(7, 13), rng.uniform(-0.35, 0.35)
    center = rng.uniform(size + 1, SIDE - size - 1, 2)
    y, x = np.mgrid[:SIDE, :SIDE] - center[:, None, None]
    u, v = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    inside = {
        "circle": u**2 + v**2 < size**2,
        "square": np.maximum(abs(u), abs(v)) < 0.85 * size,
        "triangle": (v < 0.7 * size) & (abs(u) < 0.6 * (v + size)),
        "cross": (np.minimum(abs(u), abs(v)) < 0.3 * size) & (np.maximum(abs(u), abs(v)) < size),
    }[shape]
    image = np.where(inside, rng.uniform(160, 255), rng.uniform(0, 70))
    return np.clip(image + rng.normal(0, 9, image.shape), 0, 255).astype(np.uint8)[..., None]


def images(rng: np.random.Generator, count: int) -> list[tuple[np.ndarray, str]]:
    """So many images of each shape, with their names."""
    return [(drawn(shape, rng), shape) for _ in range(count) for shape in SHAPES]


def shapes() -> Task:
    """The shape in an image."""
    task = zoo.ImageClassifier(preset="cnn", image_size=f"{SIDE}x{SIDE}")
    rows = images(np.random.default_rng(SEED), 240)
    task.fit(rows, epochs=40, xla=False, verbose=False)
    return task


MODELS: dict[str, Callable[[], Task]] = {"messages": messages, "places": places, "shapes": shapes}


def page_of(name: str, folder: Path) -> Task:
    """Trains a model, and writes its page.

    Args:
        name: Its name.
        folder: The folder of the page; replaced.

    Returns:
        The trained task.
    """
    task = MODELS[name]()
    with tempfile.TemporaryDirectory() as temporary:
        run, site = Path(temporary) / name, Path(temporary) / "site"
        task.save(run)
        length = None if name == "shapes" else 16
        report = export.web(zoo.load(run), site, **({} if length is None else {"length": length}))
        assert report.passed, report
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for each in KEPT:
            if (site / each).exists():
                shutil.copy(site / each, folder / each)
        page = (site / "index.html").read_text("utf-8")
    known = dict(zip(("title", "lead", "facts"), told(page), strict=True))
    if name == "shapes":
        for image, shape in images(np.random.default_rng(SEED + 1), 1):
            Image.fromarray(image[..., 0]).save(folder / f"{shape}.png")
    text = json.dumps(known, indent=1, ensure_ascii=False) + "\n"
    (folder / live_pages.FACTS).write_text(text, "utf-8")
    return task


def told(page: str) -> tuple[str, str, dict[str, object]]:
    """The title, the lead and the facts that `page_files` made a page of."""
    title, lead = (
        html.unescape(re.findall(rf"<{tag}>(.*?)</", page)[0]) for tag in ("h1", 'p class="lead"')
    )
    facts = re.findall(r'id="facts">(.*?)</script>', page, re.DOTALL)[0]
    return title, lead, json.loads(facts)


if __name__ == "__main__":
    for each in sys.argv[1:] or MODELS:
        page_of(each, live_pages.LIVE / each)
