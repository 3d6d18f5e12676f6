"""Multi-head attention, with a cache for decoding."""

from typing import Any

import keras
from keras import ops

from keras_attn.attention.arguments import check_dropout, check_sizes
from keras_attn.attention.blockwise import SCALES, attend_in_blocks, pays_in_blocks
from keras_attn.attention.normalizers import get_normalizer, serialize_normalizer, softmax
from keras_attn.attention.projection import Projection
from keras_attn.attention.scores import get_score, without_overflow
from keras_attn.dropout import Dropout
from keras_attn.functional.heads import merge_heads
from keras_attn.functional.masks import causal_mask, merge_attention_masks, merge_masks
from keras_attn.position.distances import distances
from keras_attn.position.schemes import PositionScheme, get_position

AGGREGATES = ("project", "concat", "mean")


@keras.saving.register_keras_serializable(package="keras_attn")
class MultiHeadAttention(keras.layers.Layer):
    """Multi-head attention.

    With default arguments it has the weights of `keras.layers.MultiHeadAttention`, in the same
    order, and computes the same outputs. A query that can attend to no position gets zero attention
    weights; its output is the output bias. Over long sequences of known length, attention is
    computed in blocks in O(n) memory, unless attention weights are returned or dropped (see
    `blockwise_attention`).

    Source: Vaswani et al. 2017, section 3.2.2; grouped keys and values: Ainslie et al. 2023,
        section 2.2; window: Vaswani et al. 2017, section 4.
    Formula: `head^j = Attention(Q W_q^j, K W_k^g, V W_v^g)` with `g = j // (H / G)`, and
        `output = [head^1 ... head^H] W_o` (project), `[head^1 ... head^H]` (concat) or
        `(head^1 + ... + head^H) / H` (mean)

    Args:
        num_heads: Number of query heads H.
        key_dim: Size K of each head of queries and keys.
        value_dim: Size Kv of each head of values. Defaults to `key_dim`.
        dropout: Dropout rate of the attention weights.
        use_bias: Whether the projections have biases.
        output_shape: Width of the output projection. Defaults to the width of the query.
        aggregate: How heads are combined: "project", "concat" or "mean".
        tie_key_value: Whether keys and values share one projection.
        score: Name of an attention score, or a `Score` layer, which all heads share.
        normalizer: Name of a normalizer, or a function `(scores, mask, axis)`.
        position: Position scheme: "rotary", "alibi", a layer such as
            `ShawPositions(max_distance=16)`, or None.
        num_key_value_heads: Number G of key and value heads, a divisor of H (grouped-query
            attention). Defaults to `num_heads`.
        window: Maximum distance between a query and the keys it attends to, on either side, or
            None. It is applied as a mask and saves neither time nor memory (see `LocalAttention`).
        kernel_initializer: Initializer of the projection kernels.
        output_kernel_initializer: Initializer of the kernel of the output projection. Defaults to
            `kernel_initializer`.
        bias_initializer: Initializer of the biases.

    Inputs: `query` (B, T, D), `value` (B, S, Dv), and `key` (B, S, Dk), which defaults to `value`.
        Masks are True for positions to attend to: `attention_mask` broadcasts to (B, T, S) or
        (B, H, T, S); `query_mask` (B, T), `value_mask` (B, S) and `key_mask` (B, S) default to
        Keras's implicit masks; `use_causal_mask` masks future positions. All masks are combined.
    Outputs: (B, T, output_shape) with "project", (B, T, H Kv) with "concat" or (B, T, Kv) with
        "mean"; with `return_attention_scores` also the attention weights (B, H, T, S).

    Raises:
        ValueError: If a size is not positive, `aggregate`, `score`, `normalizer` or `position` is
            unknown, `dropout` is not in [0, 1), `window` is negative, `num_key_value_heads` does
            not divide `num_heads`, `tie_key_value` is set and keys and values differ in width, or
            `output_shape` or `output_kernel_initializer` is set without an output projection.

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
        position: Any = None,
        num_key_value_heads: int | None = None,
        window: int | None = None,
        kernel_initializer: Any = "glorot_uniform",
        output_kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_sizes(num_heads=num_heads, key_dim=key_dim, value_dim=value_dim)
        check_sizes(output_shape=output_shape, num_key_value_heads=num_key_value_heads)
        check_dropout(dropout)
        if aggregate not in AGGREGATES:
            choices = ", ".join(AGGREGATES)
            raise ValueError(f"aggregate must be one of {choices}; received {aggregate!r}.")
        of_output = dict(
            output_shape=output_shape, output_kernel_initializer=output_kernel_initializer
        )
        for name, option in of_output.items():
            if option is not None and aggregate != "project":
                raise ValueError(f"{name} requires aggregate='project'; received {aggregate!r}.")
        if tie_key_value and value_dim not in (None, key_dim):
            raise ValueError(f"tie_key_value requires value_dim = key_dim; received {value_dim!r}.")
        if num_heads % (num_key_value_heads or num_heads):
            raise ValueError(
                f"num_key_value_heads must divide num_heads = {num_heads}; "
                f"received {num_key_value_heads!r}."
            )
        if window is not None and window < 0:
            raise ValueError(f"window must be at least 0, or None; received {window!r}.")
        self.num_heads = num_heads
        self.num_key_value_heads = num_key_value_heads or num_heads
        self.window = window
        self.key_dim = key_dim
        self.value_dim = key_dim if value_dim is None else value_dim
        self.use_bias = use_bias
        self.aggregate = aggregate
        self.tie_key_value = tie_key_value
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.output_kernel_initializer = keras.initializers.get(output_kernel_initializer)
        self.bias_initializer = keras.initializers.get(bias_initializer)
        self.dropout = dropout
        self.score = get_score(score, dtype=self.dtype_policy)
        self.normalizer = get_normalizer(normalizer)
        self.position = get_position(position, dtype=self.dtype_policy)
        self.supports_masking = True
        self._score_name = score if isinstance(score, str) else None
        self._position_name = position if isinstance(position, str) else None
        self._dropout_layer = Dropout(dropout, dtype=self.dtype_policy)
        self._output_width = output_shape

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        key_shape = value_shape if key_shape is None else key_shape
        if self.tie_key_value and value_shape[-1] != key_shape[-1]:
            widths = f"{value_shape[-1]} and {key_shape[-1]}"
            raise ValueError(
                f"tie_key_value requires value and key of equal width; received {widths}."
            )
        in_heads = (self.num_heads, self.key_dim)
        keys_in_heads = (self.num_key_value_heads, self.key_dim)
        values_in_heads = (self.num_key_value_heads, self.value_dim)
        kernels = self.kernel_initializer
        self._query = self._projection("query", query_shape, in_heads, kernels)
        self._key = self._projection("key", key_shape, keys_in_heads, kernels)
        self._value = self._key
        if not self.tie_key_value:
            self._value = self._projection("value", value_shape, values_in_heads, kernels)
        if self.aggregate == "project":
            width = self._output_width or query_shape[-1]
            contexts = (self.num_heads, self.value_dim)
            contexts_shape = (*query_shape[:-1], *contexts)
            kernels = self.output_kernel_initializer or kernels
            self._output = self._projection("output", contexts_shape, (width,), kernels, contexts)
        of_head = (None, self.num_heads, None)
        if not self.score.built:  # a loaded score layer is built already
            self.score.build((*of_head, self.key_dim), (*of_head, self.key_dim))
        self.position.build_heads((*of_head, self.key_dim), (*of_head, self.value_dim))

    def _projection(
        self, name: str, x_shape: tuple, outputs: tuple, kernels: Any, inputs: tuple | None = None
    ) -> Projection:
        biases = self.bias_initializer
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
        masks = (attention_mask, use_causal_mask, query_mask, value_mask, key_mask)
        keys, values = self.project_keys_values(value, key)
        whole = return_attention_scores or not self._can_work_in_blocks(training)
        if not whole and pays_in_blocks(query, value):
            queries, scale = self._project_queries(query, 0), SCALES[type(self.score)]
            return self._aggregated(attend_in_blocks(queries, keys, values, scale, *masks))
        mask = merge_attention_masks(query, value, *masks)
        output, weights = self.attend(query, keys, values, mask, training)
        return (output, weights) if return_attention_scores else output

    def _can_work_in_blocks(self, training: bool | None) -> bool:
        is_scaled_softmax = type(self.score) in SCALES and self.normalizer is softmax
        needs_weights = training and self.dropout
        is_plain = self.position.only_places and self.window is None and not needs_weights
        return is_scaled_softmax and is_plain

    def _project_queries(self, query: Any, start_index: Any) -> Any:
        return self.position.place(_heads_first(self._query(query)), start_index)

    def project_keys_values(
        self, value: Any, key: Any = None, start_index: Any = 0
    ) -> tuple[Any, Any]:
        """Projects keys and values into heads, as `attend` takes them.

        Args:
            value: Tensor (B, S, Dv).
            key: Tensor (B, S, Dk). Defaults to `value`.
            start_index: Position of the first key, an integer or a scalar tensor.

        Returns:
            The keys (B, G, S, K), prepared for the score, and the values (B, G, S, Kv).
        """
        keys = _heads_first(self._key(value if key is None else key))
        is_same = self.tie_key_value and key is None
        values = keys if is_same else _heads_first(self._value(value))
        return self._prepare(keys, start_index), values

    def _prepare(self, keys: Any, start_index: Any = 0) -> Any:
        score, _ = without_overflow(self.score, self.normalizer)
        return self.position.prepare(score, self.position.place(keys, start_index))

    def attend(
        self,
        query: Any,
        keys: Any,
        values: Any,
        attention_mask: Any = None,
        training: bool | None = None,
        start_index: Any = 0,
    ) -> tuple[Any, Any]:
        """Computes attention over projected keys and values, the first of which is at position 0.

        Args:
            query: Tensor (B, T, D).
            keys: Keys (B, G, S, K) from `project_keys_values`.
            values: Values (B, G, S, Kv) from `project_keys_values`.
            attention_mask: Mask that broadcasts to (B, T, S) or (B, H, T, S).
            training: Whether to apply dropout.
            start_index: Position of the first query, an integer or a scalar tensor.

        Returns:
            The output (B, T, ...), and the attention weights (B, H, T, S) before dropout.
        """
        if attention_mask is not None and len(attention_mask.shape) == 3:
            attention_mask = ops.expand_dims(attention_mask, 1)
        if self.window is not None:
            apart = ops.abs(distances(ops.shape(query)[1], ops.shape(keys)[2], start_index))
            attention_mask = merge_masks(attention_mask, ops.less_equal(apart, self.window))
        queries = self._project_queries(query, start_index)
        score, normalize = without_overflow(self.score, self.normalizer)
        scores = self.position.compare(score, queries, keys, start_index)
        weights = ops.cast(normalize(scores, attention_mask), self.compute_dtype)
        dropped = self._dropout_layer(weights, training=training)
        values = ops.cast(values, self.compute_dtype)  # a cache may have another dtype
        return self._aggregated(self.position.combine(dropped, values, start_index)), weights

    def _aggregated(self, heads: Any) -> Any:
        if self.aggregate == "mean":
            return ops.mean(heads, axis=1)
        if self.aggregate == "concat":
            return merge_heads(heads)
        return self._output(ops.swapaxes(heads, 1, 2))

    def initial_cache(self, batch_size: Any, max_length: Any, dtype: Any = None) -> tuple[Any, Any]:
        """Returns an empty cache for the keys and values of a decoding loop.

        Args:
            batch_size: Batch size B, an integer or a scalar tensor.
            max_length: Maximum number of steps L, an integer or a scalar tensor.
            dtype: Dtype of the cache. Defaults to the compute dtype.

        Returns:
            Two tensors of zeros, (B, G, L, K) and (B, G, L, Kv).
        """
        dtype, heads = dtype or self.compute_dtype, self.num_key_value_heads
        one_key = self._prepare(ops.zeros((1, heads, 1, self.key_dim), self.compute_dtype))
        widths = (one_key.shape[-1], self.value_dim)
        keys, values = (ops.zeros((batch_size, heads, max_length, w), dtype) for w in widths)
        return keys, values

    def step(self, query: Any, cache: Any, index: Any, attention_mask: Any = None) -> tuple:
        """Computes one step of causal self-attention, or several consecutive ones, with a cache.

        Args:
            query: Tensor (B, T, D), the inputs of the T steps; T = 1 for one step.
            cache: The cache from `initial_cache` or from the previous call.
            index: Position of the first of the steps, an integer or a scalar tensor.
            attention_mask: Mask that broadcasts to (B, T, L). Defaults to the causal mask.

        Returns:
            The outputs (B, T, ...), equal to those of the whole sequence, and the new cache.
        """
        index = ops.cast(index, "int32")
        keys, values = (
            ops.slice_update(old, (0, 0, index, 0), ops.cast(new, old.dtype))
            for old, new in zip(cache, self.project_keys_values(query, None, index), strict=True)
        )
        lengths = ops.shape(query)[1], ops.shape(keys)[2]
        mask = causal_mask(*lengths, index) if attention_mask is None else attention_mask
        return self.attend(query, keys, values, mask, start_index=index)[0], (keys, values)

    def get_config(self) -> dict[str, Any]:
        position = self._position_name
        if position is None and type(self.position) is not PositionScheme:
            position = keras.saving.serialize_keras_object(self.position)
        config = {
            "num_heads": self.num_heads,
            "num_key_value_heads": self.num_key_value_heads,
            "window": self.window,
            "key_dim": self.key_dim,
            "value_dim": self.value_dim,
            "use_bias": self.use_bias,
            "output_shape": self._output_width,
            "aggregate": self.aggregate,
            "tie_key_value": self.tie_key_value,
            "dropout": self.dropout,
            "score": self._score_name or keras.saving.serialize_keras_object(self.score),
            "normalizer": serialize_normalizer(self.normalizer),
            "position": position,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "output_kernel_initializer": keras.initializers.serialize(
                self.output_kernel_initializer
            ),
            "bias_initializer": keras.initializers.serialize(self.bias_initializer),
        }
        return {**super().get_config(), **config}


def _heads_first(x: Any) -> Any:
    """Swaps the axes of time and heads: (B, T, H, K) to (B, H, T, K)."""
    return ops.swapaxes(x, 1, 2)
