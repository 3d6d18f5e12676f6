"""Other people's checkpoints as tasks."""

from zoo.pretrained.load import from_pretrained

__all__ = ["from_pretrained"]
