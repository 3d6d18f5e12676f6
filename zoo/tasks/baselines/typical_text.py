"""The most typical of many texts, such as the caption that is most like all others."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from zoo.tasks.baselines.sampling import sampled

TEXTS = 2_000  # maximum number of texts that are compared
WORDS = 2_000  # number of most frequent words that are compared


def typical_text(texts: Sequence[str]) -> str:
    """The text with the highest mean cosine similarity to all, by the words that it has.

    Example:
        >>> typical_text(["a dog runs", "a dog runs in snow", "snow in may"])
        'a dog runs in snow'
    """
    rows = sampled(len(texts), TEXTS)
    words = [set(texts[row].lower().split()) for row in rows]
    frequent = Counter(word for each in words for word in each).most_common(WORDS)
    columns = {word: column for column, (word, _) in enumerate(frequent)}
    contains = np.zeros((len(rows), max(1, len(columns))), "float32")
    for row, each in enumerate(words):
        contains[row, [columns[word] for word in each if word in columns]] = 1
    units = contains / np.maximum(np.linalg.norm(contains, axis=1, keepdims=True), 1)
    return texts[rows[int((units @ units.sum(axis=0)).argmax())]]
