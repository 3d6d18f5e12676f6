"""Linear attention: attention with feature maps, in linear time."""

from typing import Any, ClassVar

import keras
from keras import ops

from keras_attn.attention.projected_heads import ProjectedHeads, check_equal_lengths
from keras_attn.functional.heads import swap_heads
from keras_attn.functional.linear_sums import (
    causal_linear_attention,
    linear_attention,
    read_sums,
    sum_products,
)
from keras_attn.functional.masks import merge_masks, zero_masked, zero_masked_inputs


@keras.saving.register_keras_serializable(package="keras_attn")
class LinearAttention(ProjectedHeads):
    """Multi-head linear attention, in O(n) time and memory.

    A feature map replaces the exponential of the softmax, so that the sums over the keys are
    computed once for all queries. Decoding needs a state of fixed size. The attention weights
    (T, S) are never computed: they cannot be returned or dropped, and apart from causality masks
    are per position. A query that can attend to no position gets the output bias. Sums are computed
    in float32 under every dtype policy.

    Source: Katharopoulos et al. 2020, equations 5 to 7; causal: equations 9 to 12.
    Formula: in each head `c_t = f(q_t) sum_s f(k_s) v_s / (f(q_t) . sum_s f(k_s))` with
        `f(x) = elu(x) + 1`; causal sums run to s = t

    Args:
        num_heads: Number of heads H.
        key_dim: Size K of each head.
        use_bias: Whether the projections have biases.
        output_shape: Width of the output. Defaults to the width of the query.
        kernel_initializer: Initializer of the projection kernels.
        output_kernel_initializer: Initializer of the kernel of the output projection. Defaults to
            `kernel_initializer`.

    Inputs: `query` (B, T, D), `value` (B, S, Dv), and `key` (B, S, Dk), which defaults to `value`;
        `query_mask` (B, T), `value_mask` (B, S) and `key_mask` (B, S), True for positions to attend
        to, default to Keras's implicit masks; `use_causal_mask` masks future positions. All masks
        are combined. Weights: kernel and bias of query, key, value and output, as in
        `MultiHeadAttention`.
    Outputs: (B, T, output_shape).

    Raises:
        ValueError: If a size is not positive, or `use_causal_mask` is set and T and S differ.

    Example:
        >>> from keras import ops
        >>> from keras_attn import LinearAttention
        >>> layer = LinearAttention(num_heads=2, key_dim=7)
        >>> x = ops.ones((3, 5, 11))
        >>> whole = layer(x, x, use_causal_mask=True)
        >>> output, sums = layer.step(x[:, :1], layer.initial_cache(batch_size=3), index=0)
        >>> tuple(whole.shape), tuple(output.shape), tuple(sums.shape)
        ((3, 5, 11), (3, 1, 11), (3, 2, 7, 8))
    """

    dropout: ClassVar[float] = 0.0
    weights_heads: ClassVar[None] = None  # see `MemoryAttention`

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:
        query, value, key = zero_masked_inputs(
            query, value, key, None, query_mask, value_mask, key_mask
        )
        queries, keys, values = self._features(
            query, value, key, query_mask, merge_masks(value_mask, key_mask)
        )
        if use_causal_mask:
            check_equal_lengths(query, value, "use_causal_mask")
            return self._leave_heads(causal_linear_attention(queries, keys, values))
        return self._leave_heads(linear_attention(queries, keys, values))

    def initial_cache(self, batch_size: Any, max_length: Any = None) -> Any:
        """Returns the sums before the first step, whose size does not depend on the length.

        Args:
            batch_size: Batch size B, an integer or a scalar tensor.
            max_length: Not used.

        Returns:
            float32 zeros (B, H, M, K + 1), M being the number of features.
        """
        del max_length
        shape = (batch_size, self.num_heads, self.num_features, self.key_dim + 1)
        return ops.zeros(shape, "float32")

    def initial_state(self, batch_size: Any) -> Any:
        """Returns `initial_cache(batch_size)`."""
        return self.initial_cache(batch_size)

    def step(
        self,
        query: Any,
        cache: Any,
        index: Any = None,
        count: Any = None,
        *,
        value: Any = None,
        key: Any = None,
    ) -> tuple[Any, Any]:
        """Computes one step of causal attention, or several consecutive ones.

        Args:
            query: Tensor (B, T, D), the inputs of the T steps; T = 1 for one step.
            cache: The sums from `initial_cache` or from the previous call.
            index: Not used.
            count: Number of steps that count; the others are padding on the right, which the sums
                omit. Defaults to T.
            value: Tensor (B, T, Dv). Defaults to `query` (self-attention).
            key: Tensor (B, T, Dk). Defaults to `value`.

        Returns:
            The outputs (B, T, output_shape), equal to those of the whole causal sequence, and the
            new sums.
        """
        del index
        length = query.shape[1]
        real = None
        if count is not None:
            real = ops.expand_dims(ops.arange(ops.shape(query)[1], dtype="int32") < count, 0)
        queries, keys, values = self._features(
            query, query if value is None else value, key, None, real
        )
        sums = cache + sum_products(keys, values)
        if length == 1:
            return self._leave_heads(read_sums(queries, sums)), sums
        contexts = causal_linear_attention(queries, keys, values, cache)
        return self._leave_heads(contexts), sums

    def prepare_memory(self, memory: Any, memory_mask: Any = None) -> dict[str, Any]:
        """Sums a memory for `attend_to_memory`; see `MemoryAttention`.

        What a step reads does not depend on the length S: the sums (B, H, M, K + 1) alone.
        """
        keys, values = (_heads(project(memory)) for project in (self._key, self._value))
        return {"sums": sum_products(_open(self.key_features(keys), memory_mask), values)}

    def attend_to_memory(
        self,
        query: Any,
        prepared: dict[str, Any],
        training: bool | None = None,
        dropout_seed: Any = None,
    ) -> tuple[Any, None]:
        """Attends from queries (B, T, D) to a prepared memory; see `MemoryAttention`."""
        del training, dropout_seed  # there are no attention weights to drop
        queries = self.query_features(_heads(self._query(query)))
        return self._leave_heads(read_sums(queries, prepared["sums"])), None

    @property
    def num_features(self) -> int:
        """Number of features M of each head."""
        return self.key_dim

    def query_features(self, x: Any) -> Any:
        """Feature map of the queries, non-negative and float32: (..., K) to (..., M)."""
        return _elu_plus_one(x)

    def key_features(self, x: Any) -> Any:
        """Feature map of the keys, non-negative and float32: (..., K) to (..., M)."""
        return _elu_plus_one(x)

    def _features(
        self, query: Any, value: Any, key: Any, query_mask: Any = None, key_mask: Any = None
    ) -> tuple[Any, Any, Any]:
        """Features of queries (B, H, T, M) and keys (B, H, S, M), and values (B, H, S, K)."""
        heads = self.into_heads(query, value, key)
        queries, keys, values = (_heads(x) for x in heads)
        queries, keys = self.query_features(queries), self.key_features(keys)
        # Zero features mask a query or a key.
        return _open(queries, query_mask), _open(keys, key_mask), values

    def _leave_heads(self, contexts: Any) -> Any:
        return self.out_of_heads(ops.cast(swap_heads(contexts), self.compute_dtype))


def _elu_plus_one(x: Any) -> Any:
    # Computed literally, elu(x) + 1 would round all features of x < -16 to the same number.
    return ops.exp(ops.minimum(x, 0.0)) + ops.relu(x)


def _heads(x: Any) -> Any:
    """Converts (B, T, H, K) to float32 (B, H, T, K)."""
    return swap_heads(ops.cast(x, "float32"))


def _open(x: Any, mask: Any) -> Any:
    """Sets x (B, H, T, ·) to zero where the mask (B, T) is False."""
    return x if mask is None else zero_masked(x, ops.expand_dims(mask, 1))
