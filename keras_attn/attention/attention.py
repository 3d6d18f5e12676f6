"""Single-head attention."""

import inspect
from typing import Any, ClassVar

import keras
from keras import ops

from keras_attn.attention.arguments import (
    check_attention_mask,
    check_dropout,
    check_equal_lengths,
)
from keras_attn.attention.lists import unpacked
from keras_attn.attention.memory import with_mask
from keras_attn.attention.normalizers import get_normalizer, serialize_normalizer
from keras_attn.attention.score import Score
from keras_attn.attention.score_modes import SCORE_MODES, ScoreMode
from keras_attn.attention.scores import check_sign, get_score, without_overflow
from keras_attn.checked import CheckedLayer
from keras_attn.dropout import Dropout
from keras_attn.functional.masks import (
    merge_attention_masks,
    zero_masked_inputs,
)


@keras.saving.register_keras_serializable(package="keras_attn")
class Attention(CheckedLayer):
    """Single-head attention without projections; replaces `keras.layers.Attention` unchanged.

    It has the weights of the Keras layer, under the same names in a weights file, and the outputs,
    and offers more scores and normalizers. The context of a query is the weighted mean of the
    values. A query that can attend to no position gets zero attention weights and a zero context.

    Source: Bahdanau et al. 2015, equations 5 and 6; Luong et al. 2015; Vaswani et al. 2017.
    Formula: `c_t = sum_s w_ts v_s` with `w_ts = normalizer_s(score(q_t, k_s))`

    Args:
        use_scale: Whether `score_mode` has a scale s, which is learned.
        score_mode: Score without `score`: "dot" for `s q . k`, "concat" for
            `c sum_d tanh(s (q_d + k_d))` with a learned c, or "additive" for
            `sum_d s_d tanh(q_d + k_d)`, the score of `keras.layers.AdditiveAttention`.
        dropout: Dropout rate of the attention weights.
        seed: Random seed of the dropout.
        score: Attention score that replaces `score_mode`: "dot", "scaled_dot", "exp_dot",
            "general", "additive", "concat", "cosine", or a `Score` layer.
        normalizer: Function that turns the scores of a query into attention weights: "softmax",
            "ratio", "sparsemax", "entmax15", "sigmoid", or a function `(scores, mask, axis)`.

    Inputs: `query` (B, T, D), `value` (B, S, Dv), and `key` (B, S, Dk), which defaults to `value`;
        also as a list `[query, value]` or `[query, value, key]`. Masks are True for positions to
        attend to: `query_mask` (B, T), `value_mask` (B, S) and `key_mask` (B, S) default to Keras's
        implicit masks, and after a list may be given as `mask=[query_mask, value_mask]`;
        `attention_mask` broadcasts to (B, T, S); `use_causal_mask` masks future positions. All
        masks are combined.
    Outputs: Contexts (B, T, Dv); with `return_attention_scores` also the attention weights
        (B, T, S).

    Raises:
        ValueError: If `score_mode`, `score` or `normalizer` is unknown, `score` is given with
            `use_scale` or `score_mode`, `normalizer` is "ratio" and the score can be negative,
            `dropout` is not in [0, 1), or an input does not have the
            axes above.

    Example:
        >>> from keras import ops
        >>> from keras_attn import Attention
        >>> layer = Attention(score="additive", normalizer="entmax15")
        >>> query, value = ops.ones((3, 5, 11)), ops.ones((3, 7, 2))
        >>> context, weights = layer(query, value, return_attention_scores=True)
        >>> tuple(context.shape), tuple(weights.shape)
        ((3, 5, 2), (3, 5, 7))
    """

    axes: ClassVar[dict[str, str]] = {
        "query": "B ... T D",
        "value": "B ... S Dv",
        "key": "B ... S Dk",
        "query_mask": "B ... T",
        "value_mask": "B ... S",
        "key_mask": "B ... S",
    }
    weights_heads: ClassVar[tuple[int, ...]] = ()

    def __init__(
        self,
        use_scale: bool = False,
        score_mode: str = "dot",
        dropout: float = 0.0,
        seed: int | None = None,
        *,
        score: Any = None,
        normalizer: Any = "softmax",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_dropout(dropout)
        if score_mode not in SCORE_MODES:
            choices = ", ".join(SCORE_MODES)
            raise ValueError(f"score_mode must be one of {choices}; received {score_mode!r}.")
        if not isinstance(use_scale, bool):
            raise ValueError(
                f"use_scale must be True or False, and a score is passed as `score=`; "
                f"received {use_scale!r}."
            )
        if score is not None and (use_scale or score_mode != "dot"):
            raise ValueError(
                f"score replaces use_scale and score_mode; received {score!r}, {use_scale!r} and "
                f"{score_mode!r}."
            )
        self.use_scale = use_scale
        self.score_mode = score_mode
        self.dropout = dropout
        self.seed = seed
        self.score = self._new_score(score)
        self.normalizer = get_normalizer(normalizer)
        given = f"score_mode={score_mode!r}" if score is None else f"score={score!r}"
        check_sign(self.score, self.normalizer, given)
        self.supports_masking = True
        self._score_name = score if isinstance(score, str) else None
        self._dropout_layer = Dropout(dropout, seed=seed, dtype=self.dtype_policy)

    def _new_score(self, score: Any) -> Score | ScoreMode:
        if score is None:
            return ScoreMode(self.score_mode)
        return get_score(score, dtype=self.dtype_policy)

    def build(
        self,
        query_shape: Any = None,
        value_shape: tuple | None = None,
        key_shape: tuple | None = None,
        **of_keras: Any,
    ) -> None:
        given = of_keras.get("input_shape", query_shape)
        query_shape, value_shape, key_shape = _three(given, value_shape, key_shape)
        if isinstance(self.score, Score):
            if not self.score.built:  # a loaded score layer is built already
                self.score.build(query_shape, key_shape)
            return
        scale = factor = None
        if self.use_scale:
            is_scalar = self.score_mode != "additive"
            shape, initializer = ((), "ones") if is_scalar else (query_shape[-1:], "glorot_uniform")
            scale = self.add_weight(shape, initializer, name="scale")
        if self.score_mode == "concat":
            factor = self.add_weight((), "ones", name="concat_score_weight")
        self.score = ScoreMode(self.score_mode, scale, factor)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = unpacked(args, kwargs)
        return super().__call__(*args, **kwargs)

    def check(self, given: dict[str, Any]) -> None:
        super().check(given)
        query, value = given.get("query"), given.get("value")
        if query is None or value is None:
            return
        key = value if given.get("key") is None else given["key"]
        if given.get("attention_mask") is not None and len(query.shape) == 3:
            check_attention_mask(given["attention_mask"], query, value)
        self._check_widths(query.shape, key.shape)

    def _check_widths(self, query_shape: Any, key_shape: Any) -> None:
        if isinstance(self.score, Score):
            self.score.check_widths(query_shape, key_shape)
        elif query_shape[-1] != key_shape[-1]:
            raise ValueError(
                f"query and key must have equal widths for score_mode {self.score_mode!r}; "
                f"received {query_shape[-1]} and {key_shape[-1]}."
            )

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
        masks = (query_mask, value_mask, key_mask)
        mask = merge_attention_masks(query, value, attention_mask, use_causal_mask, *masks)
        query, value, key = zero_masked_inputs(query, value, key, attention_mask, *masks)
        prepared = self.prepare(value if key is None else key)
        context, weights = self.attend(query, prepared, value, mask, training)
        return (context, weights) if return_attention_scores else context

    def prepare(self, key: Any) -> Any:
        """Computes the part of the scores that needs only the keys.

        A decoding loop calls it once, and then `attend` in every step.

        Args:
            key: Keys (..., S, Dk).

        Returns:
            Prepared keys (..., S, P), for `attend`.
        """
        return self.score.prepare(ops.cast(key, self.compute_dtype))

    def attend(
        self,
        query: Any,
        prepared: Any,
        value: Any,
        mask: Any = None,
        training: bool | None = None,
        dropout_seed: Any = None,
    ) -> tuple[Any, Any]:
        """Computes attention over prepared keys.

        Args:
            query: Queries (..., T, D). Leading axes, such as batch and heads, are free.
            prepared: Prepared keys (..., S, P), the result of `prepare`.
            value: Values (..., S, Dv).
            mask: Bool tensor that broadcasts to (..., T, S), True for positions to attend to.
            training: Whether to apply dropout.
            dropout_seed: Two integers (2,) for dropout, such as those that `dropout_seeds` drew
                before a loop. By default, the layer draws them.

        Returns:
            The contexts (..., T, Dv), and the attention weights (..., T, S) before dropout.
        """
        query, value = ops.cast(query, self.compute_dtype), ops.cast(value, self.compute_dtype)
        score, normalize = without_overflow(self.score, self.normalizer)
        scores = score.compare(query, prepared)
        weights = ops.cast(normalize(scores, mask), self.compute_dtype)
        kept = self._dropout_layer.with_seed(weights, training, dropout_seed)
        return ops.matmul(kept, value), weights

    def dropout_seeds(self, count: Any) -> Any:
        """Draws the seeds of dropout for the steps of a loop, in which JAX cannot draw any.

        Args:
            count: Number of steps T, an integer or a scalar tensor.

        Returns:
            Integers (T, 2), one pair per step, for `attend`.
        """
        return self._dropout_layer.seeds(count)

    def prepare_memory(self, memory: Any, memory_mask: Any = None) -> dict[str, Any]:
        """Prepares a memory for `attend_to_memory`; see `MemoryAttention`."""
        prepared = {"memory": memory, "keys": self.prepare(memory)}
        return with_mask(prepared, memory_mask)

    def attend_to_memory(
        self,
        query: Any,
        prepared: dict[str, Any],
        training: bool | None = None,
        dropout_seed: Any = None,
    ) -> tuple[Any, Any]:
        """Attends from queries (B, T, D) to a prepared memory; see `MemoryAttention`."""
        keys, mask = prepared["keys"], prepared.get("mask")
        return self.attend(query, keys, prepared["memory"], mask, training, dropout_seed)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        mask = mask[0] if isinstance(mask, (list, tuple)) else mask
        return None if mask is None else ops.convert_to_tensor(mask)

    def compute_output_shape(
        self,
        query_shape: Any = None,
        value_shape: tuple | None = None,
        key_shape: tuple | None = None,
        **of_keras: Any,
    ) -> tuple:
        given = of_keras.get("input_shape", query_shape)
        query_shape, value_shape, key_shape = _three(given, value_shape, key_shape)
        check_equal_lengths(value_shape, key_shape)
        self._check_widths(query_shape, key_shape)
        return (*query_shape[:-1], value_shape[-1])

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = unpacked(args, kwargs)
        given = inspect.signature(self.call).bind(*args, **kwargs).arguments
        query, value = given["query"], given["value"]
        key_shape = given.get("key", value).shape
        shape = self.compute_output_shape(query.shape, value.shape, key_shape)
        context = keras.KerasTensor(shape, self.compute_dtype)
        weights = keras.KerasTensor((*query.shape[:-1], value.shape[-2]), self.compute_dtype)
        return (context, weights) if given.get("return_attention_scores") else context

    def get_config(self) -> dict[str, Any]:
        score = self._score_name
        if score is None and isinstance(self.score, Score):
            score = keras.saving.serialize_keras_object(self.score)
        config = {
            "use_scale": self.use_scale,
            "score_mode": self.score_mode,
            "dropout": self.dropout,
            "seed": self.seed,
            "score": score,
            "normalizer": serialize_normalizer(self.normalizer),
        }
        return {**super().get_config(), **config}


def _three(query_shape: Any, value_shape: Any, key_shape: Any) -> tuple:
    """Returns the shapes of query, value and key, also given as one list of two or three."""
    if isinstance(query_shape, dict):  # of a file of a layer that was built by Keras's name
        query_shape = query_shape["input_shape"]
    if value_shape is None:
        shapes = list(query_shape or ())
        if len(shapes) not in (2, 3) or not all(isinstance(x, (list, tuple)) for x in shapes):
            raise ValueError(
                "input_shape must be a list of two or three shapes, [query, value] or "
                f"[query, value, key]; received {query_shape}."
            )
        query_shape, value_shape, key_shape = (*shapes, None)[:3]
    return query_shape, value_shape, value_shape if key_shape is None else key_shape
