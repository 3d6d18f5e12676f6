"""Scores of translated texts, computed by sacrebleu so that they equal published numbers."""

import itertools
from typing import Any

from keras_attn.metrics.corpus_score import CorpusScore


def _sacrebleu() -> Any:
    import sacrebleu.metrics  # who only wants layers does not wait for it

    return sacrebleu.metrics


class _SacreScore(CorpusScore):
    """A score of sacrebleu's, from 0 to 100."""

    def __init__(self, scorer: Any, name: str, sentence_mean: bool = False) -> None:
        super().__init__(name, sentence_mean)
        self._scorer = scorer

    def score(self, references: list[list[str]], predictions: list[str]) -> float:
        # sacrebleu takes one list for each reference number, None where a text has fewer.
        streams = list(itertools.zip_longest(*references))
        return self._scorer.corpus_score(predictions, streams).score


class BLEU(_SacreScore):
    """Corpus BLEU of predicted texts, the very number sacrebleu gives.

    Source: Papineni et al. 2002; Post 2018, "A Call for Clarity in Reporting BLEU Scores".
    Formula: `100 min(1, exp(1 - r / c)) (p_1 p_2 p_3 p_4)^(1/4)` with p_n the clipped n-gram
        precision over the corpus, c and r the lengths of predictions and references; with
        sentence_mean its mean over sentences, each taken as a corpus.

    Args:
        tokenize: sacrebleu's tokenization, as "13a" (its default), "intl", "zh", "char", "none".
        lowercase: ignore case.
        sentence_mean: take the mean of the scores of the sentences instead of the score of the
            corpus. Where a sentence has no match of some n, half of one is counted, a quarter for
            the next such n and so on; n longer than the sentence are left out.
        name: name of the metric.

    Inputs: references, a list of B texts (or of lists of texts); predictions, a list of B texts.
    Outputs: a float from 0 to 100.

    Raises:
        ImportError: if sacrebleu is not installed.
        ValueError: if tokenize is unknown, or the texts are no equally long lists of strings.

    Example:
        >>> bleu = BLEU()
        >>> bleu.update_state(["a man in a red hat"], ["a man in a red coat"])
        >>> round(bleu.result(), 2)
        75.98
    """

    def __init__(
        self,
        tokenize: str = "13a",
        lowercase: bool = False,
        sentence_mean: bool = False,
        name: str = "bleu",
    ) -> None:
        scorer = _sacrebleu().BLEU
        if tokenize not in scorer.TOKENIZERS:
            choices = ", ".join(scorer.TOKENIZERS)
            raise ValueError(f"tokenize must be one of {choices}; got {tokenize!r}.")
        scorer = scorer(tokenize=tokenize, lowercase=lowercase, effective_order=sentence_mean)
        super().__init__(scorer, name, sentence_mean)


class ChrF(_SacreScore):
    """Corpus chrF of predicted texts, the very number sacrebleu gives.

    Source: Popovic 2015, "chrF: character n-gram F-score for automatic MT evaluation".
    Formula: `100 (1 + b^2) P R / (b^2 P + R)`, b = 2, with P and R the precision and recall of
        character n-grams averaged over n = 1..6 (and of word n-grams, with word_order).

    Args:
        lowercase: ignore case.
        word_order: longest word n-gram to count besides; 0 is chrF, 2 is chrF++.
        name: name of the metric.

    Inputs: references, a list of B texts (or of lists of texts); predictions, a list of B texts.
    Outputs: a float from 0 to 100.

    Raises:
        ImportError: if sacrebleu is not installed.
        ValueError: if word_order is negative, or the texts are no equally long lists of strings.

    Example:
        >>> chrf = ChrF()
        >>> chrf.update_state(["a man in a red hat"], ["a man in a red coat"])
        >>> round(chrf.result(), 2)
        73.19
    """

    def __init__(self, lowercase: bool = False, word_order: int = 0, name: str = "chrf") -> None:
        if word_order < 0:
            raise ValueError(f"word_order must be 0 or more, got {word_order}.")
        super().__init__(_sacrebleu().CHRF(lowercase=lowercase, word_order=word_order), name)
