"""Pseudorandom bits from a hash of positions: the same on every backend, compiled or not."""

from typing import Any

import keras
from keras import ops

LOW = 2**32 - 1  # mask of the lowest 32 bits


def hashed(numbers: Any, seed: Any) -> Any:
    """Hashes each number to 32 pseudorandom bits that depend on the number and the seed.

    Source: MurmurHash3's finalizer (Appleby 2011); one word of the seed enters before each of its
        two products.

    Args:
        numbers: Integer tensor (...); only the lowest 32 bits are used.
        seed: Integers (..., 2): two words, for all numbers or for each number.

    Returns:
        uint32 tensor (...); int64 on PyTorch, which cannot multiply unsigned integers.

    Example:
        >>> [int(x) for x in hashed(ops.arange(3), ops.array([7, 11]))]
        [3633048565, 950744491, 1110895501]
    """
    seed = _words(seed)
    first, second = seed[..., 0], seed[..., 1]
    x = _mixed(_low(_words(numbers) * word(0x9E3779B9) + first), 16, 0x85EBCA6B)
    x = _mixed(_low(x + _mixed(second, 16, 0x9E3779B9)), 13, 0xC2B2AE35)
    return ops.bitwise_xor(x, ops.right_shift(x, word(16)))


def word(value: int) -> Any:
    """Converts a number from 0 to 2^32 - 1 to the dtype that `hashed` returns."""
    return ops.convert_to_tensor(value, _dtype())


def _dtype() -> str:
    return "int64" if keras.backend.backend() == "torch" else "uint32"


def _words(x: Any) -> Any:
    return _low(ops.cast(x, _dtype()))


def _mixed(x: Any, shift: int, factor: int) -> Any:
    return _low(ops.bitwise_xor(x, ops.right_shift(x, word(shift))) * word(factor))


def _low(x: Any) -> Any:
    """Keeps the lowest 32 bits of a number that may have more."""
    return x if _dtype() == "uint32" else ops.bitwise_and(x, word(LOW))
