"""Low-rank updates of the projections of a whole model: added, listed and merged."""

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import keras

from keras_attn.attention.frozen_kernel import FLOAT32
from keras_attn.attention.low_rank import LowRankUpdate
from keras_attn.attention.projection import HasUpdatable, Projection, Updatable


def updatable_of(model: keras.Model) -> dict[str, Updatable]:
    """The projections of a model that low-rank updates can change, by name.

    A name is the path of the layer, a point, and the usual name of the projection.

    Args:
        model: A built model.

    Example:
        >>> import keras_attn
        >>> x = keras.Input((None, 4))
        >>> block = keras_attn.EncoderBlock(num_heads=2, intermediate_dim=7, name="block_0")
        >>> [*updatable_of(keras.Model(x, block(x)))][:2]
        ['block_0/attention.q_proj', 'block_0/attention.k_proj']
    """
    named: dict[str, Updatable] = {}
    for layer in model._flatten_layers():
        if isinstance(layer, HasUpdatable):
            # Keras numbers layers without a name of their own through the whole process.
            path = re.sub(r"(_\d+)?$", "", layer.path, count=1)
            named |= {f"{path}.{name}": each for name, each in layer.updatable.items()}
    return named


def updates_of(model: keras.Model) -> dict[str, LowRankUpdate]:
    """The low-rank updates of a model, by the names of `updatable_of`."""
    return {
        name: update
        for name, each in updatable_of(model).items()
        for update in each.projection.updates
        if update.part == each.part
    }


def add_updates(
    model: keras.Model, rank: int, alpha: float, layers: Collection[str], seed: int = 0
) -> dict[str, LowRankUpdate]:
    """Adds a low-rank update to each projection with one of the given names.

    Args:
        model: A built model, without updates.
        rank: See `LowRankUpdate`.
        alpha: See `LowRankUpdate`.
        layers: Usual names of projections, such as "q_proj" and "v_proj".
        seed: Seed of the first matrices.

    Returns:
        The updates by the names of `updatable_of`.

    Raises:
        ValueError: If no projection of the model has one of the names.

    Example:
        >>> import keras_attn
        >>> x = keras.Input((None, 4))
        >>> model = keras.Model(x, keras_attn.EncoderBlock(num_heads=2, intermediate_dim=7)(x))
        >>> added = add_updates(model, rank=2, alpha=4.0, layers=["q_proj"])
        >>> [tuple(weight.shape) for update in added.values() for weight in update.weights]
        [(4, 2), (2, 4)]
    """
    projections = updatable_of(model)
    known = {_usual_name(name) for name in projections}
    for name in layers:
        if name not in known:
            choices = ", ".join(sorted(known)) or "none"
            raise ValueError(f"the model has no projection {name!r}; it has {choices}.")
    return {
        name: each.projection.add_update(_usual_name(name), rank, alpha, each.part, seed + number)
        for number, (name, each) in enumerate(projections.items())
        if _usual_name(name) in layers
    }


def freeze_kernels(model: keras.Model, dtype: str) -> None:
    """Replaces the kernels that low-rank updates can change by kernels in 16 or 8 bits.

    Embeddings, biases and normalizations stay as they are.

    Source: Dettmers et al. 2023 (QLoRA), section 3, with int8 or bfloat16 in place of NF4.

    Args:
        model: A built model; kernels that are frozen already stay as they are.
        dtype: "bfloat16" or "int8", with a scale for each output; "float32" changes nothing.

    Raises:
        ValueError: If `dtype` is another.

    Example:
        >>> import keras_attn
        >>> x = keras.Input((None, 4))
        >>> model = keras.Model(x, keras_attn.EncoderBlock(num_heads=2, intermediate_dim=7)(x))
        >>> freeze_kernels(model, "int8")
        >>> frozen_dtype(model)
        'int8'
    """
    for projection in projections_of(model):
        if dtype != FLOAT32 and projection.frozen_dtype == FLOAT32:
            projection.freeze_kernel(dtype)


def frozen_dtype(model: keras.Model) -> str:
    """The dtype that `freeze_kernels` gave the kernels of a model; "float32" if none."""
    return next((each.frozen_dtype for each in projections_of(model)), FLOAT32)


def projections_of(model: keras.Model) -> list[Projection]:
    """The projections that low-rank updates can change, each once."""
    return list({id(x.projection): x.projection for x in updatable_of(model).values()}.values())


def _usual_name(name: str) -> str:
    return name.rpartition(".")[2]


@contextmanager
def merged_updates(model: keras.Model) -> Iterator[None]:
    """A context in which the kernels of a model contain its low-rank updates, which are gone.

    Kernels that `freeze_kernels` replaced are in float32 again, with their rounded values.

    Source: Hu et al. 2022, section 4.1, "No Additional Inference Latency".
    Formula: `W + alpha / r A B`, in float64

    Args:
        model: A model; one without updates is left alone.
    """
    projections = [
        each for each in projections_of(model) if each.updates or each.frozen_dtype != FLOAT32
    ]
    taken = [projection.merge_updates() for projection in projections]
    try:
        yield
    finally:
        for projection, before in zip(projections, taken, strict=True):
            projection.restore_updates(before)
