"""The default text classifier beside simple models, on subsets of labeled texts.

    python -m benchmarks.small_data train.tsv test.tsv --sizes 100 400 1600

The simple models are those that `evaluate` shows: the most frequent label, and logistic regression
on TF-IDF weights. Subsets are drawn at random; each number is the mean over the seeds.
"""

import argparse
import random
import statistics
import time

import zoo
from zoo.data.readers.labels import read_labeled

SCORES = ("majority_accuracy", "tfidf_accuracy", "accuracy")


def main() -> None:
    """Prints a row for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("train", help="labeled texts to draw subsets from")
    parser.add_argument("test", help="labeled texts to evaluate on")
    parser.add_argument("--sizes", type=int, nargs="+", help="texts of each subset; default: all")
    parser.add_argument("--seeds", type=int, default=3, help="subsets of each size")
    parser.add_argument("--model", default=None, help="default: that of the text classifier")
    given = parser.parse_args()
    examples = read_labeled(given.train)
    rows = list(zip(examples.texts, examples.labels, strict=True))
    test = read_labeled(given.test)
    held_out = list(zip(test.texts, test.labels, strict=True))
    print("texts", *SCORES, "seconds", sep="\t", flush=True)
    for size in given.sizes or [len(rows)]:
        found = []
        for seed in range(given.seeds if size < len(rows) else 1):
            subset = random.Random(seed).sample(rows, size)
            begin = time.perf_counter()
            task = zoo.TextClassifier(given.model, labels=sorted(set(examples.labels)))
            task.adapt(subset)
            task.fit(subset, verbose=False)
            seconds = time.perf_counter() - begin
            scores = task.evaluate(held_out)
            found.append([scores[name] for name in SCORES] + [seconds])
        means = [statistics.mean(column) for column in zip(*found, strict=True)]
        print(
            size, *(f"{100 * mean:.1f}" for mean in means[:-1]), f"{means[-1]:.0f}",
            sep="\t", flush=True,
        )  # fmt: skip


if __name__ == "__main__":
    main()
