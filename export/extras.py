"""The packages that some exports and verifications need, which are extras."""

from __future__ import annotations

from importlib.util import find_spec

# By extra: what needs it, and its packages by the names of their modules.
EXTRAS = {
    "litertlm": (
        "A bundle for LiteRT-LM",
        {
            "litert_lm": "litert-lm-api",
            "litert_lm_builder": "litert-lm-builder",
            "jinja2": "jinja2",
        },
    ),
    "onnx": ("ONNX", {"onnx": "onnx", "onnxruntime": "onnxruntime", "tf2onnx": "tf2onnx"}),
    "quantize": ("A sweep", {"ai_edge_quantizer": "ai-edge-quantizer"}),
    "report": ("A sweep", {"matplotlib": "matplotlib"}),
    "serving": ("serving=True", {"tensorflow_serving": "tensorflow-serving-api"}),
    "sign": ("public_key", {"model_signing": "model-signing", "OpenSSL": "pyopenssl"}),
}


def missing_package(error: ModuleNotFoundError) -> str | None:
    """Says how to install a package that `export` needs; None if a module of ours is missing."""
    package = (error.name or "").partition(".")[0]
    if package in ("", "export", "keras_attn"):
        return None
    return f"export needs {package}, which is not installed: pip install 'keras-attn[zoo]'"


def check_extra(extra: str) -> None:
    """Raises a ValueError if a package of an extra is not installed."""
    purpose, packages = EXTRAS[extra]
    missing = [package for module, package in packages.items() if find_spec(module) is None]
    if missing:
        names = ", ".join(missing)
        raise ValueError(f"{purpose} needs {names}: pip install 'keras-attn[{extra}]'")
