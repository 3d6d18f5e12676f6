"""Rematerialization: activations computed again for the gradient instead of stored, on JAX."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import keras

from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.blocks.transformer_block import TransformerBlock
from zoo.errors import UserError


def check_remat(remat: bool) -> None:
    """Checks that activations can be recomputed.

    Args:
        remat: Whether they should be.

    Raises:
        UserError: If the backend is not JAX.

    Example:
        >>> check_remat(False)
    """
    if remat and keras.backend.backend() != "jax":
        raise UserError(
            f"remat requires the backend jax, not {keras.backend.backend()}: set the environment "
            "variable KERAS_BACKEND=jax"
        )


@contextmanager
def rematerialized(model: keras.Model, remat: bool) -> Iterator[list[str]]:
    """Trains a model within a `with` block, and keeps only what enters its Transformer blocks.

    `keras.RematScope` cannot be used, since it loses the seeds of dropout.

    Source: Chen et al. 2016, section 4: a checkpoint before each block.

    Args:
        model: A built model, which is compiled within the block.
        remat: Whether to do so.

    Yields:
        Lines for the log.

    Raises:
        UserError: If the model has no Transformer blocks, or a penalty of attention weights.

    Example:
        >>> model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        >>> with rematerialized(model, False) as notes:
        ...     notes
        []
    """
    if not remat:
        yield []
        return
    layers = model._flatten_layers()
    blocks = [layer for layer in layers if isinstance(layer, TransformerBlock)]
    if not blocks:
        raise UserError(f"remat requires Transformer blocks, which {model.name} does not have")
    attentions = [layer for layer in layers if isinstance(layer, MultiHeadAttention)]
    if any(attention.attention_regularizer is not None for attention in attentions):
        raise UserError("remat requires head_diversity=0: a block would lose the penalty")
    for block in blocks:
        block.call = _recomputed(block)
    try:
        yield [f"the activations of {len(blocks)} blocks are recomputed for the gradient"]
    finally:
        for block in blocks:
            del block.call
        model.train_function = None


def _recomputed(layer: keras.Layer) -> Callable[..., Any]:
    import jax

    call = layer.call

    def recomputed_call(*args: Any, **options: Any) -> Any:
        variables = layer.variables

        @jax.checkpoint
        def compute(values: list[Any]) -> tuple[Any, list[Any]]:
            # The seeds of dropout are variables, too, and those of both passes are the same.
            with keras.StatelessScope(list(zip(variables, values, strict=True))) as scope:
                outputs = call(*args, **options)
            return outputs, [scope.get_current_value(variable) for variable in variables]

        outputs, values = compute([variable.value for variable in variables])
        for variable, value in zip(variables, values, strict=True):
            if not variable.trainable:
                variable.assign(value)
        return outputs

    return recomputed_call
