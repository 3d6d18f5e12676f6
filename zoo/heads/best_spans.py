"""The most probable spans of passages that are read in windows."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict

from keras import ops

from zoo.training.spans import BLOCKED, position_logs


class PassageAnswer(TypedDict):
    """An answer in a passage.

    Args:
        text: The answer; "" if the passage has none.
        score: Its probability; without an answer, the probability of that.
        start: The number of characters of the passage before it.
        end: The number of characters up to its end.
    """

    text: str
    score: float
    start: int
    end: int


class BestSpans(NamedTuple):
    """The most probable span of each passage, (B,).

    Args:
        window: The window with it.
        first_token: The position of its first token in the window.
        last_token: The position of its last token.
        score: Its probability in the window.
        no_answer_score: The probability that no window has an answer.
    """

    window: Any
    first_token: Any
    last_token: Any
    score: Any
    no_answer_score: Any


def best_spans(
    logits: Any, segments: Any, mask: Any, sizes: Sequence[Any], longest: int
) -> BestSpans:
    """Finds the spans, in `keras.ops`.

    Formula: `score = max p_first(i) p_last(j)` over the windows and `i <= j < i + longest`; of no
        answer `min p_first(0) p_last(0)` over the windows

    Args:
        logits: Logits of windows (B W, T, 2).
        segments: 1 for tokens of passages and the end token behind them (B W, T).
        mask: Whether tokens are no padding (B W, T).
        sizes: B, W and T.
        longest: Maximum number of tokens of a span.

    Example:
        >>> tokens = ops.array([[0, 0, 1, 1, 1]])  # a start token, an end token, two tokens, an end
        >>> logits = ops.array([[[0.0, 0.0], [9.0, 9.0], [2.0, 1.0], [1.0, 2.0], [9.0, 9.0]]])
        >>> best = best_spans(logits, tokens, ops.ones((1, 5), bool), (1, 1, 5), longest=2)
        >>> int(best.first_token[0]), int(best.last_token[0]), round(float(best.score[0]), 3)
        (2, 3, 0.443)
    """
    _, windows, length = sizes
    # Only numbers, and no argmax: LiteRT lacks operators for the others.
    more = ops.pad(ops.cast(mask, "int32")[:, 1:], [[0, 0], [0, 1]])  # a token follows
    inside = ops.cast(segments * more, "bool")
    position = ops.arange(length)
    is_first = ops.logical_and(ops.equal(position, 0), mask)
    logs = position_logs(logits, ops.logical_or(inside, is_first))
    first, last = (ops.where(inside, logs[:, :, i], BLOCKED) for i in (0, 1))

    # The greatest of the logs of the tokens that an answer up to each token may begin with.
    padded = ops.pad(first, [[0, 0], [longest - 1, 0]], constant_values=BLOCKED)
    best = ops.max_pool(ops.expand_dims(padded, -1), longest, strides=1)
    every = ops.reshape(ops.squeeze(best, -1) + last, (-1, windows * length))
    highest, number = (ops.squeeze(each, -1) for each in ops.top_k(every, 1))
    number = ops.cast(number, "int32")
    window, end = number // length, number % length
    row = ops.arange(ops.shape(number)[0]) * windows + window
    behind = ops.expand_dims(end, -1) - position  # how many tokens a token is before the last
    near = ops.logical_and(behind >= 0, behind < longest)
    _, start = ops.top_k(ops.where(near, ops.take(first, row, axis=0), 2 * BLOCKED), 1)

    nothing = ops.where(mask[:, 0], logs[:, 0, 0] + logs[:, 0, 1], -BLOCKED)
    nothing = ops.min(ops.reshape(nothing, (-1, windows)), axis=-1)
    start = ops.cast(ops.squeeze(start, -1), "int32")
    return BestSpans(window, start, end, ops.exp(highest), ops.exp(nothing))
