"""HTML reports of a run: the model, its training curves, attention maps and predictions."""

from zoo.report.page import report

__all__ = ["report"]
