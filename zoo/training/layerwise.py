"""Training the layers of a pretrained model unlike: the lower ones less, or not at all."""

from typing import Any

from zoo.errors import UserError


def freeze(model: Any, count: int) -> None:
    """Leaves the lowest stages as they are; all others learn.

    Source: Howard & Ruder 2018, section 3.3.

    Args:
        model: A model; one with `stages`, lists of layers from the input up, if any is frozen.
        count: How many.

    Raises:
        UserError: If the model has no stages, or not so many that one is left.
    """
    if not count and not hasattr(model, "stages"):
        return
    stages = _stages(model, "freeze")
    if not 0 <= count <= len(stages):
        raise UserError(f"freeze must be from 0 to {len(stages)} for {model.name}, got {count}")
    for number, stage in enumerate(stages):
        for layer in stage:
            layer.trainable = number >= count


def layer_rates(model: Any, decay: float) -> dict[str, float]:
    """The factor of the learning rate of each weight, by its path.

    Source: Howard & Ruder 2018, section 3.2; Clark et al. 2020, appendix B.
    Formula: in stage i of n, from the input up, `decay^(n - i)`; 1 above the stages

    Args:
        model: A model; one with `stages` unless decay is 1.
        decay: Above 0, at most 1.

    Raises:
        UserError: If decay is out of its range, or the model has no stages.
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
        raise UserError(f"{option} is for stacks of blocks, such as bert; {model.name} is none")
    return model.stages
