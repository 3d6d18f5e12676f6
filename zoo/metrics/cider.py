"""CIDEr: the similarity of captions to those of people, weighted by how rare their n-grams are."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

ORDER = 4  # length of the longest n-grams
DEVIATION = 6.0  # of lengths, in words
WORD = re.compile(r"\w+")

Ngram = tuple[str, ...]
Ngrams = list[Counter[Ngram]]  # by length


def cider(references: Sequence[Sequence[str]], predictions: Sequence[str]) -> list[float]:
    """CIDEr-D of each caption in percent; that of all is the mean.

    Words are compared in lower case, without punctuation. What is said of every image counts
    nothing, so that one image alone has a score of 0.

    Source: Vedantam et al. 2015, sections 4 and 6, with its published code.
    Formula: `10 exp(-(|c| - |s|)^2 / (2 6^2)) sum_g min(c_g, s_g) s_g / (|c_g| |s_g|)` for a
        caption c and a reference s; c_g and s_g are their counts of n-grams, times `log(N /
        images)` of the images whose references have them; the mean over n = 1..4 and references

    Args:
        references: The reference captions of each of N images.
        predictions: A caption of each image.

    Example:
        >>> each = cider([["a red hat", "the hat"], ["two dogs"]], ["A red hat!", "dogs"])
        >>> round(sum(each) / 2, 1)
        299.8
    """
    people = [[_ngrams(text) for text in texts] for texts in references]
    images = Counter(x for texts in people for x in {x for text in texts for n in text for x in n})

    def weighted(counts: Counter[Ngram]) -> dict[Ngram, float]:
        return {x: n * math.log(len(people) / max(1, images[x])) for x, n in counts.items()}

    def similarity(caption: Ngrams, reference: Ngrams) -> float:
        pairs = zip(caption, reference, strict=True)
        cosines = sum(_cosine(weighted(ours), weighted(theirs)) for ours, theirs in pairs)
        longer = caption[0].total() - reference[0].total()
        return cosines / ORDER * math.exp(-(longer**2) / (2 * DEVIATION**2))

    scores = []
    for text, others in zip(predictions, people, strict=True):
        caption = _ngrams(text)
        mean = sum(similarity(caption, other) for other in others) / len(others)
        scores.append(1000 * mean)
    return scores


def _ngrams(text: str) -> Ngrams:
    """The counts of n-grams of each length."""
    words = WORD.findall(text.lower())
    return [
        Counter(tuple(words[start : start + n]) for start in range(len(words) - n + 1))
        for n in range(1, ORDER + 1)
    ]


def _cosine(caption: Mapping[Ngram, float], reference: Mapping[Ngram, float]) -> float:
    """Of weights, of which no more count than the reference has."""
    common = caption.keys() & reference.keys()
    product = sum(min(caption[x], reference[x]) * reference[x] for x in common)
    lengths = math.hypot(*caption.values()) * math.hypot(*reference.values())
    return product / lengths if lengths else 0.0
