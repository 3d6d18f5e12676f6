"""German words to tag with their capitals, which all nouns have, and the most frequent tag of each.

    python -m benchmarks.capitals train.en-de.tsv test2016.en-de.tsv --out capitals/ --count 5000

The German side of each file becomes a file of tagged words in the folder, such as train.conll:
words in lower case, with the tag B-CAPITAL where the text has a capital, and O elsewhere.
"""

import argparse
import json
import re
from collections import Counter
from pathlib import Path

from zoo.data.readers.pairs import read_pairs
from zoo.metrics.tags import TagRows
from zoo.registry.metrics import TAGS
from zoo.tasks.measuring import default_values

Tagged = tuple[list[str], list[str]]
WORD = re.compile(r"\w+|[^\w\s]")
CAPITAL, OTHER = "B-CAPITAL", "O"


def main() -> None:
    """Writes both files, and prints the scores of the most frequent tag of each word."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("train", type=Path, help="pairs of English and German texts")
    parser.add_argument("test", type=Path, help="other pairs")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--count", type=int, help="sentences to train on; default: all")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    train, test = (
        [tagged(text) for text in read_pairs(path).targets] for path in (given.train, given.test)
    )
    train = train[: given.count]
    for path, sentences in ((given.train, train), (given.test, test)):
        write(given.out / f"{path.name.split('.')[0]}.conll", sentences)
    found = most_frequent(train, [words for words, _ in test])
    rows = TagRows([tags for _, tags in test], found)
    print(json.dumps(default_values({TAGS: lambda: rows})))


def tagged(text: str) -> Tagged:
    """The words of a text in lower case, and their tags.

    Example:
        >>> tagged("Der Hund bellt.")
        (['der', 'hund', 'bellt', '.'], ['B-CAPITAL', 'B-CAPITAL', 'O', 'O'])
    """
    words = WORD.findall(text)
    tags = [CAPITAL if word[0].isupper() else OTHER for word in words]
    return [word.lower() for word in words], tags


def write(path: Path, sentences: list[Tagged]) -> None:
    """Writes a word and its tag on each line, and a blank line after each sentence."""
    blocks = ("".join(map("{}\t{}\n".format, words, tags)) for words, tags in sentences)
    path.write_text("\n".join(blocks), encoding="utf-8")


def most_frequent(train: list[Tagged], sentences: list[list[str]]) -> list[list[str]]:
    """The most frequent tag of each word in the training data, and of all words for new ones."""
    known: dict[str, Counter[str]] = {}
    for words, tags in train:
        for word, tag in zip(words, tags, strict=True):
            known.setdefault(word, Counter())[tag] += 1
    every = sum(known.values(), Counter())
    return [[known.get(word, every).most_common(1)[0][0] for word in words] for words in sentences]


if __name__ == "__main__":
    main()
