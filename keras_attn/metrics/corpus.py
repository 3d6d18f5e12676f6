"""Scores of whole corpora of text, computed by sacrebleu so that they equal published numbers.

Corpus scores are no means of sentence scores and need strings, which no compiled graph has; so
these are plain objects with Keras's three verbs, to be used on the predictions of a model.
"""

import itertools
from collections.abc import Sequence
from typing import Any


def _sacrebleu() -> Any:
    try:
        import sacrebleu.metrics
    except ImportError as error:
        raise ImportError(
            "BLEU and ChrF need sacrebleu: pip install 'keras-attn[metrics]'."
        ) from error
    return sacrebleu.metrics


class _CorpusScore:
    """Collects texts; `result` scores all of them at once."""

    def __init__(self, scorer: Any, name: str) -> None:
        self.name = name
        self._scorer = scorer
        self.reset_state()

    def reset_state(self) -> None:
        """Forgets every text seen."""
        self._references: list[list[str]] = []
        self._predictions: list[str] = []

    def update_state(
        self, references: Sequence[str | Sequence[str]], predictions: Sequence[str]
    ) -> None:
        """Adds predictions, and for each its reference, or several."""
        for name, texts in (("references", references), ("predictions", predictions)):
            if not isinstance(texts, list | tuple):
                raise ValueError(
                    f"{name} must be a list of Python strings, got {type(texts).__name__}."
                )
        grouped = [[each] if isinstance(each, str) else list(each) for each in references]
        if not all(isinstance(text, str) for text in itertools.chain(predictions, *grouped)):
            raise ValueError("references and predictions must hold Python strings, not tensors.")
        if not all(grouped):
            raise ValueError("references must hold at least one text for each prediction.")
        if len(grouped) != len(predictions):
            raise ValueError(
                "references and predictions must be equally many, "
                f"got {len(grouped)} and {len(predictions)}."
            )
        self._references += grouped
        self._predictions += predictions

    def result(self) -> float:
        """The score of everything seen since the last reset, 0 to 100; 0 if that is nothing."""
        if not self._predictions:
            return 0.0
        # sacrebleu takes one list for each reference number, None where a text has fewer.
        streams = list(itertools.zip_longest(*self._references))
        return float(self._scorer.corpus_score(self._predictions, streams).score)


class BLEU(_CorpusScore):
    """Corpus BLEU of predicted texts, the very number sacrebleu gives.

    Source: Papineni et al. 2002; Post 2018, "A Call for Clarity in Reporting BLEU Scores".
    Formula: 100 * min(1, exp(1 - r / c)) * (p_1 p_2 p_3 p_4)^(1/4) with p_n the clipped n-gram
        precision over the corpus, c and r the lengths of predictions and references.

    Args:
        tokenize: sacrebleu's tokenization, as "13a" (its default), "intl", "zh", "char", "none".
        lowercase: ignore case.
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

    def __init__(self, tokenize: str = "13a", lowercase: bool = False, name: str = "bleu") -> None:
        scorer = _sacrebleu().BLEU
        if tokenize not in scorer.TOKENIZERS:
            choices = ", ".join(scorer.TOKENIZERS)
            raise ValueError(f"tokenize must be one of {choices}; got {tokenize!r}.")
        super().__init__(scorer(tokenize=tokenize, lowercase=lowercase), name)


class ChrF(_CorpusScore):
    """Corpus chrF of predicted texts, the very number sacrebleu gives.

    Source: Popovic 2015, "chrF: character n-gram F-score for automatic MT evaluation".
    Formula: 100 * (1 + b^2) P R / (b^2 P + R), b = 2, with P and R the precision and recall of
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
