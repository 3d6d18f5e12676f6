"""The packages that ONNX needs, which are an extra."""

from __future__ import annotations

from importlib.util import find_spec

NAMES = ("onnx", "onnxruntime", "tf2onnx")


def check_extra() -> None:
    """Raises a ValueError if one of them is not installed."""
    missing = [name for name in NAMES if find_spec(name) is None]
    if missing:
        raise ValueError(f"ONNX needs {', '.join(missing)}: pip install 'keras-attn[onnx]'")
