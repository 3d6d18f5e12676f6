"""The labels of a Keras model of one's own: its output as a score of each."""

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from zoo.errors import UserError
from zoo.serving.inference import Tensors

SCORES = "scores"
MEANING = "the score of each label, from 0 to 1"


def check_labels(labels: Sequence[str], output: Any) -> tuple[str, ...]:
    """The labels of a model, if its only output has a score of each.

    Args:
        labels: The names of the classes, in the order of the output.
        output: The symbolic output of the model: (B, C), or (B, 1) of two labels.

    Raises:
        UserError: If a label is empty, given twice or not a string, or the output has another size.
    """
    if isinstance(labels, str) or any(not isinstance(each, str) or not each for each in labels):
        raise UserError(f"labels must be names, such as ['bad', 'good']; received {labels!r}")
    if len({*labels}) < len(labels):
        raise UserError(f"each of labels must be another name; received {[*labels]}")
    shapes = [tuple(each.shape) for each in keras.tree.flatten(output)]
    sizes = ([len(labels)], [1]) if len(labels) == 2 else ([len(labels)],)
    if labels and (len(shapes) != 1 or [*shapes[0][1:]] not in sizes):
        raise UserError(
            f"{len(labels)} labels need a model with one output of the shape (None, {len(labels)})"
            f"{' or (None, 1)' if len(labels) == 2 else ''}; it has {shapes}"
        )
    return tuple(labels)


def scores_of(outputs: Tensors, count: int) -> Tensors:
    """The scores of `count` labels; of two, the output may be that of the second alone.

    Example:
        >>> scores_of({"output_0": tf.constant([[0.25]])}, 2)["scores"].numpy().tolist()
        [[0.75, 0.25]]
    """
    (scores,) = outputs.values()
    if scores.shape[-1] < count:
        scores = tf.concat([1 - scores, scores], axis=-1)
    return {SCORES: scores}


def check_scores(scores: Any) -> None:
    """Refuses scores that are not from 0 to 1.

    Those of an example without a token may be NaN, such as a mean over nothing.

    Raises:
        UserError: If one is not.
    """
    known = np.asarray(scores, "float64")
    known = known[~np.isnan(known)]
    if not known.size:
        raise UserError("labels need scores from 0 to 1, and all those of the model are NaN")
    least, greatest = float(known.min()), float(known.max())
    if not (0 <= least and greatest <= 1):
        raise UserError(
            f"labels need scores from 0 to 1, and those of the model are from {least:.3g} to "
            f"{greatest:.3g}: end it with a softmax, such as keras.layers.Softmax(), or a sigmoid"
        )
