"""Export a Keras model or a task to a SavedModel, a LiteRT file, ONNX files or a page, verified."""

from export.litert import litert
from export.mediapipe import mediapipe
from export.onnx import onnx
from export.predictor import Predictor
from export.report import Check, Report, VerificationError
from export.saved_model import saved_model
from export.sweep import sweep
from export.sweep_result import Sweep
from export.verify import verify
from export.web import web

__all__ = [
    "Check",
    "Predictor",
    "Report",
    "Sweep",
    "VerificationError",
    "litert",
    "mediapipe",
    "onnx",
    "saved_model",
    "sweep",
    "verify",
    "web",
]
