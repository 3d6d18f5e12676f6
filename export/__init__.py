"""Verified exports of a model or a task: SavedModel, LiteRT, LiteRT-LM, ONNX, page."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from export.extras import missing_package

if TYPE_CHECKING:
    from export.formats.litert import litert as litert
    from export.formats.litertlm import litertlm as litertlm
    from export.formats.mediapipe import mediapipe as mediapipe
    from export.formats.onnx import onnx as onnx
    from export.formats.saved_model import saved_model as saved_model
    from export.formats.web import web as web
    from export.predictor import Predictor as Predictor
    from export.report import Check as Check
    from export.report import Report as Report
    from export.report import VerificationError as VerificationError
    from export.served import verify_served as verify_served
    from export.sweep_result import Sweep as Sweep
    from export.sweeping import sweep as sweep
    from export.verification import verify as verify

# Modules by public name. They are imported on first use, so that calling a LiteRT file needs no
# TensorFlow.
_MODULES = {
    "Check": "report",
    "Predictor": "predictor",
    "Report": "report",
    "Sweep": "sweep_result",
    "VerificationError": "report",
    "litert": "formats.litert",
    "litertlm": "formats.litertlm",
    "mediapipe": "formats.mediapipe",
    "onnx": "formats.onnx",
    "saved_model": "formats.saved_model",
    "sweep": "sweeping",
    "verify": "verification",
    "verify_served": "served",
    "web": "formats.web",
}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"export.{_MODULES[name]}"), name)
    except ModuleNotFoundError as error:
        if message := missing_package(error):
            raise ImportError(message) from error
        raise
