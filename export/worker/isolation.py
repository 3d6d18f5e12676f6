"""An import hook that keeps this library and Keras out of the worker process."""

from __future__ import annotations

import sys
import types

FORBIDDEN = ("keras_attn", "zoo", "export", "keras")
# TensorFlow imports it if it is installed, which takes a second, for a converter that is not used.
NEEDLESS = ("jax",)


class _Hiding:
    """A finder that answers like the one it wraps, but does not find what is hidden."""

    def __init__(self, finder):
        self._finder = finder

    def __getattr__(self, name):
        return getattr(self._finder, name)

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in FORBIDDEN + NEEDLESS:
            return None
        find_spec = getattr(self._finder, "find_spec", None)
        return find_spec(name, path, target) if find_spec else None


def hide_library() -> None:
    """Makes these packages impossible to import: TensorFlow would import an installed Keras."""
    sys.meta_path[:] = [_Hiding(finder) for finder in sys.meta_path]
    # tensorflow-text subclasses Keras layers when it is imported; its operators need none.
    sys.modules.setdefault("tensorflow_text.python.keras", types.ModuleType("keras"))


def imported_library() -> list[str]:
    """The forbidden modules that were imported nevertheless."""
    return sorted(name for name in sys.modules if name.partition(".")[0] in FORBIDDEN)
