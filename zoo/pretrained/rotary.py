"""The rotary positions of a `config.json`."""

import math
from collections.abc import Mapping
from typing import Any

from keras_attn.position.scaling import KINDS, scaling_of
from zoo.errors import UserError
from zoo.pretrained.checkpoint import CONFIG, Checkpoint

THETA = 10_000.0  # of files that do not say it


def positions_of(checkpoint: Checkpoint) -> dict[str, Any]:
    """The rotary positions, which newer files have in `rope_parameters`.

    Raises:
        UserError: If their scaling is not supported, or a number is none.
    """
    config = checkpoint.config
    name = "rope_parameters" if config.get("rope_parameters") else "rope_scaling"
    return rotary(checkpoint, name, config.get(name) or {}, config.get("rope_theta", THETA))


def rotary(
    checkpoint: Checkpoint, name: str, parameters: Mapping[str, Any], theta: Any
) -> dict[str, Any]:
    """The options `rope_theta` and, if there is one, `rope_scaling`.

    Args:
        checkpoint: The checkpoint.
        name: Name of the parameters in `config.json`, for messages.
        parameters: The parameters, which may have `rope_theta`.
        theta: The base, if they have none.

    Raises:
        UserError: If the scaling is not supported, or a number is none.
    """
    path, config = checkpoint.folder / CONFIG, checkpoint.config
    if not isinstance(parameters, dict):
        raise UserError(f"{path}: {name} must be an object")
    given = dict(parameters)
    kind = given.pop("rope_type", given.pop("type", "default"))
    given.pop("type", None)
    theta = given.pop("rope_theta", theta)
    if type(theta) not in (int, float) or not 0 < theta < math.inf:
        raise UserError(f"{path}: rope_theta must be a positive number, got {theta!r:.40}")
    part = given.pop("partial_rotary_factor", config.get("partial_rotary_factor", 1.0))
    if part != 1:
        raise UserError(f"partial_rotary_factor = {part!r:.40} is not supported; expected 1")
    if kind == "default":
        return {"rope_theta": float(theta)}
    if kind == "llama3":
        given.setdefault("original_max_position_embeddings", config.get("max_position_embeddings"))
    scaling = {"rope_type": kind, **given}
    try:
        scaling_of(scaling)
    except ValueError as error:
        if kind not in KINDS:
            raise UserError(
                f"rope_type = {kind!r:.40} is not supported; expected default, {', '.join(KINDS)}"
            ) from None
        raise UserError(f"{path}: {name}: {error}") from None
    return {"rope_theta": float(theta), "rope_scaling": scaling}
