"""Error rates of recognized texts, computed by jiwer so that they equal published numbers."""

from collections.abc import Sequence
from typing import Any

from keras_attn.metrics.corpus_score import CorpusScore


def _jiwer() -> Any:
    try:
        import jiwer
    except ImportError as error:
        raise ImportError(
            "WordErrorRate and CharacterErrorRate need jiwer: pip install 'keras-attn[metrics]'."
        ) from error
    return jiwer


class _ErrorRate(CorpusScore):
    """Errors over the length of the reference, of which there is one."""

    def __init__(self, rate: Any, name: str, sentence_mean: bool) -> None:
        super().__init__(name, sentence_mean)
        self._rate = rate

    def update_state(
        self, references: Sequence[str | Sequence[str]], predictions: Sequence[str]
    ) -> None:
        """Adds predictions, and for each its one reference."""
        if isinstance(references, list | tuple):
            several = [each for each in references if isinstance(each, list | tuple)]
            if several:
                raise ValueError(
                    "references must hold one text for each prediction, "
                    f"got {type(several[0]).__name__}."
                )
        super().update_state(references, predictions)

    def score(self, references: list[list[str]], predictions: list[str]) -> float:
        return self._rate([text for (text,) in references], predictions)


class WordErrorRate(_ErrorRate):
    """Share of the words that were got wrong, the very number jiwer gives.

    Words are what spaces part; case and punctuation count. An empty reference costs the number of
    words that were put in where it stands alone.

    Source: Levenshtein 1966; Morris et al. 2004, "From WER and RIL to MER and WIL", section 2.
    Formula: `(S + D + I) / N` with S, D and I the words to replace, to leave out and to put in to
        make the reference the prediction, N the words of the references, all over the corpus

    Args:
        sentence_mean: Take the mean of the rates of the sentences, in which a short sentence
            weighs as much as a long one, instead of the rate of the corpus.
        name: name of the metric.

    Inputs: references, a list of B texts; predictions, a list of B texts.
    Outputs: a float, 0 if all is right; above 1 if more was put in than was to be read.

    Raises:
        ImportError: if jiwer is not installed.
        ValueError: if the texts are no equally long lists of strings.

    Example:
        >>> rate = WordErrorRate()
        >>> rate.update_state(["a man in a red hat", "hello"], ["a man in red hats", "hello you"])
        >>> round(rate.result(), 4)  # 3 of 7
        0.4286
    """

    def __init__(self, sentence_mean: bool = False, name: str = "wer") -> None:
        super().__init__(_jiwer().wer, name, sentence_mean)


class CharacterErrorRate(_ErrorRate):
    """Share of the characters that were got wrong, the very number jiwer gives.

    Spaces count as characters, but for those at either end of a text.

    Source: Levenshtein 1966; Morris et al. 2004, "From WER and RIL to MER and WIL", section 2.
    Formula: `(S + D + I) / N` with S, D and I the characters to replace, to leave out and to put
        in to make the reference the prediction, N the characters of the references, all over the
        corpus

    Args:
        sentence_mean: Take the mean of the rates of the sentences, in which a short sentence
            weighs as much as a long one, instead of the rate of the corpus.
        name: name of the metric.

    Inputs: references, a list of B texts; predictions, a list of B texts.
    Outputs: a float, 0 if all is right; above 1 if more was put in than was to be read.

    Raises:
        ImportError: if jiwer is not installed.
        ValueError: if the texts are no equally long lists of strings.

    Example:
        >>> rate = CharacterErrorRate()
        >>> rate.update_state(["a red hat"], ["a red cat!"])
        >>> round(rate.result(), 4)  # 2 of 9
        0.2222
    """

    def __init__(self, sentence_mean: bool = False, name: str = "cer") -> None:
        super().__init__(_jiwer().cer, name, sentence_mean)
