"""The hash that chance is made of, in NumPy."""

import numpy as np


def hash_of(numbers, seed):
    """A word for each number; seed: two words, or arrays of them."""
    word = np.uint32

    def mixed(x, shift, factor):
        return (x ^ (x >> word(shift))) * word(factor)

    with np.errstate(over="ignore"):
        first, second = np.array(seed, word)
        x = mixed(np.asarray(numbers, word) * word(0x9E3779B9) + first, 16, 0x85EBCA6B)
        x = mixed(x + mixed(second, 16, 0x9E3779B9), 13, 0xC2B2AE35)
    return x ^ (x >> word(16))
