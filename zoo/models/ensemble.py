"""Several models that generate one text together."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from zoo.models.zoo_model import Tensors


class Ensemble(keras.Model):
    """Models of one vocabulary, whose probabilities of the next token are averaged.

    Source: Sutskever et al. 2014, section 3.6, for ensembles of translators.
    Formula: `logits = log(1/M sum_m softmax(logits_m))`

    It is a `Decoder`, so greedy decoding, beam search and sampling work with it as with each model.
    It cannot be trained, and shows no attention.

    Args:
        models: The models, at least one.

    Inputs: Those of each model.
    Outputs: `logits` (B, T, V), float32: logarithms of the averaged probabilities.
    """

    def __init__(self, models: Sequence[Any]) -> None:
        super().__init__(name="ensemble")
        self.members = list(models)
        limits = [each.max_sequence_length for each in models]
        self.max_sequence_length = min((each for each in limits if each is not None), default=None)
        self.attention_layers: dict[str, int] = {}
        self.hidden_dim: int = models[0].hidden_dim
        self.stateful_batch_size = 0

    def call(self, inputs: Tensors, training: bool = False) -> Tensors:
        every = [each(inputs, training=training)["logits"] for each in self.members]
        return {"logits": averaged(every)}

    def positions_of(self, source_length: int, target_length: int) -> int:
        """Number of positions that a source and its target need, of the model that needs most."""
        return max(each.positions_of(source_length, target_length) for each in self.members)

    def encode(self, inputs: Tensors) -> list[Any]:
        """The memory of each model."""
        return [each.encode(inputs) for each in self.members]

    def initial_state(self, memory: list[Any], max_length: Any) -> Tensors:
        """The states of all models before the first step."""
        return _together(
            [
                each.initial_state(own, max_length)
                for each, own in zip(self.members, memory, strict=True)
            ]
        )

    def read(self, tokens: Any, count: Any, state: Tensors) -> Tensors:
        """The states after the first `count` tokens of a prompt."""
        pairs = zip(self.members, _apart(state), strict=True)
        return _together([each.read(tokens, count, own) for each, own in pairs])

    def step(self, tokens: Any, state: Tensors) -> tuple[Any, Tensors]:
        """The logits (B, V) of the next token, and the states after it."""
        pairs = zip(self.members, _apart(state), strict=True)
        logits, states = zip(*(each.step(tokens, own) for each, own in pairs), strict=True)
        return averaged(logits), _together(states)

    def compute_loss(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError("An ensemble cannot be trained.")


def averaged(every: Sequence[Any]) -> Any:
    """The logarithm of the mean of the probabilities that several logits (..., V) give.

    Example:
        >>> both = averaged([ops.log(ops.array([0.2, 0.8])), ops.log(ops.array([0.6, 0.4]))])
        >>> ops.exp(both).numpy().round(6).tolist()
        [0.4000000059604645, 0.6000000238418579]
    """
    logs = [ops.log_softmax(ops.cast(each, "float32"), axis=-1) for each in every]
    return ops.logsumexp(ops.stack(logs), axis=0) - ops.log(float(len(logs)))


def _together(states: Sequence[Tensors]) -> Tensors:
    """The states of several models as one, at the same position."""
    both = {name: [state[name] for state in states] for name in ("memory", "cache")}
    return {**both, "index": states[0]["index"]}


def _apart(state: Tensors) -> list[Tensors]:
    """The state of each model."""
    pairs = zip(state["memory"], state["cache"], strict=True)
    return [{"memory": m, "cache": c, "index": state["index"]} for m, c in pairs]
