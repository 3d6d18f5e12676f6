"""Linear models on words, on n-grams of characters, and on both: what both together are worth.

python -m benchmarks.words_and_characters train.tsv test.tsv --rows 1000
"""

import argparse
import random

from scipy.sparse import hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from zoo.data.readers.labels import read_labeled


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("train", help="table of texts and labels")
    parser.add_argument("test", help="the same, to evaluate on")
    parser.add_argument("--rows", type=int, help="number of texts to train on; default all")
    options = parser.parse_args()
    train, test = read_labeled(options.train), read_labeled(options.test)
    rows = list(zip(train.texts, train.labels, strict=True))
    rows = random.Random(0).sample(rows, min(options.rows or len(rows), len(rows)))
    texts, labels = zip(*rows, strict=True)
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"\w+|[^\w\s]")
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 4), sublinear_tf=True)
    learned = [each.fit_transform(texts) for each in (words, characters)]
    tested = [each.transform(test.texts) for each in (words, characters)]
    learned, tested = ([*each, hstack(each).tocsr()] for each in (learned, tested))
    for name, x, z in zip(("words", "characters", "both"), learned, tested, strict=True):
        model = LogisticRegression(C=10, max_iter=200).fit(x, labels)
        print(f"{name}: {100 * model.score(z, test.labels):.1f}")


if __name__ == "__main__":
    main()
