"""A run as one page: what was trained, how it went, what the model looks at, what it writes."""

from zoo.report.page import report

__all__ = ["report"]
