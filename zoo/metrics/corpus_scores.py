"""Scores of whole sets of texts, from what sacrebleu or a count of n-grams says of each text."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from sacrebleu.metrics import BLEU, TER

from zoo.metrics.measure import Measure, additive, divided

CHARACTERS = 6  # length of the longest n-grams of chrF
BETA = 2  # how much more recall weighs than precision in chrF


def bleu_of(
    references: Sequence[Sequence[str]], predictions: Sequence[str], order: int = 4
) -> Measure:
    """Corpus BLEU in percent, as computed by sacrebleu.

    Source: Papineni et al. 2002; Post 2018.

    Args:
        references: The correct texts of each row, at least one.
        predictions: The text of each row.
        order: Length of the longest n-grams.
    """
    scorer, counts = BLEU(max_ngram_order=order, force=True), []
    for texts, prediction in zip(references, predictions, strict=True):
        each = scorer.corpus_score([prediction], [[text] for text in texts])
        counts.append([each.sys_len, each.ref_len, *each.counts, *each.totals])

    def value(sums: np.ndarray) -> float:
        predicted, correct, *rest = sums.astype(int).tolist()
        score: float = BLEU.compute_bleu(
            rest[:order],
            rest[order:],
            predicted,
            correct,
            smooth_method="exp",
            max_ngram_order=order,
        ).score
        return score

    return additive(
        np.array(counts, np.float64), lambda sums: np.array([value(row) for row in sums])
    )


def ter_of(references: Sequence[Sequence[str]], predictions: Sequence[str]) -> Measure:
    """Translation edit rate in percent, as computed by sacrebleu.

    Source: Snover et al. 2006.
    Formula: `100 edits / words of the references`; 100 if these have none, 0 without edits
    """
    scorer, counts = TER(), []
    for texts, prediction in zip(references, predictions, strict=True):
        each = scorer.corpus_score([prediction], [[text] for text in texts])
        counts.append([each.num_edits, each.ref_length])

    def value(sums: np.ndarray) -> np.ndarray:
        edits, length = sums.T
        return 100 * np.where(length > 0, divided(edits, length), edits > 0)

    return additive(np.array(counts, np.float64), value)


def chrf_of(references: Sequence[Sequence[str]], predictions: Sequence[str]) -> Measure:
    """Corpus chrF in percent, equal to that of sacrebleu.

    Of several references of a text, that with the best chrF counts.

    Source: Popovic 2015, with the averages over n-grams of sacrebleu.
    Formula: `(1 + 4) P R / (4 P + R)` with the means P and R of the precisions and recalls of
        n-grams of 1 to 6 characters without spaces
    """
    counts = []
    for texts, prediction in zip(references, predictions, strict=True):
        own = _ngrams(prediction)
        every = np.array([_common(own, _ngrams(text)) for text in texts], np.float64)
        counts.append(every[_chrf(every).argmax()])
    return additive(np.array(counts), _chrf)


def _ngrams(text: str) -> list[Counter[str]]:
    """The n-grams of the characters of a text, by length."""
    line = "".join(text.split())
    return [
        Counter(line[start : start + n] for start in range(len(line) - n + 1))
        for n in range(1, CHARACTERS + 1)
    ]


def _common(predicted: list[Counter[str]], correct: list[Counter[str]]) -> list[int]:
    """Of each length the number of predicted n-grams, of correct ones, and of common ones."""
    counts = []
    for ours, theirs in zip(predicted, correct, strict=True):
        counts += [ours.total() if theirs else 0, theirs.total(), (ours & theirs).total()]
    return counts


def _chrf(sums: np.ndarray) -> np.ndarray:
    """chrF of counts (R, 18)."""
    predicted, correct, common = sums.reshape(len(sums), CHARACTERS, 3).transpose(2, 0, 1)
    there = (predicted > 0) & (correct > 0)  # lengths that count
    precision, recall = (
        divided((divided(common, whole, otherwise=0) * there).sum(1), there.sum(1), otherwise=0)
        for whole in (predicted, correct)
    )
    weight = BETA**2
    part, whole = (1 + weight) * precision * recall, weight * precision + recall
    return 100 * divided(part, whole, otherwise=0)
