"""Fine-tuning layer by layer: lower layers frozen, or at lower learning rates."""

from typing import Protocol, runtime_checkable

import keras

from zoo.errors import UserError
from zoo.option_names import option_name


@runtime_checkable
class Layered(Protocol):
    """A model with groups of layers."""

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers from the input up."""


def freeze(model: keras.Model, count: int) -> None:
    """Freezes the lowest layer groups, and makes all others trainable.

    Source: Howard & Ruder 2018, section 3.3.

    Args:
        model: A model; with `layer_groups`, lists of layers from the input up, unless count is 0.
        count: Number of lowest layer groups to freeze.

    Raises:
        UserError: If the model has no layer groups, or fewer.
    """
    if not count and not isinstance(model, Layered):
        return
    groups = _groups(model, "freeze")
    if not 0 <= count <= len(groups):
        name = option_name("freeze")
        raise UserError(f"{name} must be from 0 to {len(groups)} for {model.name}, got {count}")
    for number, group in enumerate(groups):
        for layer in group:
            layer.trainable = number >= count


def layer_rates(model: keras.Model, decay: float) -> dict[str, float]:
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


def _groups(model: keras.Model, option: str) -> list[list[keras.layers.Layer]]:
    if not isinstance(model, Layered):
        raise UserError(
            f"{option} is for models with layer groups, such as bert; {model.name} has none"
        )
    return model.layer_groups
