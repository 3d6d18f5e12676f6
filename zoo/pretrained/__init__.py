"""Other people's checkpoints as tasks, and tasks as checkpoints."""

from zoo.pretrained.load import from_pretrained
from zoo.pretrained.save import to_pretrained

__all__ = ["from_pretrained", "to_pretrained"]
