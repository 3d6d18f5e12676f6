"""Creates tasks from Hugging Face checkpoints, and writes tasks as Hugging Face checkpoints."""

from zoo.pretrained.load import from_pretrained
from zoo.pretrained.save import to_pretrained

__all__ = ["from_pretrained", "to_pretrained"]
