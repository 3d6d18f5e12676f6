"""ROUGE of generated headlines, beside the first sentence and the first three.

    python -m benchmarks.newsgroups --news 20news/ --out news/
    keras-attn predict runs/headlines --file news/texts.txt --max-new-tokens 12 > headlines.txt
    python -m benchmarks.headlines --data news/headlines-test.tsv --predictions headlines.txt

ROUGE is the mean F1 that rouge-score computes, without stemming.
"""

import argparse
import csv
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from rouge_score.rouge_scorer import RougeScorer

from zoo.tasks.baselines.pairs import lead

KINDS = ("rouge1", "rouge2", "rougeL")
SIMPLE: dict[str, Callable[[str], str]] = {
    "first sentence": lambda text: lead(text, 1),
    "first three sentences": lambda text: lead(text, 3),
    "first 8 words": lambda text: " ".join(text.split()[:8]),
}


def rouge(references: Sequence[str], predictions: Sequence[str]) -> dict[str, float]:
    """The mean F1 of each kind, in percent.

    Example:
        >>> round(rouge(["a red hat"], ["a hat"])["rouge1"])
        80
    """
    scorer = RougeScorer(KINDS)
    rows = [scorer.score(*row) for row in zip(references, predictions, strict=True)]
    return {kind: 100 * float(np.mean([row[kind].fmeasure for row in rows])) for kind in KINDS}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="Table with text and summary.")
    parser.add_argument("--predictions", type=Path, help="A generated headline on each line.")
    given = parser.parse_args()
    with given.data.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    expected = [row["summary"] for row in rows]
    every = {name: [shorten(row["text"]) for row in rows] for name, shorten in SIMPLE.items()}
    if given.predictions is not None:
        every["model"] = given.predictions.read_text("utf-8").splitlines()
    for name, texts in every.items():
        scores = rouge(expected, texts)
        words = np.mean([len(text.split()) for text in texts])
        print(f"{name:24}" + "".join(f"{kind} {x:5.1f}  " for kind, x in scores.items()), end="")
        print(f"{words:.1f} words")


if __name__ == "__main__":
    main()
