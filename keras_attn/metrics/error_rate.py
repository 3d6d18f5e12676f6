"""Error rates of recognized texts, computed by jiwer so that they match published results."""

from collections.abc import Sequence
from typing import Any

from keras_attn.articles import with_article
from keras_attn.metrics.corpus_score import CorpusScore


def _jiwer() -> Any:
    try:
        import jiwer
    except ImportError as error:
        raise ImportError(
            "WordErrorRate and CharacterErrorRate require jiwer: pip install 'keras-attn[metrics]'."
        ) from error
    return jiwer


class _ErrorRate(CorpusScore):
    """Number of errors divided by the length of the references, one per prediction."""

    def __init__(self, rate: Any, name: str, sentence_mean: bool) -> None:
        super().__init__(name, sentence_mean)
        self._rate = rate

    def update_state(
        self, references: Sequence[str | Sequence[str]], predictions: Sequence[str]
    ) -> None:
        """Adds predictions, each with one reference."""
        if isinstance(references, list | tuple):
            several = [each for each in references if isinstance(each, list | tuple)]
            if several:
                raise ValueError(
                    "references must have one text for each prediction; "
                    f"received {with_article(type(several[0]).__name__)}."
                )
        super().update_state(references, predictions)

    def score(self, references: list[list[str]], predictions: list[str]) -> float:
        return self._rate([text for (text,) in references], predictions)


class WordErrorRate(_ErrorRate):
    """Word error rate (WER) of recognized texts, identical to that of jiwer.

    Words are separated by spaces; case and punctuation matter. If an empty reference is scored
    alone, the result is the number of inserted words.

    Source: Levenshtein 1966; Morris et al. 2004, "From WER and RIL to MER and WIL", section 2.
    Formula: `(S + D + I) / N` with S, D and I the numbers of substituted, deleted and inserted
        words, and N the number of words in the references, all over the corpus

    Args:
        sentence_mean: Whether to average the rates of the sentences, so that short and long
            sentences have the same weight, instead of computing the rate of the corpus.
        name: Name of the metric.

    Inputs: `references`, a list of B texts; `predictions`, a list of B texts.
    Outputs: A float; 0 if all words are correct, above 1 if there are more errors than words.

    Raises:
        ImportError: If jiwer is not installed.
        ValueError: If the inputs are not lists of strings of equal length.

    Example:
        >>> from keras_attn import WordErrorRate
        >>> rate = WordErrorRate()
        >>> rate.update_state(["a man in a red hat", "hello"], ["a man in red hats", "hello you"])
        >>> round(rate.result(), 4)  # 3 of 7
        0.4286
    """

    def __init__(self, sentence_mean: bool = False, name: str = "wer") -> None:
        super().__init__(_jiwer().wer, name, sentence_mean)


class CharacterErrorRate(_ErrorRate):
    """Character error rate (CER) of recognized texts, identical to that of jiwer.

    Spaces count as characters, except at the beginning and the end of a text.

    Source: Levenshtein 1966; Morris et al. 2004, "From WER and RIL to MER and WIL", section 2.
    Formula: `(S + D + I) / N` with S, D and I the numbers of substituted, deleted and inserted
        characters, and N the number of characters in the references, all over the corpus

    Args:
        sentence_mean: Whether to average the rates of the sentences, so that short and long
            sentences have the same weight, instead of computing the rate of the corpus.
        name: Name of the metric.

    Inputs: `references`, a list of B texts; `predictions`, a list of B texts.
    Outputs: A float; 0 if all characters are correct, above 1 if there are more errors than
        characters.

    Raises:
        ImportError: If jiwer is not installed.
        ValueError: If the inputs are not lists of strings of equal length.

    Example:
        >>> from keras_attn import CharacterErrorRate
        >>> rate = CharacterErrorRate()
        >>> rate.update_state(["a red hat"], ["a red cat!"])
        >>> round(rate.result(), 4)  # 2 of 9
        0.2222
    """

    def __init__(self, sentence_mean: bool = False, name: str = "cer") -> None:
        super().__init__(_jiwer().cer, name, sentence_mean)
