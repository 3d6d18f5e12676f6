"""Fine-tuning by layer: freezing the lower layers, or lowering their learning rates."""

from typing import Any

from zoo.errors import UserError


def freeze(model: Any, count: int) -> None:
    """Freezes the lowest layer groups of a model; all other layers are trainable.

    Source: Howard & Ruder 2018, section 3.3.

    Args:
        model: A model. To freeze any layers it needs `stages`, lists of layers from the input up.
        count: Number of lowest layer groups to freeze.

    Raises:
        UserError: If the model has no `stages`, or `count` is negative or exceeds their number.
    """
    if not count and not hasattr(model, "stages"):
        return
    stages = _stages(model, "freeze")
    if not 0 <= count <= len(stages):
        raise UserError(
            f"freeze must be from 0 to {len(stages)}, the number of layer groups of {model.name}; "
            f"got {count}"
        )
    for number, stage in enumerate(stages):
        for layer in stage:
            layer.trainable = number >= count


def layer_rates(model: Any, decay: float) -> dict[str, float]:
    """Learning rate factor of each weight, by the weight's path.

    Source: Howard & Ruder 2018, section 3.2; Clark et al. 2020, appendix B.
    Formula: `decay^(n - i)` for layer group i of n, from the input up; 1 above the layer groups

    Args:
        model: A model. Unless `decay` is 1, it needs `stages`, lists of layers from the input up.
        decay: Learning rate factor between neighboring layer groups, above 0 and at most 1.

    Returns:
        A dict from weight paths to factors, empty if `decay` is 1.

    Raises:
        UserError: If `decay` is out of range, or the model has no `stages`.
    """
    if not 0 < decay <= 1:
        raise UserError(f"layer_decay must be above 0 and at most 1, got {decay}")
    if decay == 1:
        return {}
    stages = _stages(model, "layer_decay")
    return {
        weight.path: decay ** (len(stages) - number)
        for number, stage in enumerate(stages)
        for layer in stage
        for weight in layer.weights
    }


def _stages(model: Any, option: str) -> list[list[Any]]:
    if not hasattr(model, "stages"):
        raise UserError(
            f"{option} requires a model with layer groups, such as bert; {model.name} has none"
        )
    return model.stages
