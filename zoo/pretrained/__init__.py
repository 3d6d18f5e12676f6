"""Hugging Face checkpoints and KerasHub presets: tasks created from them, and written as them."""

from zoo.pretrained.load import from_pretrained
from zoo.pretrained.save import to_pretrained

__all__ = ["from_pretrained", "to_pretrained"]
