"""Corpus-level scores of texts, computed by sacrebleu so that they match published scores."""

import itertools
from typing import Any

from keras_attn.metrics.corpus_score import CorpusScore


def _sacrebleu() -> Any:
    try:
        import sacrebleu.metrics  # imported late: the layers do not need it
    except ImportError as error:
        raise ImportError(
            "BLEU and ChrF require sacrebleu: pip install 'keras-attn[metrics]'."
        ) from error
    return sacrebleu.metrics


class _SacreScore(CorpusScore):
    """A score computed by sacrebleu, from 0 to 100."""

    def __init__(self, scorer: Any, name: str, sentence_mean: bool = False) -> None:
        super().__init__(name, sentence_mean)
        self._scorer = scorer

    def score(self, references: list[list[str]], predictions: list[str]) -> float:
        # sacrebleu takes one list per reference index, with None for texts with fewer references.
        streams = list(itertools.zip_longest(*references))
        return self._scorer.corpus_score(predictions, streams).score


class BLEU(_SacreScore):
    """Corpus BLEU score of generated texts, identical to that of sacrebleu.

    Source: Papineni et al. 2002; Post 2018, "A Call for Clarity in Reporting BLEU Scores".
    Formula: `100 min(1, exp(1 - r / c)) (p_1 … p_N)^(1/N)` with p_n the clipped n-gram
        precision over the corpus, c and r the lengths of predictions and references; with
        `sentence_mean`, the mean over the sentences, each scored as a corpus of its own

    Args:
        tokenize: Tokenizer of sacrebleu, such as "13a" (the default), "intl", "zh", "char" or
            "none".
        lowercase: Whether to ignore case.
        max_ngram_order: Length N of the longest n-grams.
        sentence_mean: Whether to average the scores of the sentences instead of scoring the corpus.
            Zero n-gram matches are smoothed as in sacrebleu's sentence BLEU (exponential smoothing:
            half a match for the first such n, a quarter for the next, and so on), and n-grams
            longer than the sentence are left out.
        name: Name of the metric.

    Inputs: `references`, a list of B texts (or of lists of texts); `predictions`, a list of B
        texts.
    Outputs: A float from 0 to 100.

    Raises:
        ImportError: If sacrebleu is not installed.
        ValueError: If `tokenize` is unknown, or the inputs are not lists of strings of equal
            length.

    Example:
        >>> from keras_attn import BLEU
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
        max_ngram_order: int = 4,
    ) -> None:
        scorer = _sacrebleu().BLEU
        if tokenize not in scorer.TOKENIZERS:
            choices = ", ".join(scorer.TOKENIZERS)
            raise ValueError(f"tokenize must be one of {choices}; received {tokenize!r}.")
        scorer = scorer(
            tokenize=tokenize,
            lowercase=lowercase,
            max_ngram_order=max_ngram_order,
            effective_order=sentence_mean,
            force=True,  # without advice on texts that end in " .", as captions often do
        )
        super().__init__(scorer, name, sentence_mean)


class ChrF(_SacreScore):
    """Corpus chrF score of generated texts, identical to that of sacrebleu.

    Source: Popovic 2015, "chrF: character n-gram F-score for automatic MT evaluation".
    Formula: `100 (1 + b^2) P R / (b^2 P + R)`, b = 2, with P and R the precision and recall of
        character n-grams averaged over n = 1..6 (and of word n-grams, with `word_order`)

    Args:
        lowercase: Whether to ignore case.
        word_order: Maximum length of the word n-grams to include: 0 is chrF, 2 is chrF++.
        name: Name of the metric.

    Inputs: `references`, a list of B texts (or of lists of texts); `predictions`, a list of B
        texts.
    Outputs: A float from 0 to 100.

    Raises:
        ImportError: If sacrebleu is not installed.
        ValueError: If `word_order` is negative, or the inputs are not lists of strings of equal
            length.

    Example:
        >>> from keras_attn import ChrF
        >>> chrf = ChrF()
        >>> chrf.update_state(["a man in a red hat"], ["a man in a red coat"])
        >>> round(chrf.result(), 2)
        73.19
    """

    def __init__(self, lowercase: bool = False, word_order: int = 0, name: str = "chrf") -> None:
        if word_order < 0:
            raise ValueError(f"word_order must be 0 or greater; received {word_order}.")
        super().__init__(_sacrebleu().CHRF(lowercase=lowercase, word_order=word_order), name)
