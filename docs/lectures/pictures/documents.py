"""The picture of the words and sentences that decide the class of a document."""

import random
import tempfile
from pathlib import Path

from matplotlib.axes import Axes

import zoo
from docs.lectures.pictures import style
from zoo.attention_map import AttentionMap
from zoo.tasks.task import Task

PLACES = "hotel museum bakery theater garden station library market".split()
NEUTRAL = (
    "we went to the {} on a monday .",
    "the {} is near the river .",
    "there were many people at the {} .",
    "my brother told me about this {} .",
    "it takes ten minutes to the {} .",
)
JUDGING = ("the {} was {} .", "i found the {} {} .", "everybody said that the {} is {} .")
WORDS = {
    "good": "wonderful lovely excellent charming".split(),
    "bad": "dreadful awful boring dirty".split(),
}
COUNT, EPOCHS = 1500, 12


def document(rng: random.Random) -> tuple[str, str]:
    """Three to five sentences, of which one judges, and its label."""
    label, place = rng.choice([*WORDS]), rng.choice(PLACES)
    sentences = [form.format(place) for form in rng.sample(NEUTRAL, rng.randint(2, 4))]
    judgment = rng.choice(JUDGING).format(place, rng.choice(WORDS[label]))
    sentences.insert(rng.randint(0, len(sentences)), judgment)
    return " ".join(sentences), label


def trained() -> Task:
    """A hierarchical attention network that learned the label of such documents."""
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        for name, count in {"train": COUNT, "val": 100}.items():
            lines = ("\t".join(document(rng)) + "\n" for _ in range(count))
            (Path(folder) / f"{name}.tsv").write_text("".join(lines), encoding="utf-8")
        task = zoo.TextClassifier(model="han", preset="tiny")
        task.adapt(Path(folder) / "train.tsv")
        task.fit(
            Path(folder) / "train.tsv",
            validation_data=Path(folder) / "val.tsv",
            epochs=EPOCHS,
            learning_rate=3e-3,
            xla=False,
            seed=0,
        )
    return task


def documents() -> None:
    """Two documents, with their sentences and words colored by their weights."""
    task = trained()
    rng = random.Random(7)
    figure = style.figure(9.6, 3.4)
    for axes in figure.subplots(2, 1):
        text, label = document(rng)
        (sentences,) = task.attention(text, part="sentences")
        axes.set_title(f"label: {label}; predicted: {task.predict([text])[0]}", loc="left")
        _draw(axes, task.attention(text, part="words"), sentences.mean()[0])
    style.save(figure, "documents")


def _draw(axes: Axes, words: list[AttentionMap], sentences) -> None:
    """A line for each sentence: a bar as long as its weight, then its words on their weights."""
    for line, (found, weight) in enumerate(zip(words, sentences, strict=True)):
        axes.barh(line, -2.2 * weight, color=style.RED, height=0.7)
        axes.text(0.08, line, f"{weight:.2f}", va="center", fontsize=9)
        for place, (word, share) in enumerate(
            zip(found.source_tokens, found.mean()[0], strict=True)
        ):
            axes.barh(
                line, 0.96, left=0.6 + place, color=style.BLUE, alpha=min(1, share), height=0.8
            )
            color = "white" if share > 0.6 else "black"
            axes.text(1.08 + place, line, word, ha="center", va="center", fontsize=9, color=color)
    axes.set(xlim=(-2.3, 10.2), ylim=(len(words) - 0.5, -0.5), xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
