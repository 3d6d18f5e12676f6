"""The protocol of language models that keep the keys and values of each block."""

from typing import Any, Protocol, runtime_checkable

Caches = list[tuple[Any, Any]]


@runtime_checkable
class KeyValueModel(Protocol):
    """A language model that reads several tokens at once, from any position.

    Source: Vaswani et al. 2017, section 3.2.3, for the causal attention.
    Formula: `x, caches = extend(tokens[:, t : t + T], caches, t)`; `logits = logits_of(x)`
    """

    def initial_cache(self, batch_size: Any, max_length: Any) -> Caches:
        """Keys and values (B, G, L, K) of each block, which are zeros."""

    def extend(self, tokens: Any, caches: Caches, index: Any) -> tuple[Any, Caches]:
        """Reads the tokens (B, T) at the positions from `index` on.

        Returns:
            The outputs (B, T, D) of the last block, and the new caches.
        """

    def logits_of(self, x: Any) -> Any:
        """The logits (..., V) of outputs of the last block (..., D)."""
