"""Export a Keras model or a task to a SavedModel or a LiteRT file that is verified against it."""

from export.litert import litert
from export.report import Check, Report, VerificationError
from export.saved_model import saved_model
from export.verify import verify

__all__ = ["Check", "Report", "VerificationError", "litert", "saved_model", "verify"]
