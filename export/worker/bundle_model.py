"""The model in a bundle, whose signatures LiteRT runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .artifact import load
from .bundle import litert_of
from .probes import Tensors

DECODE, PREFILL, CACHE = "decode", "prefill_", "kv_cache"


class BundleModel:
    """The model in a bundle, which reads tokens one after the other, or many at once.

    Args:
        content: The bundle.
    """

    def __init__(self, content: bytes) -> None:
        self._artifact = load(litert_of(content))
        inputs = self._artifact.signatures[DECODE]["inputs"]
        self._shapes = {
            name: (spec["shape"], spec["dtype"])
            for name, spec in inputs.items()
            if name.startswith(CACHE)
        }
        names = (name for name in self._artifact.signatures if name.startswith(PREFILL))
        self._sizes = sorted((int(name.removeprefix(PREFILL)) for name in names), reverse=True)
        self.start()

    def start(self) -> None:
        """Forgets what was read."""
        self._length = 0
        self._caches: Tensors = {n: np.zeros(*shape) for n, shape in self._shapes.items()}

    def read(self, ids: Sequence[int]) -> None:
        """Reads tokens by `prefill`: always as many at once as the largest signature takes."""
        rest = [int(x) for x in ids]
        while rest:
            size = next(size for size in self._sizes if size <= len(rest))
            self._run(f"{PREFILL}{size}", rest[:size])
            rest = rest[size:]

    def step(self, token: int) -> np.ndarray:
        """Reads a token by `decode`, and gives the logits (V,) of the next one in float64."""
        return self._run(DECODE, [int(token)])["logits"].ravel().astype("float64")

    def greedy(
        self, prompt: Sequence[int], count: int, stops: set[int], suppressed: Sequence[int]
    ) -> list[int]:
        """The most probable tokens after a prompt, up to a stop token.

        Args:
            prompt: Ids, at least one.
            count: Maximum number of tokens.
            stops: Ids of the stop tokens.
            suppressed: Ids that are never chosen.
        """
        self.start()
        self.read(prompt[:-1])
        token, chosen = int(prompt[-1]), list[int]()
        while len(chosen) < count and not stops.intersection(chosen[-1:]):
            logits = self.step(token)
            logits[list(suppressed)] = -np.inf
            token = int(logits.argmax())
            chosen.append(token)
        return chosen

    def _run(self, signature: str, ids: list[int]) -> Tensors:
        positions = np.arange(self._length, self._length + len(ids), dtype=np.int32)
        given = {"tokens": np.array([ids], np.int32), "input_pos": positions}
        outputs = self._artifact.run(signature, {**given, **self._caches})
        self._caches = {name: outputs[name] for name in self._caches}
        self._length += len(ids)
        return outputs
