"""The import of TensorFlow without the optional packages that it and Keras would import along."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

# Where they are installed, Keras imports matplotlib to draw images and scikit-learn for wrappers,
# and TensorFlow imports JAX to convert its functions. That is a third of the whole import.
NEEDLESS = ("matplotlib", "sklearn")


class _Hiding(MetaPathFinder):
    """A finder that comes first, and says of some packages that they are not installed."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        self._packages = packages

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name in self._packages:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextmanager
def without_needless() -> Iterator[None]:
    """Hides these packages while the block imports TensorFlow. Afterwards, they can be imported.

    JAX is not hidden if it is the backend of Keras.
    """
    hiding = _Hiding(NEEDLESS if _backend() == "jax" else (*NEEDLESS, "jax"))
    sys.meta_path.insert(0, hiding)
    try:
        yield
    finally:
        sys.meta_path.remove(hiding)


def _backend() -> str:
    """The backend that Keras is going to choose, as its documentation says."""
    if chosen := os.environ.get("KERAS_BACKEND"):
        return chosen
    try:
        home = Path(os.environ.get("KERAS_HOME") or Path.home() / ".keras")
        return str(json.loads((home / "keras.json").read_text("utf-8"))["backend"])
    except (OSError, ValueError, KeyError, TypeError):
        return "tensorflow"
