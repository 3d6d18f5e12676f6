"""The input of models whose rows are arrays or paths of files: images and recordings."""

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from zoo.data.readers.files import is_path
from zoo.errors import UserError
from zoo.preprocessing.base import Preprocessor
from zoo.serving.signatures import Signature


def paths_or_arrays(data: Any, what: str) -> list[Any]:
    """The argument of `predict`, with paths as strings.

    Args:
        data: A list of paths and of what NumPy makes arrays of.
        what: What its elements are, for messages.

    Raises:
        UserError: If it is a single path.
    """
    if isinstance(data, str | PathLike):
        raise UserError(f"predict takes a list of {what}s; got a single one")
    return [str(each) if is_path(each) else np.asarray(each) for each in data]


def without_features(
    signatures: Mapping[str, Signature], preprocessor: Preprocessor
) -> dict[str, Signature]:
    """The signatures but the one that takes features, which takes the same as the main one."""
    same = preprocessor.feature_signature
    return {name: each for name, each in signatures.items() if name != same}
