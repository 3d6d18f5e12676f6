"""HTML reports of a run: the model, its training curves, attention maps and predictions."""

from zoo.report.page import report
from zoo.report.watch import watch

__all__ = ["report", "watch"]
