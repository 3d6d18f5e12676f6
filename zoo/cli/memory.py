"""Memory settings of training and of the server."""

import ctypes
import os
import platform

# Parameters of mallopt(3) with their values, by the environment variable that overrides each.
_ARENA_MAX, _MMAP_MAX, _TRIM_THRESHOLD, _TOP_PAD = -8, -4, -1, -2
_NEVER = 2**31 - 1
_SETTINGS = {
    "MALLOC_ARENA_MAX": (_ARENA_MAX, 1),
    "MALLOC_MMAP_MAX_": (_MMAP_MAX, 0),
    "MALLOC_TRIM_THRESHOLD_": (_TRIM_THRESHOLD, _NEVER),
    "MALLOC_TOP_PAD_": (_TOP_PAD, 256 * 2**20),
}


# Each thread of operators keeps what oneDNN prepared for every shape, and so does oneDNN.
_OF_SHAPES = {"TF_NUM_INTEROP_THREADS": "1", "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "128"}


def keep_few_shapes() -> None:
    """Makes TensorFlow keep less of each shape that it computes, before it is imported.

    One thread computes the operators of a model one after another, each with all processors.
    Environment variables take precedence.
    """
    for variable, value in _OF_SHAPES.items():
        os.environ.setdefault(variable, value)


def keep_freed_memory() -> None:
    """Makes glibc keep freed memory instead of returning it to the system.

    A training step allocates and frees gigabytes of large tensors. By default, glibc requests new
    memory for each of them, and the system clears every page at its first use
    (docs/results/data-and-training.md says how long that takes). The drawback is higher
    memory use, because the gaps between tensors are kept, too.

    Call it before the first tensor is created: threads that are started earlier have separate
    heaps, whose memory is still returned. Without glibc, it does nothing. Environment variables
    take precedence.
    """
    if platform.libc_ver()[0] != "glibc":
        return
    libc = ctypes.CDLL(None)
    for variable, (parameter, value) in _SETTINGS.items():
        if variable not in os.environ:
            libc.mallopt(parameter, value)
