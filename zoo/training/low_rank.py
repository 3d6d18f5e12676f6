"""Fine-tuning by low-rank updates (LoRA): what is trained, frozen and saved."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import keras
import numpy as np

from keras_attn.attention.low_rank import LowRankUpdate
from keras_attn.low_rank import (
    add_updates,
    freeze_kernels,
    frozen_dtype,
    projections_of,
    updatable_of,
    updates_of,
)
from zoo.errors import UserError
from zoo.option_names import option_name
from zoo.training.options import BASE_DTYPES, FLOAT32

ALL = "all"  # of the projections


@runtime_checkable
class HasOwnLayers(Protocol):
    """A model with layers that its task adds to a backbone."""

    @property
    def own_layers(self) -> list[keras.layers.Layer]:
        """The layers that are not those of the backbone."""


@dataclass(frozen=True, kw_only=True)
class LowRankPlan:
    """The low-rank updates of a model.

    Args:
        rank: Rank of each update.
        alpha: Factor of the updates, which is divided by the rank.
        layers: Usual names of the projections, such as "q_proj"; or "all".
        seed: Seed of the first matrices.
        base_dtype: Dtype of the kernels of all projections, which are frozen.
    """

    rank: int
    alpha: float
    layers: tuple[str, ...] = (ALL,)
    seed: int = 0
    base_dtype: str = FLOAT32

    def names(self, model: keras.Model) -> list[str]:
        """The usual names of the projections of a model that are updated.

        Raises:
            UserError: If the model has no such projections.
        """
        known = sorted({name.rpartition(".")[2] for name in updatable_of(model)})
        if not known:
            raise UserError(
                f"{option_name('lora_rank')} is for Transformer models; {model.name} has no "
                "projections that it changes"
            )
        if ALL in self.layers:
            return known
        for name in self.layers:
            if name not in known:
                raise UserError(
                    f"{option_name('lora_layers')}: {model.name} has no {name!r}; choose from "
                    f"{', '.join([ALL, *known])}"
                )
        return sorted(set(self.layers))


def base_dtype_of(training: Mapping[str, Any]) -> str:
    """The dtype of the frozen kernels of a run, by its training options.

    Raises:
        UserError: If it is not known.

    Example:
        >>> base_dtype_of({}), base_dtype_of({"lora_base_dtype": "int8"})
        ('float32', 'int8')
    """
    dtype = training.get("lora_base_dtype", FLOAT32)
    if dtype not in BASE_DTYPES:
        choices = ", ".join(BASE_DTYPES)
        raise UserError(
            f"{option_name('lora_base_dtype')} must be one of {choices}, got {dtype!r:.40}"
        )
    return dtype


def plan_of(model: keras.Model) -> LowRankPlan | None:
    """The plan of the updates that a model has; None if there are none."""
    updates = updates_of(model)
    if not updates:
        return None
    first = next(iter(updates.values()))
    names = {name.rpartition(".")[2] for name in updates}
    return LowRankPlan(
        rank=first.rank,
        alpha=first.alpha,
        layers=tuple(sorted(names)),
        base_dtype=frozen_dtype(model),
    )


def prepare_updates(model: keras.Model, plan: LowRankPlan | None) -> None:
    """Adds the updates of a plan, unless the model has them, and freezes the rest of the model.

    The layers that a task adds to a backbone, such as a classifier, are trained, too.

    Source: Hu et al. 2022, section 4.

    Raises:
        UserError: If the model has other updates, or none can be added.
    """
    before = plan_of(model)
    if plan is None:
        if before is not None:
            raise UserError(
                f"{model.name} has low-rank updates of rank {before.rank}: train with "
                f"{option_name('lora_rank')} {before.rank}, or start a new run from this one, "
                "which merges them"
            )
        return
    names = plan.names(model)
    if before is None:
        add_updates(model, plan.rank, plan.alpha, names, plan.seed)
        freeze_kernels(model, plan.base_dtype)
    elif (before.rank, before.alpha, list(before.layers)) != (plan.rank, plan.alpha, names):
        raise UserError(
            f"{model.name} has low-rank updates of rank {before.rank}, alpha {before.alpha:g} and "
            f"layers {', '.join(before.layers)}: train with these"
        )
    elif before.base_dtype != plan.base_dtype:
        raise UserError(
            f"{model.name} has frozen kernels in {before.base_dtype}: train with "
            f"{option_name('lora_base_dtype')} {before.base_dtype}, or start a new run from it"
        )
    trained = {id(weight) for weight in TrainedPart(model).weights}
    for weight in model.weights:
        weight.trainable = weight.trainable and id(weight) in trained


def trained_part(model: keras.Model) -> keras.Model:
    """What is saved of a model in training: the trained layers if it has low-rank updates."""
    return TrainedPart(model) if updates_of(model) else model


class TrainedPart(keras.Model):
    """The low-rank updates of a model, and the layers of its task, as a model to be saved.

    Args:
        model: The model, whose optimizer it has.
    """

    def __init__(self, model: keras.Model) -> None:
        super().__init__(name=f"{model.name}_updates")
        self.updates: list[LowRankUpdate] = list(updates_of(model).values())
        self.heads = list(model.own_layers) if isinstance(model, HasOwnLayers) else []
        self.optimizer = model.optimizer if model.compiled else None
        self.built = True


def base_weights(model: keras.Model) -> list[keras.Variable]:
    """The weights of a model that are not trained with its low-rank updates, in their order."""
    trained = {id(weight) for weight in TrainedPart(model).weights}
    return [weight for weight in model.weights if id(weight) not in trained]


def fingerprint(model: keras.Model, base_dtype: str = FLOAT32) -> str:
    """The SHA-256 of the weights that the low-rank updates of a model belong to, in float32.

    Args:
        model: The model.
        base_dtype: The dtype that the kernels of the projections are rounded to.
    """
    projections = projections_of(model) if base_dtype != FLOAT32 else []
    kernels = {id(weight) for each in projections for weight in each.kernel_weights}
    arrays: list[Any] = [each.rounded_kernel(base_dtype) for each in projections]
    arrays += [weight for weight in base_weights(model) if id(weight) not in kernels]
    total = hashlib.sha256()
    for each in arrays:
        array = np.ascontiguousarray(keras.ops.convert_to_numpy(each), "float32")
        total.update(f"{array.shape}\0".encode() + array.tobytes())
    return total.hexdigest()
