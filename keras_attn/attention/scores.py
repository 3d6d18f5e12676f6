"""The table of scores by name."""

from typing import Any

import keras

from keras_attn.attention.dot_scores import Cosine, Dot, ExpDot, ScaledDot
from keras_attn.attention.learned_scores import Additive, Concat, General
from keras_attn.attention.normalizers import Normalizer, ratio, softmax
from keras_attn.attention.score import Score

__all__ = [
    "Additive",
    "Concat",
    "Cosine",
    "Dot",
    "ExpDot",
    "General",
    "ScaledDot",
    "Score",
    "get_score",
    "is_linear",
    "without_overflow",
]

SCORES: dict[str, type[Score]] = {
    "dot": Dot,
    "scaled_dot": ScaledDot,
    "exp_dot": ExpDot,
    "general": General,
    "additive": Additive,
    "concat": Concat,
    "cosine": Cosine,
}


def get_score(name: Any, **kwargs: Any) -> Score:
    """A new score of that name; a score layer is taken as it is.

    Args:
        name: One of the names above, a `Score`, or the serialized form of one.
        **kwargs: What a new score is made with, such as dtype.

    Raises:
        ValueError: If there is no such score.

    Example:
        >>> isinstance(get_score("additive"), Additive)
        True
    """
    if isinstance(name, dict):
        name = keras.saving.deserialize_keras_object(name)
    if isinstance(name, Score):
        return name
    if name in SCORES:
        return SCORES[name](**kwargs)
    raise ValueError(
        f"score must be one of {', '.join(SCORES)}, or a Score layer; received {name!r}."
    )


def is_linear(score: Score) -> bool:
    """Whether a score is linear in the key: `a(q, k + w) = a(q, k) + a(q, w)`.

    Args:
        score: The score. Subclasses of linear scores do not count as linear.

    Example:
        >>> is_linear(Dot()), is_linear(Cosine())
        (True, False)
    """
    return type(score) in (Dot, ScaledDot, General)


def without_overflow(score: Score, normalizer: Normalizer) -> tuple[Score, Normalizer]:
    """A score and a normalizer that give the same attention weights, and do not overflow.

    Formula: `ratio(exp(q . k)) = softmax(q . k)`; every other pair stays as it is

    Args:
        score: The score of a layer.
        normalizer: The normalizer of the layer.

    Example:
        >>> score, normalizer = without_overflow(ExpDot(), ratio)
        >>> type(score).__name__, normalizer.__name__
        ('Dot', 'softmax')
    """
    if type(score) is ExpDot and normalizer is ratio:
        return score.log, softmax
    return score, normalizer
