"""Metrics of generated texts beside correct ones."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.errors import UserError
from zoo.metrics.cider import cider
from zoo.metrics.corpus_scores import bleu_of, chrf_of, ter_of
from zoo.metrics.measure import Measures, share

NO_PACKAGE = "{} requires {}: pip install 'keras-attn[metrics]'"


@dataclass(frozen=True)
class TextRows:
    """Rows with a generated text, and one or several correct texts.

    Args:
        references: The correct texts of each row, at least one.
        predictions: The generated texts.
    """

    references: Sequence[Sequence[str]]
    predictions: Sequence[str]

    def __len__(self) -> int:
        return len(self.references)

    @property
    def expected(self) -> list[Any]:
        """The correct texts."""
        return [[*texts] for texts in self.references]

    def best(self, score: Callable[[str, str], float]) -> np.ndarray:
        """The best score of each row over its references, (N,)."""
        rows = zip(self.references, self.predictions, strict=True)
        return np.array(
            [max(score(text, prediction) for text in texts) for texts, prediction in rows]
        )


def bleu(rows: TextRows) -> Measures:
    """Corpus BLEU in percent, as computed by sacrebleu.

    Source: Papineni et al. 2002; Post 2018.
    """
    return {"bleu": bleu_of(rows.references, rows.predictions)}


def bleu_1(rows: TextRows) -> Measures:
    """Corpus BLEU of single words, in percent."""
    return {"bleu_1": bleu_of(rows.references, rows.predictions, 1)}


def bleu_2(rows: TextRows) -> Measures:
    """Corpus BLEU of n-grams of up to 2 words, in percent."""
    return {"bleu_2": bleu_of(rows.references, rows.predictions, 2)}


def bleu_3(rows: TextRows) -> Measures:
    """Corpus BLEU of n-grams of up to 3 words, in percent."""
    return {"bleu_3": bleu_of(rows.references, rows.predictions, 3)}


def bleu_4(rows: TextRows) -> Measures:
    """Corpus BLEU of n-grams of up to 4 words, in percent; the same as `bleu`."""
    return {"bleu_4": bleu_of(rows.references, rows.predictions)}


def consensus(rows: TextRows) -> Measures:
    """CIDEr-D in percent; see `zoo.metrics.cider`. Resamples keep the weights of words."""
    return {"cider": share(np.array(cider(rows.references, rows.predictions)))}


def chrf(rows: TextRows) -> Measures:
    """Corpus chrF in percent, as computed by sacrebleu.

    Source: Popovic 2015.
    """
    return {"chrf": chrf_of(rows.references, rows.predictions)}


def ter(rows: TextRows) -> Measures:
    """Translation edit rate in percent, as computed by sacrebleu: lower is better.

    Source: Snover et al. 2006.
    """
    return {"ter": ter_of(rows.references, rows.predictions)}


def exact_match(rows: TextRows) -> Measures:
    """The fraction of texts that equal a reference."""
    return {"exact_match": share(rows.best(lambda text, prediction: float(text == prediction)))}


def token_f1(rows: TextRows) -> Measures:
    """The mean F1 of the words of a text, against the reference that gives the best one.

    Words stand between spaces; upper and lower case differ.

    Source: Rajpurkar et al. 2016, section 6.1, without its normalization of English.
    Formula: `2 c / (m + n)` with m words, n in the reference, and c in both
    """
    return {"token_f1": share(rows.best(_overlap))}


def rouge_1(rows: TextRows) -> Measures:
    """The mean F1 of words, as computed by rouge-score: words of a-z and 0-9, in lower case.

    Source: Lin 2004.
    """
    return _rouge("rouge_1", "rouge1", rows)


def rouge_2(rows: TextRows) -> Measures:
    """The mean F1 of pairs of words, as computed by rouge-score.

    Source: Lin 2004.
    """
    return _rouge("rouge_2", "rouge2", rows)


def rouge_l(rows: TextRows) -> Measures:
    """The mean F1 of the longest common subsequence of words, as computed by rouge-score.

    Source: Lin 2004.
    """
    return _rouge("rouge_l", "rougeL", rows)


def word_error_rate(rows: TextRows) -> Measures:
    """The number of wrong, missing and added words, by the number of words of the references.

    Source: Morris et al. 2004, section 2; computed by jiwer.
    """
    return _error_rate("word_error_rate", lambda jiwer: jiwer.process_words, rows)


def character_error_rate(rows: TextRows) -> Measures:
    """The number of wrong, missing and added characters, by the number of those in references."""
    return _error_rate("character_error_rate", lambda jiwer: jiwer.process_characters, rows)


def _rouge(name: str, kind: str, rows: TextRows) -> Measures:
    try:
        from rouge_score.rouge_scorer import RougeScorer  # imported late: it is optional
    except ImportError:
        raise UserError(NO_PACKAGE.format("ROUGE", "rouge-score")) from None
    scorer = RougeScorer([kind])
    return {
        name: share(
            rows.best(lambda text, prediction: scorer.score(text, prediction)[kind].fmeasure)
        )
    }


def _error_rate(name: str, choose: Callable[[Any], Callable[..., Any]], rows: TextRows) -> Measures:
    try:
        import jiwer  # imported late: it is optional
    except ImportError:
        raise UserError(NO_PACKAGE.format("the word error rate", "jiwer")) from None
    process, errors, length = choose(jiwer), [], []
    for (text,), prediction in zip(rows.references, rows.predictions, strict=True):
        counts = process(text, prediction)
        errors.append(counts.substitutions + counts.deletions + counts.insertions)
        length.append(counts.hits + counts.substitutions + counts.deletions)
    return {name: share(np.array(errors), np.array(length))}


def _overlap(text: str, prediction: str) -> float:
    """The F1 of the words of two texts; 1 if both have none."""
    ours, theirs = Counter(text.split()), Counter(prediction.split())
    both, every = (ours & theirs).total(), ours.total() + theirs.total()
    return 2 * both / every if every else 1.0
