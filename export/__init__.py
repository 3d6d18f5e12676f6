"""A model or a task -> SavedModel or LiteRT file, verified to behave like what it came from."""

from export.litert import litert
from export.report import Check, Report, VerificationError
from export.saved_model import saved_model
from export.verify import verify

__all__ = ["Check", "Report", "VerificationError", "litert", "saved_model", "verify"]
