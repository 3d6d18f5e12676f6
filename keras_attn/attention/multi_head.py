"""Attention of many heads, with a cache for decoding."""

from typing import Any

import keras
from keras import ops

from keras_attn.attention.attention import Attention
from keras_attn.attention.projection import Projection
from keras_attn.functional.heads import merge_heads
from keras_attn.functional.masks import merge_attention_masks

AGGREGATES = ("project", "concat", "mean")


@keras.saving.register_keras_serializable(package="keras_attn")
class MultiHeadAttention(keras.layers.Layer):
    """Several attentions beside one another, each over its own projections.

    Source: Vaswani et al. 2017, section 3.2.2.
    Formula: `head^j = Attention(Q W_q^j, K W_k^j, V W_v^j)` and
    `output = [head^1 ... head^J] W_o` (project), `[head^1 ... head^J]` (concat) or
    `(head^1 + ... + head^J) / J` (mean)

    With default arguments it takes the weights of `keras.layers.MultiHeadAttention` and gives
    the same numbers. A query that may look nowhere gets zero weights and only the output bias.

    Args:
        num_heads: Number of heads H.
        key_dim: Width K of one head's queries and keys.
        value_dim: Width Kv of one head's values; key_dim by default.
        dropout: Share of the weights that training drops.
        use_bias: Whether the projections have biases.
        output_shape: Width of the projected output; that of the query by default.
        aggregate: "project", "concat" or "mean".
        tie_key_value: Whether values are projected by the keys' weights.
        score: Name of a score, or a `Score` layer; all heads share it.
        normalizer: Name of a normalizer, or a function `(scores, mask, axis)`.
        kernel_initializer: Initializer of the kernels.
        bias_initializer: Initializer of the biases.

    Inputs: As those of `Attention`, `query` (B, T, D), `value` (B, S, Dv), `key` (B, S, Dk) and
        the masks, except that `attention_mask` may also have heads, (B, H, T, S).
    Outputs: (B, T, output_shape), (B, T, H Kv) or (B, T, Kv) by aggregate; with
        `return_attention_scores` also the weights (B, H, T, S).

    Raises:
        ValueError: If a size is not positive, aggregate is unknown, output_shape is given where
            nothing is projected, or tied keys and values differ in width.

    Example:
        >>> layer = MultiHeadAttention(num_heads=2, key_dim=7)
        >>> x = ops.ones((3, 5, 11))
        >>> tuple(layer(x, x, use_causal_mask=True).shape)
        (3, 5, 11)
        >>> cache = layer.initial_cache(batch_size=3, max_length=5)
        >>> output, cache = layer.step(x[:, :1], cache, index=0)
        >>> tuple(output.shape), tuple(cache[0].shape)
        ((3, 1, 11), (3, 2, 5, 7))
    """

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: int | None = None,
        aggregate: str = "project",
        tie_key_value: bool = False,
        score: Any = "scaled_dot",
        normalizer: Any = "softmax",
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        sizes = dict(num_heads=num_heads, key_dim=key_dim, value_dim=value_dim)
        for name, size in dict(sizes, output_shape=output_shape).items():
            if size is not None and size < 1:
                raise ValueError(f"{name} must be a positive integer; received {size!r}.")
        if aggregate not in AGGREGATES:
            choices = ", ".join(AGGREGATES)
            raise ValueError(f"aggregate must be one of {choices}; received {aggregate!r}.")
        if output_shape is not None and aggregate != "project":
            raise ValueError(f"output_shape needs aggregate='project'; received {aggregate!r}.")
        if tie_key_value and value_dim not in (None, key_dim):
            raise ValueError(f"tie_key_value needs value_dim = key_dim; received {value_dim!r}.")
        self.num_heads = num_heads
        self.key_dim = key_dim
        self.value_dim = key_dim if value_dim is None else value_dim
        self.use_bias = use_bias
        self.aggregate = aggregate
        self.tie_key_value = tie_key_value
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.bias_initializer = keras.initializers.get(bias_initializer)
        self.attention = Attention(score, normalizer, dropout, dtype=self.dtype_policy)
        self.supports_masking = True
        self._output_width = output_shape

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        key_shape = value_shape if key_shape is None else key_shape
        if self.tie_key_value and value_shape[-1] != key_shape[-1]:
            widths = f"{value_shape[-1]} and {key_shape[-1]}"
            raise ValueError(
                f"tie_key_value needs value and key of equal width; received {widths}."
            )
        in_heads = (self.num_heads, self.key_dim)
        values_in_heads = (self.num_heads, self.value_dim)
        self._query = self._projection("query", query_shape, in_heads)
        self._key = self._value = self._projection("key", key_shape, in_heads)
        if not self.tie_key_value:
            self._value = self._projection("value", value_shape, values_in_heads)
        if self.aggregate == "project":
            width = self._output_width or query_shape[-1]
            contexts_shape = (*query_shape[:-1], *values_in_heads)
            self._output = self._projection("output", contexts_shape, (width,), values_in_heads)
        of_head = (None, self.num_heads, None, self.key_dim)
        self.attention.build(of_head, (*of_head[:-1], self.value_dim), of_head)

    def _projection(
        self, name: str, x_shape: tuple, outputs: tuple, inputs: tuple | None = None
    ) -> Projection:
        biases, kernels = self.bias_initializer, self.kernel_initializer
        projection = Projection(
            outputs, inputs, self.use_bias, kernels, biases, dtype=self.dtype_policy, name=name
        )
        projection.build(x_shape)
        return projection

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        attention_mask: Any = None,
        use_causal_mask: bool = False,
        return_attention_scores: bool = False,
        training: bool | None = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
    ) -> Any:
        mask = merge_attention_masks(
            query, value, attention_mask, use_causal_mask, query_mask, value_mask, key_mask
        )
        keys, values = self.project_keys_values(value, key)
        output, weights = self.attend(query, keys, values, mask, training)
        return (output, weights) if return_attention_scores else output

    def project_keys_values(self, value: Any, key: Any = None) -> tuple[Any, Any]:
        """Keys, prepared for the score, and values of all heads, as `attend` takes them.

        Args:
            value: Tensor (B, S, Dv).
            key: Tensor (B, S, Dk); the values by default.

        Outputs: Two tensors (B, H, S, K) and (B, H, S, Kv).
        """
        keys = _heads_first(self._key(value if key is None else key))
        is_same = self.tie_key_value and key is None
        values = keys if is_same else _heads_first(self._value(value))
        return self.attention.prepare(keys), values

    def attend(
        self,
        query: Any,
        keys: Any,
        values: Any,
        attention_mask: Any = None,
        training: bool | None = None,
    ) -> tuple[Any, Any]:
        """Attention over keys and values that `project_keys_values` gave.

        Args:
            query: Tensor (B, T, D).
            keys: Tensor (B, H, S, K).
            values: Tensor (B, H, S, Kv).
            attention_mask: Mask that broadcasts to (B, T, S) or (B, H, T, S).
            training: Whether to drop weights.

        Outputs: The output (B, T, ...) and the weights (B, H, T, S).
        """
        if attention_mask is not None and len(attention_mask.shape) == 3:
            attention_mask = ops.expand_dims(attention_mask, 1)
        query = _heads_first(self._query(query))
        heads, weights = self.attention.attend(query, keys, values, attention_mask, training)
        if self.aggregate == "mean":
            return ops.mean(heads, axis=1), weights
        if self.aggregate == "concat":
            return merge_heads(heads), weights
        return self._output(ops.swapaxes(heads, 1, 2)), weights

    def initial_cache(self, batch_size: Any, max_length: Any, dtype: Any = None) -> tuple[Any, Any]:
        """Room for the keys and values of all steps to come.

        Args:
            batch_size: Number of sequences B, an integer or a scalar tensor.
            max_length: Greatest number of steps L, the same.
            dtype: That of the cache; the compute dtype by default.

        Outputs: Two tensors of zeros, (B, H, L, K) and (B, H, L, Kv).
        """
        dtype = dtype or self.compute_dtype
        room = (batch_size, self.num_heads, max_length)
        keys = ops.zeros((*room, self.attention.score.prepared_width), dtype)
        return keys, ops.zeros((*room, self.value_dim), dtype)

    def step(self, query: Any, cache: tuple[Any, Any], index: Any) -> tuple[Any, tuple[Any, Any]]:
        """One step of causal self-attention, over the steps so far.

        Args:
            query: Tensor (B, 1, D), the input of this step.
            cache: What `initial_cache` or the previous step gave.
            index: Number of this step, from 0; an integer or a scalar tensor.

        Outputs: The output (B, 1, ...), as the whole-sequence causal call gives it at `index`,
            and the new cache.
        """
        index = ops.cast(index, "int32")
        keys, values = (
            ops.slice_update(old, (0, 0, index, 0), ops.cast(new, old.dtype))
            for old, new in zip(cache, self.project_keys_values(query), strict=True)
        )
        so_far = ops.less_equal(ops.arange(ops.shape(keys)[2], dtype="int32"), index)
        return self.attend(query, keys, values, so_far)[0], (keys, values)

    def get_config(self) -> dict[str, Any]:
        attention = self.attention.get_config()
        config = {name: attention[name] for name in ("score", "normalizer", "dropout")} | {
            "num_heads": self.num_heads,
            "key_dim": self.key_dim,
            "value_dim": self.value_dim,
            "use_bias": self.use_bias,
            "output_shape": self._output_width,
            "aggregate": self.aggregate,
            "tie_key_value": self.tie_key_value,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "bias_initializer": keras.initializers.serialize(self.bias_initializer),
        }
        return {**super().get_config(), **config}


def _heads_first(x: Any) -> Any:
    """(B, T, H, K) -> (B, H, T, K)."""
    return ops.swapaxes(x, 1, 2)
