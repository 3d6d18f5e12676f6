"""How well the scores of the default text classifier fit labels that it has not seen.

    python -m benchmarks.probabilities train.tsv val.tsv test.tsv

Prints a row of a table: the temperature that training fits to the validation data, and on the test
data the log loss, the expected calibration error (15 bins of equal width of the highest score) and
the share of highest scores above 0.99, each at temperature 1 and at that temperature; beside them
the log loss of logistic regression on TF-IDF features of words, fitted to the training data.

Source: Guo et al. 2017, section 2 (expected calibration error) and 4.2 (temperature).
Formula: `ECE = sum_b |b| / N |accuracy(b) - mean score(b)|` over bins b
"""

import argparse

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import zoo
from zoo.bench.machine import machine
from zoo.data.readers.labels import read_labeled

BINS = 15
SURE = 0.99


def main() -> None:
    """Trains the classifier, and prints the row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("train", "validation", "test"):
        parser.add_argument(name, help="labeled texts")
    given = parser.parse_args()
    task = zoo.TextClassifier()
    task.fit(given.train, given.validation, verbose=False)
    test, train = read_labeled(given.test), read_labeled(given.train)
    labels = np.array([task.labels.index(each) for each in test.labels])
    after, scaling = task.predict_proba(test.texts), task.scaling
    plain = after**scaling.temperature  # the softmax of the same logits, not divided
    before = plain / plain.sum(axis=1, keepdims=True)
    vectorizer = TfidfVectorizer(sublinear_tf=True)
    linear = LogisticRegression(C=10, max_iter=1000)
    linear.fit(vectorizer.fit_transform(train.texts), train.labels)
    order = [linear.classes_.tolist().index(each) for each in task.labels]
    peer = linear.predict_proba(vectorizer.transform(test.texts))[:, order]
    pairs = [
        f"{measure(before, labels):.3f} → {measure(after, labels):.3f}"
        for measure in (log_loss, calibration_error, sure)
    ]
    accuracy = (after.argmax(axis=1) == labels).mean()
    cells = [f"{scaling.temperature:.2f}", f"{accuracy:.3f}", *pairs]
    facts = machine()
    print(f"{facts['processor']}, load {facts['load']:.0f}")
    print("| temperature | accuracy | log loss | ECE | above 0.99 | logistic regression |")
    print(f"| {' | '.join([*cells, f'{log_loss(peer, labels):.3f}'])} |")


def log_loss(scores: np.ndarray, labels: np.ndarray) -> float:
    """The mean negative logarithm of the score of the label.

    Example:
        >>> round(log_loss(np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([0, 1])), 3)
        0.49
    """
    own = scores[np.arange(len(labels)), labels]
    return float(-np.log(np.maximum(own, 1e-12)).mean())


def calibration_error(scores: np.ndarray, labels: np.ndarray) -> float:
    """The expected calibration error.

    Example:
        >>> scores = np.array([[0.75, 0.25], [0.25, 0.75]])
        >>> calibration_error(scores, np.array([0, 0]))
        0.25
    """
    highest, right = scores.max(axis=1), scores.argmax(axis=1) == labels
    bins = np.minimum((highest * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, right.astype(float) - highest, BINS)
    return float(np.abs(gaps).sum() / len(labels))


def sure(scores: np.ndarray, labels: np.ndarray) -> float:
    """The share of rows whose highest score is above 0.99."""
    return float((scores.max(axis=1) > SURE).mean())


if __name__ == "__main__":
    main()
