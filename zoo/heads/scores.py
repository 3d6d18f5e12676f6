"""Evaluation metrics for texts, labels and similarities."""

from collections.abc import Sequence

import numpy as np

from keras_attn.metrics.corpus import BLEU
from zoo.heads.cider import cider
from zoo.metrics import label_sets, labels, texts, values
from zoo.metrics.label_sets import LabelSetRows
from zoo.metrics.labels import LabelRows
from zoo.metrics.measure import values_of
from zoo.metrics.texts import TextRows
from zoo.metrics.values import ValueRows


def score_texts(references: Sequence[str], predictions: Sequence[str]) -> dict[str, float]:
    """Corpus BLEU and chrF in percent, as computed by sacrebleu, and the fraction of exact matches.

    Args:
        references: Reference texts.
        predictions: Predicted texts.

    Returns:
        Dictionary of `bleu`, `chrf` and `exact_match`.

    Example:
        >>> score_texts(["a man in a red hat"], ["a man in a red hat"])["exact_match"]
        1.0
    """
    rows = TextRows([[text] for text in references], predictions)
    return values_of(rows, texts.bleu, texts.chrf, texts.exact_match)


def score_transcripts(references: Sequence[str], predictions: Sequence[str]) -> dict[str, float]:
    """Word and character error rate, as computed by jiwer, and the fraction of exact matches.

    Args:
        references: What was said, at least one.
        predictions: What was recognized.

    Returns:
        Dictionary of `word_error_rate`, `character_error_rate` and `exact_match`.

    Raises:
        UserError: If jiwer is not installed.

    Example:
        >>> score_transcripts(["one two", "six"], ["one too", "six"])["character_error_rate"]
        0.1
    """
    rows = TextRows([[text] for text in references], predictions)
    return values_of(rows, texts.word_error_rate, texts.character_error_rate, texts.exact_match)


def score_captions(
    references: Sequence[Sequence[str]], predictions: Sequence[str]
) -> dict[str, float]:
    """Corpus BLEU of n-grams up to 1, 2, 3 and 4 as computed by sacrebleu, and CIDEr, in percent.

    Args:
        references: The reference texts of each prediction.
        predictions: Predicted texts.

    Returns:
        Dictionary of `bleu_1` to `bleu_4`, and `cider`.

    Example:
        >>> scores = score_captions([["a red hat", "the hat"]], ["a hat"])
        >>> round(scores["bleu_1"], 1), round(scores["bleu_2"], 1)
        (100.0, 70.7)
    """
    scores = {}
    for order in range(1, 5):
        metric = BLEU(max_ngram_order=order)
        metric.update_state(references, predictions)
        scores[f"bleu_{order}"] = float(metric.result())
    return {**scores, "cider": cider(references, predictions)}


def score_labels(references: Sequence[str], predictions: Sequence[str]) -> dict[str, float]:
    """Accuracy, and macro-averaged F1 over the labels that occur in the references.

    Source: Manning et al. 2008, "Introduction to Information Retrieval", section 13.6.
    Formula: `F1 = 2 TP / (2 TP + FP + FN)` of each label

    Args:
        references: True labels.
        predictions: Predicted labels.

    Returns:
        Dictionary of `accuracy` and `macro_f1`.

    Example:
        >>> scores = score_labels(["a", "a", "b", "b"], ["a", "b", "b", "b"])
        >>> scores["accuracy"], round(scores["macro_f1"], 3)
        (0.75, 0.733)
    """
    names = sorted(set(references))
    rows = LabelRows(references, predictions, names, np.zeros((len(references), len(names))))
    return values_of(rows, labels.accuracy, labels.macro_f1)


def score_label_lists(
    references: Sequence[Sequence[str]], predictions: Sequence[Sequence[str]]
) -> dict[str, float]:
    """Micro-averaged F1 of all labels, and the fraction of rows of which all labels are right.

    Source: Manning et al. 2008, "Introduction to Information Retrieval", section 13.6.
    Formula: `F1 = 2 TP / (2 TP + FP + FN)` over the labels of all rows

    Args:
        references: The true labels of each row.
        predictions: The predicted labels of each row.

    Returns:
        Dictionary of `micro_f1` and `accuracy`.

    Example:
        >>> scores = score_label_lists([["a", "b"], ["a"], []], [["a"], ["a"], ["b"]])
        >>> round(scores["micro_f1"], 3), round(scores["accuracy"], 3)
        (0.667, 0.333)
    """
    names = sorted({label for row in (*references, *predictions) for label in row})
    rows = LabelSetRows(references, predictions, names)
    return values_of(rows, label_sets.micro_f1, label_sets.accuracy)


def score_likeness(references: np.ndarray, predictions: np.ndarray) -> dict[str, float]:
    """Spearman and Pearson correlation.

    Source: Spearman 1904; equal numbers get the mean of their ranks.
    Formula: `pearson = cov(r, p) / (std(r) std(p))`; `spearman` is the Pearson correlation of the
        ranks; 0 if the references or the predictions are constant

    Args:
        references: True numbers, (B,).
        predictions: Predicted numbers, (B,).

    Returns:
        Dictionary of `spearman` and `pearson`.

    Example:
        >>> score_likeness(np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.9]))["spearman"]
        1.0
    """
    rows = ValueRows(np.asarray(references)[:, None], np.asarray(predictions)[:, None], [""])
    return values_of(rows, values.spearman, values.pearson)
