"""Recognition while someone speaks, with a causal model."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from keras import ops

from zoo.data.audio.read import as_samples
from zoo.errors import UserError
from zoo.models.blank_after_end import BLANK
from zoo.models.ctc_recognizer import CTCRecognizer
from zoo.preprocessing.audio import LENGTHS, WAVEFORM, AudioPreprocessor
from zoo.preprocessing.base import BATCH, TensorSpec
from zoo.serving.inference import Inference, Program, Tensors
from zoo.tasks.inputs.audio import FittedAudio

STREAM, STEPS = "stream", "steps"


def step_inference(fitted: FittedAudio) -> Inference:
    """The inference of some steps of a causal model, from its states before them.

    Raises:
        UserError: If the model is not causal.
    """
    model = fitted.model
    if not model.causal:
        raise UserError("only a causal model streams: train one with the preset causal")
    specs = {**fitted.preprocessor.features, STEPS: TensorSpec((), "int32")}
    for name, state in model.initial_states(1).items():
        specs[name] = TensorSpec((BATCH, state.shape[-1]), "float32")

    def compute(inputs: Tensors) -> Tensors:
        return model.step(inputs)

    return Inference(specs, dict, compute, {})


def stream_logits(
    model: CTCRecognizer, run: Program, chunks: Iterable[Any]
) -> Iterator[np.ndarray]:
    """The logits (T, V) of the steps that each chunk completes.

    Args:
        model: A causal model.
        run: The program of its `step_inference`.
        chunks: Arrays of samples, each of any length, at the rate of the model.

    Raises:
        UserError: If a chunk has no samples.
    """
    states = {name: ops.convert_to_numpy(x) for name, x in model.initial_states(1).items()}
    hop, rest = model.samples_per_step, np.zeros(0, "float32")

    def read(samples: np.ndarray, steps: int) -> np.ndarray:
        inputs = {WAVEFORM: samples[None], LENGTHS: np.array([len(samples)])}
        outputs = run({**inputs, STEPS: np.array(steps), **states})
        logits: np.ndarray = outputs.pop("logits")[0]
        states.update(outputs)
        return logits

    for chunk in chunks:
        rest = np.concatenate([rest, _samples(chunk)])
        steps = (len(rest) - model.samples_ahead) // hop
        if steps > 0:
            yield read(rest[: steps * hop + model.samples_ahead], steps)
            rest = rest[steps * hop :]
    if len(rest):
        yield read(rest, -(-len(rest) // hop))


def stream_text(preprocessor: AudioPreprocessor, logits: Iterable[np.ndarray]) -> Iterator[str]:
    """The text of logits (T, V), piece by piece, by greedy decoding."""
    before = BLANK
    for each in logits:
        classes = each.argmax(axis=-1)
        new = classes != np.concatenate([[before], classes[:-1]])
        if text := preprocessor.spell(classes[new]).numpy().decode():
            yield text
        before = classes[-1]


def _samples(chunk: Any) -> np.ndarray:
    try:
        return as_samples(np.atleast_1d(chunk))
    except ValueError as error:
        raise UserError(f"a chunk cannot be read: {error}") from None
