"""Memory that training frees and takes again stays with the process."""

import ctypes
import os
import platform

# Names and numbers of mallopt(3), with the environment variable by which a user sets each.
_ARENA_MAX, _MMAP_MAX, _TRIM_THRESHOLD, _TOP_PAD = -8, -4, -1, -2
_NEVER = 2**31 - 1
_SETTINGS = {
    "MALLOC_ARENA_MAX": (_ARENA_MAX, 1),
    "MALLOC_MMAP_MAX_": (_MMAP_MAX, 0),
    "MALLOC_TRIM_THRESHOLD_": (_TRIM_THRESHOLD, _NEVER),
    "MALLOC_TOP_PAD_": (_TOP_PAD, 256 * 2**20),
}


def keep_freed_memory() -> None:
    """Has glibc keep what is freed, rather than hand it back to the system.

    A train step takes and frees gigabytes in large tensors. By default glibc maps each of them
    anew, and the system clears every page again at the first touch (docs/results.md says how long
    that takes). The price is memory, as the gaps between tensors are kept too.

    It has to come before the first tensor, whose threads would otherwise have heaps of their own,
    which are given back all the same. Without glibc it does nothing; what the environment sets
    already stays as it is.
    """
    if platform.libc_ver()[0] != "glibc":
        return
    libc = ctypes.CDLL(None)
    for variable, (parameter, value) in _SETTINGS.items():
        if variable not in os.environ:
            libc.mallopt(parameter, value)
