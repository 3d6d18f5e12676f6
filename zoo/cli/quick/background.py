"""The process in the background that makes the LiteRT file of a run, after an answer.

It is not made by `train`: most runs are trials that nobody asks anything, and an export takes as
long as several imports of TensorFlow. It is not made by `predict` itself either, which would keep
its caller waiting. So the first `predict` of a run starts a process that outlives it, as `git`
does to tidy up, with a low priority.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

VARIABLE, NEVER = "KERAS_ATTN_LITERT_OF_RUN", "never"  # the environment that refuses such files


def is_allowed(environment: Mapping[str, str]) -> bool:
    """Whether such files are made and used.

    Example:
        >>> is_allowed({}), is_allowed({"KERAS_ATTN_LITERT_OF_RUN": "never"})
        (True, False)
    """
    return environment.get(VARIABLE) != NEVER


def start_making(run: Path) -> "subprocess.Popen[bytes] | None":
    """Starts to make the file of a run, if its folder can be written to.

    Args:
        run: The run folder.

    Returns:
        The process, for tests.
    """
    if not os.access(run, os.W_OK):
        return None
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "zoo.cli.quick.making", str(run.resolve())],
        env={**os.environ, "KERAS_BACKEND": "tensorflow", "CUDA_VISIBLE_DEVICES": "-1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
