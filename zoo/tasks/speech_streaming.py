"""Recognition while someone speaks, with a causal model."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from keras import ops

from zoo.data.audio.read import as_samples
from zoo.errors import UserError
from zoo.models.certain_blank import BLANK
from zoo.preprocessing.audio import LENGTHS, WAVEFORM
from zoo.preprocessing.base import BATCH, TensorSpec
from zoo.serving.inference import Inference, Program, Tensors
from zoo.tasks.undivided import UndividedTask

STREAM, STEPS = "stream", "steps"


class SpeechStreaming(UndividedTask):
    """A task whose causal model writes while samples arrive."""

    def stream(self, chunks: Iterable[Any]) -> Iterator[str]:
        """Writes while samples arrive, chunk by chunk.

        Args:
            chunks: Arrays of samples, each of any length, at the rate of the model.

        Returns:
            Iterator over pieces of text. Put together, they are what `predict` writes.

        Raises:
            UserError: If the model is not causal, or a chunk has no samples.
        """
        before = BLANK
        for logits in self.stream_logits(chunks):
            found = logits.argmax(axis=-1)
            new = found != np.concatenate([[before], found[:-1]])
            if text := self.preprocessor.spell(found[new]).numpy().decode():
                yield text
            before = found[-1]

    def stream_logits(self, chunks: Iterable[Any]) -> Iterator[np.ndarray]:
        """The logits (T, V) of the steps that each chunk completes; see `stream`."""
        model = self.model
        if not model.causal:
            raise UserError("only a causal model streams: train one with the preset causal")
        run, states = self._stream_program(), model.initial_states(1)
        states = {name: ops.convert_to_numpy(state) for name, state in states.items()}
        hop, rest = model.samples_per_step, np.zeros(0, "float32")

        def read(samples: np.ndarray, steps: int) -> np.ndarray:
            inputs = {WAVEFORM: samples[None], LENGTHS: np.array([len(samples)])}
            found = run({**inputs, STEPS: np.array(steps), **states})
            logits: np.ndarray = found.pop("logits")[0]
            states.update(found)
            return logits

        for chunk in chunks:
            rest = np.concatenate([rest, self._samples(chunk)])
            steps = (len(rest) - model.samples_ahead) // hop
            if steps > 0:
                yield read(rest[: steps * hop + model.samples_ahead], steps)
                rest = rest[steps * hop :]
        if len(rest):
            yield read(rest, -(-len(rest) // hop))

    def _samples(self, chunk: Any) -> np.ndarray:
        try:
            return as_samples(np.atleast_1d(chunk))
        except ValueError as error:
            raise UserError(f"a chunk cannot be read: {error}") from None

    def _stream_program(self) -> Program:
        """The compiled program that reads some steps."""
        if STREAM not in self._programs:
            specs = {**self.preprocessor.features, STEPS: TensorSpec((), "int32")}
            for name, state in self.model.initial_states(1).items():
                specs[name] = TensorSpec((BATCH, state.shape[-1]), "float32")

            def compute(inputs: Tensors) -> Tensors:
                return self.model.step(inputs)

            self._programs[STREAM] = Program(Inference(specs, dict, compute, {}))
        return self._programs[STREAM]
