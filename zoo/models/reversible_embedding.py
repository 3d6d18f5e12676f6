"""Token embeddings that also give the logits of the tokens."""

from typing import Any

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="keras_attn")
class ReversibleEmbedding(keras.layers.ReversibleEmbedding):
    """`keras.layers.ReversibleEmbedding` with logits in float32 under every policy.

    Under mixed precision only the logits themselves need float32. The two products of their
    gradient, which take twice the time, are computed in the compute dtype, as in every dense layer.
    It has the name of Keras's layer in weights files.

    Source: Press & Wolf 2016; Micikevicius et al. 2017, section 3.
    Formula: `y = E[ids]`, or with `reverse` the logits `y = x E^T`; without `tie_weights` `y = x W`

    Args:
        input_dim: Number of tokens V.
        output_dim: Width D.
        **kwargs: Keyword arguments of `keras.layers.ReversibleEmbedding`.

    Inputs: Ids (B, T); with `reverse` hidden states (..., D).
    Outputs: (B, T, D), or logits (..., V).

    Example:
        >>> layer = ReversibleEmbedding(5, 3, dtype="mixed_bfloat16")
        >>> layer(layer(ops.array([[4, 2]])), reverse=True).dtype.name
        'float32'
    """

    def __init__(self, input_dim: int, output_dim: int, **kwargs: Any) -> None:
        super().__init__(input_dim, output_dim, **{**kwargs, "reverse_dtype": "float32"})

    def call(self, inputs: Any, reverse: bool = False) -> Any:
        if not reverse or self.compute_dtype == "float32" or self.quantization_mode is not None:
            return super().call(inputs, reverse=reverse)
        kernel = self.embeddings if self.tie_weights else ops.transpose(self.reverse_embeddings)
        return logits_of(ops.cast(inputs, self.compute_dtype), kernel)


def logits_of(x: Any, embeddings: Any) -> Any:
    """Multiplies hidden states by embeddings, with a result in float32.

    Formula: `y = x E^T`; for the gradient, `dx = dy E` and `dE = dy^T x` with dy in the dtype of x

    Args:
        x: Tensor (..., D), in 16 bits.
        embeddings: Tensor (V, D).

    Returns:
        Tensor (..., V) in float32.

    Example:
        >>> x = ops.cast([[1.0, 2.0]], "bfloat16")
        >>> ops.convert_to_numpy(logits_of(x, ops.cast([[3.0, 4.0]], "bfloat16"))).tolist()
        [[11.0]]
    """

    @ops.custom_gradient
    def product(x: Any, embeddings: Any) -> Any:
        def gradient(*upstreams: Any, upstream: Any = None) -> tuple[Any, Any]:
            # PyTorch passes it by name, after the inputs.
            upstream = upstreams[0] if upstream is None else upstream
            upstream = ops.cast(upstream, x.dtype)
            rows = ops.reshape(upstream, (-1, embeddings.shape[0]))
            of_embeddings = ops.matmul(
                ops.transpose(rows), ops.reshape(x, (-1, embeddings.shape[1]))
            )
            return ops.matmul(upstream, embeddings), of_embeddings

        return _product_in_float32(x, ops.transpose(embeddings)), gradient

    return product(x, ops.cast(embeddings, x.dtype))


def _product_in_float32(x: Any, y: Any) -> Any:
    """The sums of a product are in float32; on JAX, what is multiplied keeps its 16 bits."""
    if keras.backend.backend() == "jax":
        import jax.numpy as jnp

        return jnp.matmul(x, y, preferred_element_type="float32")
    return ops.matmul(ops.cast(x, "float32"), ops.cast(y, "float32"))
