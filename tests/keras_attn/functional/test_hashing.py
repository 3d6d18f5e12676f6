"""The words are those of NumPy's integers on every backend, whatever comes in."""

import numpy as np
import pytest
from keras import ops

from keras_attn.functional.hashing import hashed
from tests.oracles.hashing import hash_of

NUMBERS = np.array([0, 1, 2, 97, 65537, 2**31 - 1])


@pytest.mark.parametrize("seed", [(0, 0), (7, 11), (2**32 - 1, 2**31 + 3)])
def test_one_seed(seed):
    actual = ops.convert_to_numpy(hashed(ops.convert_to_tensor(NUMBERS), np.array(seed, "uint32")))
    np.testing.assert_array_equal(actual, hash_of(NUMBERS, seed))


def test_a_seed_for_each_number_and_negative_ones():
    seeds = np.array([[7, 0], [7, 1], [-1, 2], [-(2**31), -3], [5, 5], [2**31 - 1, 9]], "int32")
    actual = ops.convert_to_numpy(hashed(ops.convert_to_tensor(-NUMBERS), seeds))
    expected = hash_of((-NUMBERS).astype("uint32"), seeds.astype("uint32").T)
    np.testing.assert_array_equal(actual, expected)
    assert len(set(actual)) == len(NUMBERS)
