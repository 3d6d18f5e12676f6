"""Multi-head attention, with a cache for decoding."""

from typing import Any, ClassVar

import keras
from keras import ops

from keras_attn.attention.arguments import (
    check_attention_mask,
    check_dropout,
    check_equal_lengths,
    check_sizes,
    integers,
)
from keras_attn.attention.axes import AttentionAxes
from keras_attn.attention.blockwise import (
    attend_in_blocks,
    in_blocks,
    pays_in_blocks,
    scale_of,
)
from keras_attn.attention.cudnn import cudnn_suits
from keras_attn.attention.flash import attend_in_flash
from keras_attn.attention.memory import check_no, with_mask
from keras_attn.attention.multi_head_arguments import check_heads, check_output
from keras_attn.attention.normalizers import get_normalizer, serialize_normalizer, softmax
from keras_attn.attention.projection import Projection, Updatable, dtype_of, unquantized
from keras_attn.attention.projection_options import ProjectionOptions
from keras_attn.attention.scores import check_sign, get_score, without_overflow
from keras_attn.blocks.sublayer import Sublayer
from keras_attn.checked import CheckedLayer
from keras_attn.dropout import Dropout
from keras_attn.functional.heads import merge_heads, swap_heads
from keras_attn.functional.masks import (
    causal_mask,
    merge_attention_masks,
    merge_masks,
    zero_masked,
    zero_masked_inputs,
)
from keras_attn.position.distances import distances
from keras_attn.position.schemes import get_position


