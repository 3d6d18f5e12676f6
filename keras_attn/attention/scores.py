"""Attention scores by name."""

from typing import Any

import keras

from keras_attn.attention.dot_scores import Cosine, Dot, ExpDot, ScaledDot, SoftCappedDot
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
    "SoftCappedDot",
    "check_sign",
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
    """Returns an attention score by name.

    Args:
        name: A name from `SCORES`; or a `Score`, which is returned as is, or its serialized form.
        **kwargs: Arguments of the new score, such as dtype.

    Returns:
        A `Score`.

    Raises:
        ValueError: If the name is unknown.

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


def check_sign(score: Any, normalizer: Normalizer, given: str, position: Any = None) -> None:
    """Refuses the normalizer "ratio" for scores that can be negative.

    The sum of such scores can be near zero, and weights then be 10 and -9.

    Args:
        score: The score of a layer, which has `can_be_negative`.
        normalizer: The normalizer of the layer.
        given: The argument that the user gave, for the message.
        position: The position scheme of the layer, which may add to the scores.

    Raises:
        ValueError: If the normalizer is "ratio" and the scores can be negative.

    Example:
        >>> check_sign(Dot(), ratio, "score='dot'")
        Traceback (most recent call last):
        ValueError: normalizer='ratio' requires a score that is never negative, such as 'exp_dot'; \
received score='dot', which can be negative.
    """
    _, normalizer = without_overflow(score, normalizer)
    if normalizer is not ratio:
        return
    if score.can_be_negative:
        raise ValueError(
            "normalizer='ratio' requires a score that is never negative, such as 'exp_dot'; "
            f"received {given}, which can be negative."
        )
    if position is not None and position.can_make_negative:
        raise ValueError(
            "normalizer='ratio' requires scores that are never negative; "
            f"received the position {type(position).__name__}, which subtracts from {given}."
        )


def is_linear(score: Score) -> bool:
    """Whether a score is known to be linear in the key.

    Formula: `a(q, k + w) = a(q, k) + a(q, w)`

    Args:
        score: The score. Subclasses of linear scores do not count as linear.

    Returns:
        Whether the formula holds.

    Example:
        >>> is_linear(Dot()), is_linear(Cosine())
        (True, False)
    """
    return type(score) in (Dot, ScaledDot, General)


def without_overflow(score: Any, normalizer: Normalizer) -> tuple[Any, Normalizer]:
    """Replaces "exp_dot" with "ratio" by the dot product with "softmax", which does not overflow.

    Formula: `ratio(exp(q . k)) = softmax(q . k)`

    Args:
        score: The score of a layer.
        normalizer: The normalizer of the layer.

    Returns:
        A score and a normalizer that give the same attention weights; every other pair as it is.

    Example:
        >>> score, normalizer = without_overflow(ExpDot(), ratio)
        >>> type(score).__name__, normalizer.__name__
        ('Dot', 'softmax')
    """
    if type(score) is ExpDot and normalizer is ratio:
        return score.log, softmax
    return score, normalizer
