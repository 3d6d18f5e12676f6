"""Creates tasks from Hugging Face checkpoints and KerasHub presets, and writes checkpoints."""

from zoo.pretrained.load import from_pretrained
from zoo.pretrained.save import to_pretrained

__all__ = ["from_pretrained", "to_pretrained"]