@keras.saving.register_keras_serializable(package="keras_attn")
class MultiHeadAttention(CheckedLayer):
    """Multi-head attention; replaces `keras.layers.MultiHeadAttention` unchanged.

    It has the weights of the Keras layer, in the same order and under the same names in a weights
    file, and computes the same outputs. A query that can attend to no position gets zero attention
    weights; its output is the output bias. Over long sequences of known length, attention is
    computed in blocks in O(n) memory, unless attention weights are returned or dropped (see
    `blockwise_attention`).

    Source: Vaswani et al. 2017, section 3.2.2; grouped keys and values: Ainslie et al. 2023,
        section 2.2; window: Vaswani et al. 2017, section 4; gate: Qiu et al. 2025, equation 5;
        normalized queries and keys: Henry et al. 2020.
    Formula: `head^j = Attention(N_q(Q W_q^j), N_k(K W_k^g), V W_v^g)` with `g = j // (H / G)` and N
        the normalizations, if there are some; with a gate multiplied by `sigmoid(Q W_g^j)`, and
        `output = [head^1 ... head^H] W_o` (project), `[head^1 ... head^H]` (concat) or
        `(head^1 + ... + head^H) / H` (mean)

    Args:
        num_heads: Number of query heads H.
        key_dim: Size K of each head of queries and keys.
        value_dim: Size Kv of each head of values. Defaults to `key_dim`.
        dropout: Dropout rate of the attention weights.
        use_bias: Whether the projections have biases.
        output_shape: Sizes of the output axes, an integer or a tuple. Defaults to the width of the
            query.
        attention_axes: Axes that attention runs over, an integer or a tuple. Defaults to all axes
            but those of the batch and the features.
        sliding_window: Number of positions on either side that a query can attend to, including its
            own, or None. Applied as a mask, which saves neither time nor memory (see
            `LocalAttention`).
        flash_attention: Whether to use the flash attention kernel of the backend, which fails where
            there is none. None uses that of cuDNN on JAX wherever it can compute the layer, unless
            `keras.config.disable_flash_attention()` was called: on GPUs with 16-bit numbers and a
            `key_dim` that is a multiple of 8, up to 128.
        kernel_initializer: Initializer of the projection kernels.
        bias_initializer: Initializer of the biases.
        kernel_regularizer: Regularizer of the projection kernels.
        bias_regularizer: Regularizer of the biases.
        activity_regularizer: Regularizer of the outputs of all projections.
        kernel_constraint: Constraint of the projection kernels.
        bias_constraint: Constraint of the biases.
        use_gate: Whether a gate, computed from the query, multiplies each head.
        seed: Random seed of the dropout.
        aggregate: How heads are combined: "project", "concat" or "mean".
        tie_key_value: Whether keys and values share one projection.
        score: Name of an attention score, or a `Score` layer, which all heads share.
        normalizer: Name of a normalizer, or a function `(scores, mask, axis)`.
        position: Position scheme: "rotary", "alibi", a layer such as
            `ShawPositions(max_distance=16)`, or None.
        num_key_value_heads: Number G of key and value heads, a divisor of H (grouped-query
            attention, as in `keras.layers.GroupQueryAttention`). Defaults to `num_heads`.
        output_kernel_initializer: Initializer of the kernel of the output projection. Defaults to
            `kernel_initializer`.
        attention_regularizer: Regularizer of the attention weights (B, H, T, S) in training, such
            as `HeadDiversity(0.1)`. Its sum over the sequences, divided by their number, is added
            to the losses of the model. In self-attention, queries that are masked as values do not
            count.
        use_output_bias: Whether the output projection has a bias. Defaults to `use_bias`.
        query_key_normalization: Layer that normalizes each head of queries and of keys, before
            their positions, such as `RMSNormalization()`, or None. Queries and keys have copies of
            it with weights of their own, which all heads share.

    Inputs: `query` (B, T, D), `value` (B, S, Dv), and `key` (B, S, Dk), which defaults to `value`.
        Masks are True for positions to attend to: `query_mask` (B, T), `value_mask` (B, S) and
        `key_mask` (B, S) default to Keras's implicit masks; `attention_mask` broadcasts to
        (B, T, S) or (B, H, T, S); `use_causal_mask` masks future positions. All masks are combined.
        T and S may stand for several axes, and B for batch axes besides (see `attention_axes`);
        positions, windows and causal masks require one axis T. Weights: kernel and bias of query,
        key, gate, value and output, then those of the normalizations of queries and of keys.
    Outputs: (B, T, *output_shape) with "project", (B, T, H Kv) with "concat" or (B, T, Kv) with
        "mean"; with `return_attention_scores` also the attention weights (B, H, T, S).

    Raises:
        ValueError: If a size is not positive, `aggregate`, `score`, `normalizer` or `position` is
            unknown, `normalizer` is "ratio" and the score can be negative, `dropout` is not in
            [0, 1), `num_key_value_heads` does not divide `num_heads`, `tie_key_value` is set and
            keys and values differ in width,
            `output_shape` or `output_kernel_initializer` is set without an output projection,
            `flash_attention` is set with what it does not support, or an input does not have the
            axes above.

    Example:
        >>> from keras import ops
        >>> from keras_attn import MultiHeadAttention
        >>> layer = MultiHeadAttention(num_heads=2, key_dim=7)
        >>> x = ops.ones((3, 5, 11))
        >>> tuple(layer(x, x, use_causal_mask=True).shape)
        (3, 5, 11)
        >>> cache = layer.initial_cache(batch_size=3, max_length=5)
        >>> output, cache = layer.step(x[:, :1], cache, index=0)
        >>> tuple(output.shape), tuple(cache[0].shape)
        ((3, 1, 11), (3, 2, 5, 7))
    """

    axes: ClassVar[dict[str, str]] = {
        "query": "B T T... D",
        "value": "B S S... Dv",
        "key": "B S S... Dk",
        "query_mask": "B T T...",
        "value_mask": "B S S...",
        "key_mask": "B S S...",
    }

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: int | tuple[int, ...] | None = None,
        attention_axes: int | tuple[int, ...] | None = None,
        sliding_window: int | None = None,
        flash_attention: bool | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        use_gate: bool = False,
        seed: int | None = None,
        *,
        aggregate: str = "project",
        tie_key_value: bool = False,
        score: Any = "scaled_dot",
        normalizer: Any = "softmax",
        position: Any = None,
        num_key_value_heads: int | None = None,
        output_kernel_initializer: Any = None,
        attention_regularizer: Any = None,
        use_output_bias: bool | None = None,
        query_key_normalization: Any = None,
        **kwargs: Any,
    ) -> None:
        # Of a layer that was saved when its projections had been quantized, which it is not itself.
        dtype, self._projection_dtype = unquantized(kwargs.pop("dtype", None))
        super().__init__(dtype=dtype, **kwargs)
        check_sizes(sliding_window=sliding_window)
        check_dropout(dropout)
        check_heads(num_heads, key_dim, value_dim, num_key_value_heads, tie_key_value)
        self._output_sizes = integers(output_shape) or None
        check_output(aggregate, self._output_sizes, output_kernel_initializer)
        self.num_heads = num_heads
        self.num_key_value_heads = num_key_value_heads or num_heads
        self.sliding_window = sliding_window
        self.key_dim = key_dim
        self.value_dim = key_dim if value_dim is None else value_dim
        self.use_output_bias = use_output_bias
        self._normalization = None
        if query_key_normalization is not None:
            self._normalization = Sublayer.of(query_key_normalization, "query_key_normalization")
        self.attention_axes = integers(attention_axes)
        self.flash_attention = flash_attention
        self.use_gate = use_gate
        self.seed = seed
        self.aggregate = aggregate
        self.tie_key_value = tie_key_value
        # The projections apply `activity_regularizer`; as an attribute of the layer, Keras would
        # apply it once more.
        self.projections = ProjectionOptions.of(
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
        )
        self.output_kernel_initializer = keras.initializers.get(output_kernel_initializer)
        self.attention_regularizer = keras.regularizers.get(attention_regularizer)
        self.dropout = dropout
        self.score = get_score(score, dtype=self.dtype_policy)
        self.normalizer = get_normalizer(normalizer)
        self.position = get_position(position, dtype=self.dtype_policy)
        check_sign(self.score, self.normalizer, f"score={score!r}", self.position)
        self.supports_masking = True
        self._reach = None if sliding_window is None else sliding_window - 1
        self._score_name = score if isinstance(score, str) else None
        self._position_name = position if isinstance(position, str) else None
        self._dropout_layer = Dropout(dropout, seed=seed, dtype=self.dtype_policy)
        if flash_attention and (dropout or attention_regularizer or not self._is_plain):
            raise ValueError(
                "flash_attention requires dropout=0, no attention_regularizer, the score 'dot' or "
                "'scaled_dot', the normalizer 'softmax', no sliding_window, and rotary positions "
                "or none."
            )

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        key_shape = value_shape if key_shape is None else key_shape
        check_equal_lengths(value_shape, key_shape)
        if self.tie_key_value and value_shape[-1] != key_shape[-1]:
            widths = f"{value_shape[-1]} and {key_shape[-1]}"
            raise ValueError(
                f"tie_key_value requires value and key of equal width; received {widths}."
            )
        axes = AttentionAxes.of(self.attention_axes, len(query_shape))
        if not (self._reach is None and self.position.is_none):
            axes.check_single("position and sliding_window require")
        self._widths = {
            "query": query_shape[-1],
            "value": value_shape[-1],
            "key": key_shape[-1],
        }
        in_heads = (self.num_heads, self.key_dim)
        contexts = (self.num_heads, self.value_dim)
        keys_in_heads = (self.num_key_value_heads, self.key_dim)
        values_in_heads = (self.num_key_value_heads, self.value_dim)
        self._query_dense = self._projection("query", query_shape[-1:], in_heads)
        self._key_dense = self._projection("key", key_shape[-1:], keys_in_heads)
        self._gate_dense: Any = None
        if self.use_gate:
            self._gate_dense = self._projection(
                "gate", query_shape[-1:], contexts, activation="sigmoid"
            )
        self._value_dense = self._key_dense
        if not self.tie_key_value:
            self._value_dense = self._projection("value", value_shape[-1:], values_in_heads)
        self._output_dense: Any = None
        if self.aggregate == "project":
            own = self.projections
            self._output_dense = self._projection(
                "attention_output",
                contexts,
                self._output_sizes or query_shape[-1:],
                kernel_initializer=self.output_kernel_initializer or own.kernel_initializer,
                use_bias=own.use_bias if self.use_output_bias is None else self.use_output_bias,
            )
        self._normalize_query, self._normalize_key = self._new_normalizations()
        of_head = (None, self.num_heads, None)
        if not self.score.built:  # a loaded score layer is built already
            self.score.build((*of_head, self.key_dim), (*of_head, self.key_dim))
        self.position.build_heads((*of_head, self.key_dim), (*of_head, self.value_dim))
        self.position.built = True

    def _projection(self, name: str, inputs: tuple, outputs: tuple, **options: Any) -> Projection:
        policy = self._projection_dtype or self.dtype_policy
        return self.projections.build(name, inputs, outputs, dtype=policy, **options)

    def _new_normalizations(self) -> tuple[Any, Any]:
        """The layers that normalize queries and keys, if there are some."""
        if self._normalization is None:
            return None, None
        both = self._normalization.new(), self._normalization.new()
        for layer in both:
            layer.build((None, None, None, self.key_dim))
        return both

    @property
    def query_dense(self) -> Projection:
        """The projection of the queries."""
        return self._query_dense

    @property
    def key_dense(self) -> Projection:
        """The projection of the keys."""
        return self._key_dense

    @property
    def query_key_normalizations(self) -> tuple[Any, Any]:
        """The layers that normalize queries and keys, or None twice."""
        return self._normalize_query, self._normalize_key

    @property
    def value_dense(self) -> Projection:
        """The projection of the values."""
        return self._value_dense

    @property
    def output_dense(self) -> Projection | None:
        """The output projection, or None without one."""
        return self._output_dense

    @property
    def updatable(self) -> dict[str, Updatable]:
        """The projections that low-rank updates can change."""
        named = {"q_proj": self._query_dense, "k_proj": self._key_dense}
        if not self.tie_key_value:
            named["v_proj"] = self._value_dense
        if self._output_dense is not None:
            named["o_proj"] = self._output_dense
        return {name: Updatable(projection) for name, projection in named.items()}

    def check(self, given: dict[str, Any]) -> None:
        super().check(given)
        query, value = given.get("query"), given.get("value")
        if query is None or value is None:
            return
        axes = AttentionAxes.of(self.attention_axes, len(query.shape))
        axes.check({name: given[name] for name in self.axes if given.get(name) is not None})
        if given.get("attention_mask") is not None and axes.rank == 3:
            check_attention_mask(given["attention_mask"], query, value, self.num_heads)

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: bool | None = None,
        use_causal_mask: bool = False,
    ) -> Any:
        if len(query.shape) > 3:
            tensors = (query, value, key, query_mask, value_mask, key_mask, attention_mask)
            options = (return_attention_scores, training, use_causal_mask)
            return self._call_over_axes(tensors, options)
        masks = (attention_mask, use_causal_mask, query_mask, value_mask, key_mask)
        penalized = bool(training) and self.attention_regularizer is not None
        counted = None
        if penalized:
            counted = merge_masks(query_mask, value_mask if query is value else None)
        query, value, key = zero_masked_inputs(
            query, value, key, attention_mask, query_mask, value_mask, key_mask
        )
        keys, values = self.project_keys_values(value, key)
        dropped = bool(training and self.dropout)
        whole = return_attention_scores or dropped or penalized or not self._is_plain
        flash = self._uses_flash(return_attention_scores, whole, keys, values)
        if flash or (not whole and pays_in_blocks(query, value)):
            attend = attend_in_flash if flash else attend_in_blocks
            queries, scale = self._project_queries(query, 0), scale_of(self.score)
            return self._aggregated(attend(queries, keys, values, scale, *masks), query)
        mask = merge_attention_masks(query, value, *masks)
        output, weights = self.attend(query, keys, values, mask, training)
        if penalized:
            self._add_penalty(weights, counted)
        return (output, weights) if return_attention_scores else output

    def _add_penalty(self, weights: Any, counted: Any) -> None:
        """Adds the penalty of the weights (B, H, T, S) of the queries that count, (B, T)."""
        if counted is not None:
            weights = zero_masked(weights, ops.expand_dims(counted, 1))
        count = ops.cast(ops.maximum(ops.shape(weights)[0], 1), "float32")
        self.add_loss(self.attention_regularizer(weights) / count)

    def _call_over_axes(self, tensors: tuple, options: tuple) -> Any:
        """Calls the layer on sequences (B N, T, D), merged from the axes of the inputs."""
        query, value, *_ = tensors
        axes = AttentionAxes.of(self.attention_axes, len(query.shape))
        if options[-1]:
            axes.check_single("use_causal_mask requires")
        result = self.call(*axes.merged_inputs(*tensors), *options)
        if not options[0]:
            return axes.split(result, query)
        return axes.split(result[0], query), axes.split_weights(result[1], query, value)

    @property
    def _is_plain(self) -> bool:
        """Whether attention can be computed without the attention weights of all heads."""
        is_scaled_softmax = in_blocks(self.score) and self.normalizer is softmax
        return is_scaled_softmax and self.position.only_places and self._reach is None

    def _uses_flash(
        self, return_attention_scores: bool, whole: Any, keys: Any, values: Any
    ) -> bool:
        if self.flash_attention and return_attention_scores:
            raise ValueError("return_attention_scores is not possible with flash_attention.")
        if self.flash_attention is not None:
            return self.flash_attention
        is_off = keras.config.is_flash_attention_enabled() is False  # None is its default
        return not (whole or is_off) and cudnn_suits(keys, keys, values)

    def _project_queries(self, query: Any, start_index: Any) -> Any:
        queries = _normalized(swap_heads(self._query_dense(query)), self._normalize_query)
        return self.position.place(queries, start_index)

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
        keys = swap_heads(self._key_dense(value if key is None else key))
        is_same = self.tie_key_value and key is None
        values = keys if is_same else swap_heads(self._value_dense(value))
        return self._prepare(_normalized(keys, self._normalize_key), start_index), values

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
        dropout_seed: Any = None,
    ) -> tuple[Any, Any]:
        """Computes attention over projected keys and values, the first of which is at position 0.

        Args:
            query: Tensor (B, T, D).
            keys: Keys (B, G, S, K) from `project_keys_values`.
            values: Values (B, G, S, Kv) from `project_keys_values`.
            attention_mask: Mask that broadcasts to (B, T, S) or (B, H, T, S).
            training: Whether to apply dropout.
            start_index: Position of the first query, an integer or a scalar tensor.
            dropout_seed: Two integers (2,) for dropout, such as those that `dropout_seeds` drew
                before a loop. By default, the layer draws them.

        Returns:
            The output (B, T, ...), and the attention weights (B, H, T, S) before dropout.
        """
        if attention_mask is not None and len(attention_mask.shape) == 3:
            attention_mask = ops.expand_dims(attention_mask, 1)
        if self._reach is not None:
            apart = ops.abs(distances(ops.shape(query)[1], ops.shape(keys)[2], start_index))
            attention_mask = merge_masks(attention_mask, ops.less_equal(apart, self._reach))
        queries = self._project_queries(query, start_index)
        score, normalize = without_overflow(self.score, self.normalizer)
        scores = self.position.compare(score, queries, keys, start_index)
        weights = ops.cast(normalize(scores, attention_mask), self.compute_dtype)
        dropped = self._dropout_layer.with_seed(weights, training, dropout_seed)
        values = ops.cast(values, self.compute_dtype)  # a cache may have another dtype
        contexts = self.position.combine(dropped, values, start_index)
        return self._aggregated(contexts, query), weights

    def _aggregated(self, heads: Any, query: Any) -> Any:
        if self.use_gate:
            heads = heads * swap_heads(self._gate_dense(query))
        if self.aggregate == "mean":
            return ops.mean(heads, axis=1)
        if self.aggregate == "concat":
            return merge_heads(heads)
        return self._output_dense(swap_heads(heads))

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

    def step(
        self, query: Any, cache: Any, index: Any, attention_mask: Any = None, count: Any = None
    ) -> tuple[Any, Any]:
        """Computes one step of causal self-attention, or several consecutive ones, with a cache.

        Args:
            query: Tensor (B, T, D), the inputs of the T steps; T = 1 for one step.
            cache: The cache from `initial_cache` or from the previous call.
            index: Position of the first of the steps, an integer or a scalar tensor.
            attention_mask: Mask that broadcasts to (B, T, L). Defaults to the causal mask.
            count: Number of steps that count; the others are padding on the right. It changes
                nothing: the next call, at the position `index + count`, overwrites the keys and
                values of the padding before a query attends to them.

        Returns:
            The outputs (B, T, ...), equal to those of the whole sequence, and the new cache.
        """
        del count
        index = ops.cast(index, "int32")
        keys, values = (
            ops.slice_update(old, (0, 0, index, 0), ops.cast(new, old.dtype))
            for old, new in zip(cache, self.project_keys_values(query, None, index), strict=True)
        )
        lengths = ops.shape(query)[1], ops.shape(keys)[2]
        mask = causal_mask(*lengths, index) if attention_mask is None else attention_mask
        return self.attend(query, keys, values, mask, start_index=index)[0], (keys, values)

    @property
    def weights_heads(self) -> tuple[int, ...]:
        """See `MemoryAttention`."""
        return (self.num_heads,)

    def dropout_seeds(self, count: Any) -> Any:
        """Draws the seeds of dropout for T steps, (T, 2); see `MemoryAttention`."""
        return self._dropout_layer.seeds(count)

    def prepare_memory(self, memory: Any, memory_mask: Any = None) -> dict[str, Any]:
        """Prepares a memory for `attend_to_memory`; see `MemoryAttention`.

        Raises:
            ValueError: If the layer has what a single step cannot have: positions, a window, or a
                penalty of the attention weights or of the outputs of the projections.
        """
        unsuitable = {
            "position": not self.position.is_none,
            "sliding_window": self.sliding_window is not None,
            "attention_regularizer": self.attention_regularizer is not None,
            "activity_regularizer": self.projections.activity_regularizer is not None,
        }
        check_no(unsuitable, "MultiHeadAttention")
        keys, values = self.project_keys_values(ops.cast(memory, self.compute_dtype))
        return with_mask({"keys": keys, "values": values}, memory_mask)

    def attend_to_memory(
        self,
        query: Any,
        prepared: dict[str, Any],
        training: bool | None = None,
        dropout_seed: Any = None,
    ) -> tuple[Any, Any]:
        """Attends from queries (B, T, D) to a prepared memory; see `MemoryAttention`."""
        query, mask = ops.cast(query, self.compute_dtype), prepared.get("mask")
        memory = (prepared["keys"], prepared["values"])
        return self.attend(query, *memory, mask, training, dropout_seed=dropout_seed)

    def compute_output_shape(
        self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None
    ) -> tuple:
        check_equal_lengths(value_shape, value_shape if key_shape is None else key_shape)
        if self.aggregate == "project":
            return (*query_shape[:-1], *(self._output_sizes or query_shape[-1:]))
        heads = self.num_heads if self.aggregate == "concat" else 1
        return (*query_shape[:-1], heads * self.value_dim)

    def compute_output_spec(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: bool | None = None,
        use_causal_mask: bool = False,
    ) -> Any:
        key_shape = None if key is None else key.shape
        shape = self.compute_output_shape(query.shape, value.shape, key_shape)
        output = keras.KerasTensor(shape, self.compute_dtype)
        axes = AttentionAxes.of(self.attention_axes, len(query.shape))
        shape = axes.weights_shape(query.shape, value.shape, self.num_heads)
        weights = keras.KerasTensor(shape, self.compute_dtype)
        return (output, weights) if return_attention_scores else output

    def get_config(self) -> dict[str, Any]:
        position = self._position_name
        if position is None and not self.position.is_none:
            position = keras.saving.serialize_keras_object(self.position)
        config = {
            "num_heads": self.num_heads,
            "key_dim": self.key_dim,
            "value_dim": self.value_dim,
            "dropout": self.dropout,
            "output_shape": self._output_sizes,
            "attention_axes": self.attention_axes,
            "sliding_window": self.sliding_window,
            "flash_attention": self.flash_attention,
            **self.projections.config(),
            "use_gate": self.use_gate,
            "seed": self.seed,
            "aggregate": self.aggregate,
            "tie_key_value": self.tie_key_value,
            "score": self._score_name or keras.saving.serialize_keras_object(self.score),
            "normalizer": serialize_normalizer(self.normalizer),
            "position": position,
            "num_key_value_heads": self.num_key_value_heads,
            "output_kernel_initializer": keras.initializers.serialize(
                self.output_kernel_initializer
            ),
            "attention_regularizer": keras.regularizers.serialize(self.attention_regularizer),
            "use_output_bias": self.use_output_bias,
            "query_key_normalization": self._normalization and self._normalization.config(),
        }
        config |= dtype_of(self._query_dense if self.built else None, self._projection_dtype)
        return {**super().get_config(), **config}


def _normalized(heads: Any, layer: Any) -> Any:
    """Heads (B, H, T, K), each normalized by a layer, which may compute in another dtype."""
    return heads if layer is None else ops.cast(layer(heads), heads.dtype)
