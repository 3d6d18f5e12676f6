"""Checks of the sizes of a `config.json` against the tensors, before anything is built."""

from collections.abc import Mapping

from zoo.errors import UserError
from zoo.pretrained.checkpoint import CONFIG, Checkpoint

Sizes = Mapping[str, tuple[str, int]]  # key in `config.json` -> name of a tensor, and its axis
MAX_LAYERS = 1000  # a layer takes memory even if its tensors are tiny


def check_sizes(
    checkpoint: Checkpoint, width: str, sizes: Sizes, layers: Mapping[str, str], prefix: str = ""
) -> None:
    """Checks that no size is greater than that of the tensor that it is the size of.

    Args:
        checkpoint: The checkpoint.
        width: The key of the width of the model, which is one of `sizes`.
        sizes: The tensor and the axis of each size. Keys may be missing.
        layers: The beginning of the names of each layer's tensors, by the key of the number of
            layers.
        prefix: What the names of all tensors begin with.

    Raises:
        UserError: If a size is not a positive integer or is too great, or a tensor is missing.
    """
    config, path = checkpoint.config, checkpoint.folder / CONFIG
    for key in (*sizes, *layers):
        value = config.get(key)
        if value is not None and (type(value) is not int or value < 1):
            raise UserError(f"{path}: {key} must be a positive integer, got {value!r:.40}")
    ends = [(key, name, axis) for key, (name, axis) in sizes.items()]
    # And the width is that of their other axis, so that their product is no greater, either.
    ends += [(width, name, 1 - axis) for key, (name, axis) in sizes.items() if key != width]
    for key, name, axis in ends:
        if (value := config.get(key)) is None:
            continue
        shape = checkpoint.shape(prefix + name)
        if len(shape) != 2 or value > shape[axis]:
            tensor = f"the tensor {prefix + name} has the shape {shape}"
            raise UserError(f"{path}: {key} = {value}, but {tensor}")
    for key, beginning in layers.items():
        count, there = config.get(key) or 0, checkpoint.layers(prefix + beginning)
        missing = next((n for n in range(min(count, MAX_LAYERS + 1)) if str(n) not in there), None)
        if missing is not None:
            what = f"there are no tensors of {prefix}{beginning}{missing}"
            raise UserError(f"{path}: {key} = {count}, but {what}")
        if count > MAX_LAYERS:
            raise UserError(f"{path}: {key} must be at most {MAX_LAYERS}, got {count}")
