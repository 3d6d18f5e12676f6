"""How well texts match their references."""

from collections.abc import Sequence

from keras_attn.metrics.corpus import BLEU, ChrF


def score_texts(references: Sequence[str], predictions: Sequence[str]) -> dict[str, float]:
    """Corpus BLEU and chrF in percent, as sacrebleu gives them, and the share of exact matches.

    Args:
        references: What should have been written.
        predictions: What was written.

    Example:
        >>> score_texts(["a man in a red hat"], ["a man in a red hat"])["exact_match"]
        1.0
    """
    scores = {}
    for name, metric in (("bleu", BLEU()), ("chrf", ChrF())):
        metric.update_state(references, predictions)
        scores[name] = float(metric.result())
    same = [a == b for a, b in zip(references, predictions, strict=True)]
    return {**scores, "exact_match": sum(same) / max(len(same), 1)}
