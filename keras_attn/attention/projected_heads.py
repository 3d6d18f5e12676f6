"""Base class of multi-head layers with their own way to compute attention."""

from functools import partial
from typing import Any, ClassVar

import keras

from keras_attn.attention.arguments import check_sizes
from keras_attn.attention.projection import Updatable, dtype_of, unquantized
from keras_attn.attention.projection_options import ProjectionOptions
from keras_attn.checked import CheckedLayer


class ProjectedHeads(CheckedLayer):
    """Projects queries, keys and values into heads, and contexts to the output.

    It has the weights of `MultiHeadAttention`, in the same order: kernel and bias of the query, the
    key, the value and the output.

    Source: Vaswani et al. 2017, section 3.2.2.
    Formula: `output = [head^1 ... head^H] W_o`, where head^j is computed from `Q W_q^j`, `K W_k^j`
        and `V W_v^j`

    Args:
        num_heads: Number of heads H.
        key_dim: Size K of each head.
        use_bias: Whether the projections have biases.
        output_shape: Width of the output. Defaults to the width of the query.
        kernel_initializer: Initializer of the projection kernels.
        output_kernel_initializer: Initializer of the kernel of the output projection. Defaults to
            `kernel_initializer`.

    Inputs: `query` (B, T, D), `value` (B, S, Dv), and `key` (B, S, Dk), which defaults to `value`.
    Outputs: (B, T, output_shape).

    Raises:
        ValueError: If a size is not positive.

    Example:
        >>> layer = ProjectedHeads(num_heads=2, key_dim=7)
        >>> layer.build((None, None, 11), (None, None, 13))
        >>> [tuple(w.shape) for w in layer.weights][::2]
        [(11, 2, 7), (13, 2, 7), (13, 2, 7), (2, 7, 11)]
    """

    axes: ClassVar[dict[str, str]] = {
        "query": "B T D",
        "value": "B S Dv",
        "key": "B S Dk",
        "query_mask": "B T",
        "value_mask": "B S",
        "key_mask": "B S",
    }

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        use_bias: bool = True,
        output_shape: int | None = None,
        kernel_initializer: Any = "glorot_uniform",
        output_kernel_initializer: Any = None,
        **kwargs: Any,
    ) -> None:
        dtype, self._projection_dtype = unquantized(kwargs.pop("dtype", None))
        super().__init__(dtype=dtype, **kwargs)
        check_sizes(num_heads=num_heads, key_dim=key_dim, output_shape=output_shape)
        self.num_heads = num_heads
        self.key_dim = key_dim
        self.projections = ProjectionOptions.of(use_bias, kernel_initializer)
        self.output_kernel_initializer = keras.initializers.get(output_kernel_initializer)
        self.supports_masking = True
        self._output_width = output_shape

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        heads = (self.num_heads, self.key_dim)
        width = self._output_width or query_shape[-1]
        shapes = {"query": query_shape, "value": value_shape, "key": key_shape or value_shape}
        self._widths = {name: shape[-1] for name, shape in shapes.items()}
        policy = self._projection_dtype or self.dtype_policy
        new = partial(self.projections.build, dtype=policy)
        self._query = new("query", query_shape[-1:], heads)
        self._key = new("key", shapes["key"][-1:], heads)
        self._value = new("value", value_shape[-1:], heads)
        kernels = self.output_kernel_initializer or self.projections.kernel_initializer
        self._output = new("output", heads, (width,), kernel_initializer=kernels)

    @property
    def updatable(self) -> dict[str, Updatable]:
        """The projections that low-rank updates can change."""
        named = {"q_proj": self._query, "k_proj": self._key}
        named |= {"v_proj": self._value, "o_proj": self._output}
        return {name: Updatable(projection) for name, projection in named.items()}

    def into_heads(self, query: Any, value: Any, key: Any = None) -> tuple[Any, Any, Any]:
        """Projects to queries (B, T, H, K), keys (B, S, H, K) and values (B, S, H, K)."""
        key = value if key is None else key
        return self._query(query), self._key(key), self._value(value)

    def out_of_heads(self, contexts: Any) -> Any:
        """Projects contexts (B, T, H, K) to outputs (B, T, output_shape)."""
        return self._output(contexts)

    def compute_output_shape(
        self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None
    ) -> tuple:
        return (*query_shape[:-1], self._output_width or query_shape[-1])

    def get_config(self) -> dict[str, Any]:
        config = {
            "num_heads": self.num_heads,
            "key_dim": self.key_dim,
            "use_bias": self.projections.use_bias,
            "output_shape": self._output_width,
            "kernel_initializer": keras.initializers.serialize(self.projections.kernel_initializer),
            "output_kernel_initializer": keras.initializers.serialize(
                self.output_kernel_initializer
            ),
        }
        config |= dtype_of(self._query if self.built else None, self._projection_dtype)
        return {**super().get_config(), **config}


def check_equal_lengths(query: Any, value: Any, what: str) -> None:
    """Raises if query and value have different known lengths.

    Args:
        query: Tensor (B, T, D).
        value: Tensor (B, S, D).
        what: What requires equal lengths, the start of the message.

    Raises:
        ValueError: If T and S are known and differ.
    """
    t, s = query.shape[1], value.shape[1]
    if None not in (t, s) and t != s:
        raise ValueError(f"{what} requires query and value of equal length; received {t} and {s}.")
