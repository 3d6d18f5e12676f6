"""Models for sequences, and the tasks that train them on people's own files."""

from zoo.catalog import create_model, list_models
from zoo.tasks.load import load
from zoo.tasks.text_to_text import TextToText

__all__ = ["TextToText", "create_model", "list_models", "load"]
