"""Export a Keras model or a task to a SavedModel, a LiteRT file or ONNX files, and verify them."""

from export.litert import litert
from export.onnx import onnx
from export.predictor import Predictor
from export.report import Check, Report, VerificationError
from export.saved_model import saved_model
from export.verify import verify

__all__ = [
    "Check",
    "Predictor",
    "Report",
    "VerificationError",
    "litert",
    "onnx",
    "saved_model",
    "verify",
]
