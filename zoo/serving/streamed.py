"""The signatures of an artifact that writes one token at a time."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import keras
import tensorflow as tf
from keras import ops

from zoo.decoding.rng import row_seeds
from zoo.decoding.token_by_token import TokenByToken
from zoo.preprocessing.base import BATCH, LENGTH, Features, TensorSpec
from zoo.serving.inference import Tensors
from zoo.serving.needed import needed_states
from zoo.serving.seeded import SEED, Calls
from zoo.serving.signatures import Signature

START, STEP = "stream_start", "stream_step"
ENDED = "ended"
STATE = "state_"  # the beginning of the names of what a client hands on
PURPOSES = {
    START: f"Reads an input, to generate token by token. What it returns is what {STEP} takes.",
    STEP: f"Generates a token. Call it until `{ENDED}` is 1, each time with the outputs named "
    f"`{STATE}...` of the call before; those that it does not return stay as they are.",
}
LOWEST = -3e38  # less than any input
MEANING = "what the model knows so far"


def stream_signatures(
    whole: Signature,
    decoding: TokenByToken,
    source_inputs: Callable[[Features], Tensors],
    write: Callable[[Tensors], Tensors],
    reported: Iterable[str] = (),
    length: int | None = None,
) -> dict[str, Signature]:
    """The signatures that do in steps what another one does at once, for one row.

    Args:
        whole: The signature that generates at once.
        decoding: Greedy decoding or sampling.
        source_inputs: Function from features to the inputs that the model encodes.
        write: Function from `token_ids`, `lengths` and `scores` to outputs, such as text.
        reported: Names of what preprocessing says of the input, which the first signature returns.
        length: The size of the axis "length", of a file of one shape.
    """
    one_row = {BATCH: 1}
    start = _Start(decoding, source_inputs)
    features = _sized(whole.features, one_row)
    fixed = features if length is None else _sized(features, {LENGTH: length})
    begun = _traced(start, fixed).structured_outputs
    states = {
        name: TensorSpec(
            tuple(f"{name}_{i}" if n is None else n for i, n in enumerate(tensor.shape)),
            tensor.dtype.name,
            meaning=MEANING,
        )
        for name, tensor in begun.items()
    }
    step = _Step(decoding, start.template)
    start.names = needed_states(_traced(step, states), states)
    states = {name: states[name] for name in start.names}
    changed = {name: states[name].shape for name in step.changed if name in states}
    meanings = dict.fromkeys(states, MEANING)

    def report(outputs: Tensors, features: Features) -> Tensors:
        return {**outputs, **{name: features[name] for name in reported}}

    begun_axes = {name: (1, *[None] * (len(x.shape) - 1)) for name, x in states.items()}
    first = replace(
        whole,
        inputs=_sized(whole.inputs, one_row),
        features=features,
        infer=start,
        outputs=begun_axes,
        postprocess=report if reported else None,
        results={**begun_axes, **dict.fromkeys(reported, (1,))} if reported else {},
        invariances=(),
        purpose=PURPOSES[START],
        meanings={**whole.meanings, **meanings},
        units={},
    )

    def advance(**given: Any) -> Tensors:
        outputs = step(**given)
        return {name: outputs[name] for name in (*own, ENDED, *changed)}

    def finish(outputs: Tensors, _: Features) -> Tensors:
        return {**write(outputs), **{name: outputs[name] for name in (ENDED, *changed)}}

    own = {"token_ids": (1, None), "lengths": (1,), "scores": (1,)}
    further = Signature(
        inputs=states,
        features=states,
        infer=advance,
        outputs={**own, ENDED: (1,), **changed},
        postprocess=finish,
        results={name: (1, None) for name in whole.results},
        invariances=(),
        purpose=PURPOSES[STEP],
        meanings={**whole.meanings, ENDED: "1 after the last token", **meanings},
        follows=START,
    )
    return {START: first, STEP: further}


def single_rows(calls: Calls) -> Calls:
    """The rows of calls of signatures, each alone.

    Example:
        >>> import numpy as np
        >>> single_rows({"tokens": [{"token_ids": np.array([[5, 3], [4, 3]])}]})["tokens, a row"][1]
        {'token_ids': array([[4, 3]])}
    """
    return {
        f"{name}, a row": [
            {key: array[row : row + 1] for key, array in batch.items()}
            for batch in batches
            for row in range(len(next(iter(batch.values()))))
        ]
        for name, batches in calls.items()
    }


def _traced(function: Callable[..., Tensors], specs: Mapping[str, TensorSpec]) -> Any:
    given = {name: tf.TensorSpec(x.tensorflow.shape, x.dtype, name) for name, x in specs.items()}
    return tf.function(function, autograph=False).get_concrete_function(**given)


def _sized(specs: Mapping[str, TensorSpec], sizes: Mapping[str, int]) -> dict[str, TensorSpec]:
    """Specs with sizes in place of the names of axes."""
    return {
        name: replace(spec, shape=tuple(sizes.get(str(axis), axis) for axis in spec.shape))
        for name, spec in specs.items()
    }


class _Start:
    """From features to all that steps need, by name."""

    def __init__(
        self, decoding: TokenByToken, source_inputs: Callable[[Features], Tensors]
    ) -> None:
        self._decoding, self._source_inputs = decoding, source_inputs
        self.template: Any = None  # specs in the structure of the constant tensors and the state
        self.names: list[str] | None = None  # of what is returned; all, if None

    def __call__(self, **features: Any) -> Tensors:
        seed = features.pop(SEED, None)
        seeds = None if seed is None else row_seeds(seed, ops.zeros_like(seed))
        both = self._decoding.start(self._source_inputs(features), seeds)
        self.template = keras.tree.map_structure(lambda x: tf.TensorSpec(x.shape, x.dtype), both)
        tensors = [_outside(x) for x in keras.tree.flatten(both)]
        zero = _unforeseen_zero(features)
        named = {
            f"{STATE}{number}": x + ops.cast(zero * (number + 1), x.dtype)
            for number, x in enumerate(tensors)
        }
        return named if self.names is None else {name: named[name] for name in self.names}


class _Step:
    """One step, from and to states by name."""

    def __init__(self, decoding: TokenByToken, template: Any) -> None:
        self._decoding, self._template = decoding, template
        self._specs = dict(enumerate(keras.tree.flatten(template)))
        constant = len(keras.tree.flatten(template[0]))
        self.changed = [f"{STATE}{number}" for number in self._specs if number >= constant]

    def __call__(self, **states: Any) -> Tensors:
        leaves = [
            _inside(states.get(f"{STATE}{number}"), spec) for number, spec in self._specs.items()
        ]
        constant, state = keras.tree.pack_sequence_as(self._template, leaves)
        state = self._decoding.step(constant, state)
        written = self._decoding.generated(constant, state)
        changed = dict(zip(self.changed, map(_outside, keras.tree.flatten(state)), strict=True))
        length = self._decoding.max_new_tokens
        return {
            "token_ids": ops.reshape(written.token_ids, (1, length)),
            "lengths": ops.reshape(written.lengths, (1,)),
            "scores": ops.reshape(written.scores, (1,)),
            ENDED: ops.cast(state["ended"], "int32"),
            **changed,
        }


def _outside(tensor: Any) -> Any:
    """A tensor as all runtimes take it: no bool, and at least two axes.

    A number would be the same tensor as an output such as the score, and LiteRT for browsers knows
    only one name for a tensor.
    """
    tensor = ops.cast(tensor, "int32") if tensor.dtype == tf.bool else tensor
    return ops.reshape(tensor, (1, 1)) if tensor.shape.rank < 2 else tensor


def _unforeseen_zero(features: Tensors) -> Any:
    """A zero that depends on an input, so that no converter computes what it is added to.

    Caches begin with zeros, and the converter would make one tensor of all that are of one shape.
    """
    lowest = ops.cast(next(iter(features.values())), "float32") < LOWEST
    return ops.sum(ops.cast(lowest, "int32"))


def _inside(tensor: Any, spec: tf.TensorSpec) -> Any:
    """What `_outside` made of a tensor, as it was; zeros for one that no output depends on."""
    if tensor is None:
        return tf.zeros([1 if size is None else size for size in spec.shape], spec.dtype)
    tensor = ops.cast(tensor, spec.dtype)
    return ops.reshape(tensor, (1,) * spec.shape.rank) if spec.shape.rank < 2 else tensor
