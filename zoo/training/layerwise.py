"""Fine-tuning layer by layer: lower layers frozen, or at lower learning rates."""

from typing import Any

from zoo.errors import UserError
from zoo.option_names import option_name


def freeze(model: Any, count: int) -> None:
    """Freezes the lowest layer groups, and makes all others trainable.

    Source: Howard & Ruder 2018, section 3.3.

    Args:
        model: A model; with `layer_groups`, lists of layers from the input up, unless count is 0.
        count: Number of lowest layer groups to freeze.

    Raises:
        UserError: If the model has no layer groups, or fewer.
    """
    if not count and not hasattr(model, "layer_groups"):
        return
    groups = _groups(model, "freeze")
    if not 0 <= count <= len(groups):
        name = option_name("freeze")
        raise UserError(f"{name} must be from 0 to {len(groups)} for {model.name}, got {count}")
    for number, group in enumerate(groups):
        for layer in group:
            layer.trainable = number >= count


def layer_rates(model: Any, decay: float) -> dict[str, float]:
    """The factor of the learning rate of each weight in a layer group, by the weight's path.

    Source: Howard & Ruder 2018, section 3.2; Clark et al. 2020, appendix B.
    Formula: in group i of n, counted from 0 at the input, `decay^(n - i)`; 1 above the groups

    Args:
        model: A model; with `layer_groups` unless decay is 1.
        decay: Factor from one layer group to the one below it, in (0, 1].

    Raises:
        UserError: If decay is out of its range, or the model has no layer groups.
    """
    if not 0 < decay <= 1:
        raise UserError(f"layer_decay must be above 0 and at most 1, got {decay}")
    if decay == 1:
        return {}
    groups = _groups(model, "layer_decay")
    return {
        weight.path: decay ** (len(groups) - number)
        for number, group in enumerate(groups)
        for layer in group
        for weight in layer.weights
    }


def _groups(model: Any, option: str) -> list[list[Any]]:
    if not hasattr(model, "layer_groups"):
        raise UserError(
            f"{option} is for models with layer groups, such as bert; {model.name} has none"
        )
    groups: list[list[Any]] = model.layer_groups
    return groups
