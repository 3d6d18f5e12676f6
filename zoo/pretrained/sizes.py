"""Checks the sizes of a `config.json` against the tensors, before anything is built from them."""

from collections.abc import Mapping

from zoo.errors import UserError
from zoo.pretrained.checkpoint import CONFIG, Checkpoint

Sizes = Mapping[str, tuple[str, int]]  # key in `config.json` -> name of a tensor, and its axis


def check_sizes(
    checkpoint: Checkpoint, sizes: Sizes, layers: Mapping[str, str], prefix: str = ""
) -> None:
    """Checks that no size is greater than that of the tensor that it is the size of.

    Args:
        checkpoint: The checkpoint.
        sizes: The tensor and the axis of each size. Keys may be missing.
        layers: The beginning of the names of each layer's tensors, by the key of the number of
            layers.
        prefix: What the names of all tensors begin with.

    Raises:
        UserError: If a size is not a positive integer or is too great, or a tensor is missing.
    """
    for key in (*sizes, *layers):
        value = checkpoint.config.get(key)
        if value is not None and (type(value) is not int or value < 1):
            raise UserError(
                f"{checkpoint.folder / CONFIG}: {key} must be a positive integer, got {value!r:.40}"
            )
    for key, (name, axis) in sizes.items():
        if (value := checkpoint.config.get(key)) is None:
            continue
        shape = checkpoint.shape(prefix + name)
        if len(shape) <= axis or value > shape[axis]:
            raise UserError(
                f"{checkpoint.folder / CONFIG}: {key} = {value}, but the tensor {prefix + name} "
                f"has the shape {shape}"
            )
    for key, beginning in layers.items():
        count = checkpoint.config.get(key)
        if count is not None and not checkpoint.has_any((f"{prefix}{beginning}{count - 1}.",)):
            raise UserError(
                f"{checkpoint.folder / CONFIG}: {key} = {count}, but there are no tensors of "
                f"{prefix}{beginning}{count - 1}"
            )
