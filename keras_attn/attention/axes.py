"""Attention over chosen axes of tensors that have more than one, such as images and videos."""

import math
from typing import Any, NamedTuple

from keras import ops


class AttentionAxes(NamedTuple):
    """The axes that attention runs over; all others, but for the features, are batch axes.

    The axes are merged into one axis of time, and the batch axes into one batch axis. For inputs
    (B, N..., T..., D) of rank r, `chosen` holds the axes T.

    Source: Ho et al. 2019, section 3.1 (attention along one axis of an image).
    Formula: `x[b n, t] = x[b, n, t]`, n and t running over all batch and all attention axes

    Args:
        chosen: The axes, from 1 to r - 2.
        rank: The rank r of query and value.

    Example:
        >>> axes = AttentionAxes.of((-2,), rank=4)
        >>> axes, axes.batch
        (AttentionAxes(chosen=(2,), rank=4), (0, 1))
        >>> tuple(axes.merged(ops.ones((2, 3, 5, 7))).shape)
        (6, 5, 7)
    """

    chosen: tuple[int, ...]
    rank: int

    @classmethod
    def of(cls, axes: tuple[int, ...] | None, rank: int) -> "AttentionAxes":
        """Returns the axes for inputs of a rank; None stands for all axes of time.

        Args:
            axes: Axes, which may be negative, or None.
            rank: Rank of the inputs.

        Raises:
            ValueError: If an axis is that of the batch or of the features, or named twice.
        """
        every = tuple(range(1, rank - 1))
        chosen = every if axes is None else tuple(a + rank if a < 0 else a for a in axes)
        if len(set(chosen)) < len(chosen) or not set(chosen) <= set(every):
            raise ValueError(
                f"attention_axes must be different axes from 1 to {rank - 2} for inputs of rank "
                f"{rank}; received {axes}."
            )
        return cls(chosen, rank)

    def check(self, given: dict[str, Any]) -> None:
        """Checks that query, value, key and their masks have the same batch axes.

        Args:
            given: Tensors by name; the names of masks end in "mask".

        Raises:
            ValueError: If one has other axes than the query, or batch axes of other sizes.
        """
        query = given["query"]
        for name, x in given.items():
            rank = self.rank - name.endswith("mask")
            if len(x.shape) != rank or any(
                x.shape[a] != query.shape[a]
                for a in self.batch
                if None not in (x.shape[a], query.shape[a])
            ):
                raise ValueError(
                    f"{name} must have {rank} axes, with the sizes of query on the axes "
                    f"{self.batch}; received the shapes {tuple(x.shape)} and, of query, "
                    f"{tuple(query.shape)}."
                )

    def check_single(self, what: str) -> None:
        """Checks that attention runs over one axis.

        Args:
            what: What requires it, the start of the message, such as "use_causal_mask requires".

        Raises:
            ValueError: If it runs over several.
        """
        if len(self.chosen) > 1:
            raise ValueError(f"{what} one attention axis; received attention_axes {self.chosen}.")

    @property
    def batch(self) -> tuple[int, ...]:
        """The batch axes."""
        return tuple(a for a in range(self.rank - 1) if a not in self.chosen)

    def sizes(self, x: Any) -> tuple[tuple, tuple]:
        """Returns the sizes of the batch axes and of the attention axes."""
        sizes = ops.shape(x)
        return tuple(sizes[a] for a in self.batch), tuple(sizes[a] for a in self.chosen)

    def merged(self, x: Any) -> Any:
        """Merges the axes of an input or a mask: (B, N..., T..., ·) to (B N, T, ·)."""
        rest = tuple(range(self.rank - 1, len(x.shape)))
        batch, times = self.sizes(x)
        x = ops.transpose(x, (*self.batch, *self.chosen, *rest))
        return ops.reshape(x, (math.prod(batch), math.prod(times), *x.shape[self.rank - 1 :]))

    def merged_inputs(self, query: Any, value: Any, *others: Any) -> list[Any]:
        """Merges the axes of all inputs of an attention layer, of which the last is its mask.

        Args:
            query: Tensor (B, N..., T..., D).
            value: Tensor (B, N..., S..., Dv).
            *others: The key, the masks of query, value and key, and the attention mask; each may
                be None.
        """
        *inputs, attention_mask = query, value, *others
        if attention_mask is not None:
            attention_mask = self.merged_mask(attention_mask, query, value)
        return [*(None if x is None else self.merged(x) for x in inputs), attention_mask]

    def split(self, y: Any, like: Any) -> Any:
        """Undoes `merged` for an output (B N, T, ...) of the input `like`."""
        batch, times = self.sizes(like)
        rest = y.shape[2:]
        y = ops.reshape(y, (*batch, *times, *rest))
        order = (*self.batch, *self.chosen)
        back = sorted(range(len(order)), key=order.__getitem__)
        return ops.transpose(y, (*back, *range(len(order), len(order) + len(rest))))

    def weights_shape(self, query_shape: tuple, value_shape: tuple, num_heads: int) -> tuple:
        """Returns the shape of the attention weights, (B, N..., H, T..., S...)."""
        leading = [query_shape[a] for a in self.batch]
        pairs = [shape[a] for shape in (query_shape, value_shape) for a in self.chosen]
        return (*leading, num_heads, *pairs)

    def split_weights(self, weights: Any, query: Any, value: Any) -> Any:
        """Splits the axes of attention weights: (B N, H, T, S) to (B, N..., H, T..., S...)."""
        (batch, times), (_, sources) = self.sizes(query), self.sizes(value)
        return ops.reshape(weights, (*batch, weights.shape[1], *times, *sources))

    def merged_mask(self, mask: Any, query: Any, value: Any) -> Any:
        """Merges the axes of a mask that broadcasts to (B, N..., H, T..., S...) or lacks H and N.

        Returns:
            Mask (B N, 1, T, S) or (B N, H, T, S).

        Raises:
            ValueError: If the mask has fewer or more axes than that.
        """
        (batch, times), (_, sources) = self.sizes(query), self.sizes(value)
        ours = len(times) + len(sources)
        lacking = len(batch) + 1 + ours - len(mask.shape)
        if lacking < 0 or len(mask.shape) < ours:
            raise ValueError(
                f"attention_mask must have {ours} to {len(batch) + 1 + ours} axes for these "
                f"attention_axes; received the shape {tuple(mask.shape)}."
            )
        given = ops.shape(mask)
        leading = (*given[: len(given) - ours], *([1] * lacking))
        mask = ops.reshape(mask, (*leading, *given[len(given) - ours :]))
        heads = mask.shape[len(batch)]
        mask = ops.broadcast_to(mask, (*batch, heads, *times, *sources))
        return ops.reshape(mask, (math.prod(batch), heads, math.prod(times), math.prod(sources)))
