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
    places = {word: place for place, (word, _) in enumerate(frequent)}
    there = np.zeros((len(rows), max(1, len(places))), "float32")
    for row, each in enumerate(words):
        there[row, [places[word] for word in each if word in places]] = 1
    units = there / np.maximum(np.linalg.norm(there, axis=1, keepdims=True), 1)
    return texts[rows[int((units @ units.sum(axis=0)).argmax())]]
