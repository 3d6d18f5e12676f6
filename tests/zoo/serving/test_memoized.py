"""In eager mode, the same probes are computed once."""

import numpy as np
import tensorflow as tf

from zoo.serving.memoized import memoized

PROBES = [np.array(ids, "int32") for ids in ([[1, 2]], [[1], [2]], [[1, 3]])]


def test_the_same_probes_are_computed_once_and_others_anew():
    """In eager mode only: a graph has no values to compare."""
    calls = []

    @memoized
    def scale(inputs, factor=2):
        calls.append(factor)
        return {"scaled": factor * inputs["token_ids"]}

    for _ in range(2):
        for ids in PROBES:
            actual = scale({"token_ids": tf.constant(ids)})
            np.testing.assert_array_equal(actual.pop("scaled"), 2 * ids)
    assert calls == [2, 2, 2]
    thrice = scale({"token_ids": tf.constant(PROBES[0])}, factor=3)["scaled"]
    np.testing.assert_array_equal(thrice, 3 * PROBES[0])
    traced = tf.function(lambda ids: scale({"token_ids": ids}), autograph=False)
    for ids in PROBES[:2]:
        np.testing.assert_array_equal(traced(tf.constant(ids))["scaled"], 2 * ids)
    assert calls == [2, 2, 2, 3, 2, 2]
