"""The likelihood that a language model gives a passage."""

from collections.abc import Sequence

import numpy as np
from keras import ops

from zoo.models.language_model import LanguageModel


def likelihood(model: LanguageModel, ids: Sequence[int]) -> tuple[list[float], list[int]]:
    """The log probabilities of ids, and the most probable ones in their places.

    Formula: `log p(ids[i] | ids[:i])` and `argmax_k p(k | ids[:i])`, for i from 1

    Args:
        model: The model.
        ids: Ids of T tokens.

    Returns:
        T - 1 natural logarithms, and T - 1 ids.

    Example:
        >>> from zoo.models.llama import Llama
        >>> model = Llama(9, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=16)
        >>> log_p, predicted = likelihood(model, [4, 5, 8])
        >>> len(predicted), all(x < 0 for x in log_p)
        (2, True)
    """
    row = np.array([ids], "int32")
    logits = model({"token_ids": row, "padding_mask": np.ones(row.shape, bool)})["logits"][0, :-1]
    log_p = ops.convert_to_numpy(ops.log_softmax(ops.cast(logits, "float32")))
    chosen = np.take_along_axis(log_p, row[0, 1:, None], axis=1)[:, 0]
    return chosen.tolist(), log_p.argmax(axis=1).tolist()
