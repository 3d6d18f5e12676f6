"""Base class of the tasks that generate text."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import tensorflow as tf
from keras import ops

from zoo.decoding.generate import generate
from zoo.decoding.logits_processors import Words
from zoo.decoding.options import SAMPLING_OPTIONS, GenerationOptions, changed
from zoo.decoding.rng import row_seeds
from zoo.errors import UserError
from zoo.heads.generated_text import GeneratedTextHead
from zoo.preprocessing.base import Features, TensorSpec
from zoo.serving.inference import Inference, Program, Run, Tensors
from zoo.serving.memoized import memoized
from zoo.serving.seeded import Calls, calls_with_seeds, seeded
from zoo.tasks.likelihood import TOKEN_SCORES
from zoo.tasks.text import TextTask

BadWords = Sequence[str] | Sequence[Sequence[int]]
SEEDS = "seeds"


class Candidate(NamedTuple):
    """One of the outputs of a beam search.

    `score` is the sum of the log-probabilities of the tokens, in nats. Beam search divides it by
    the length penalty.
    """

    text: str
    score: float


class GeneratingTask(TextTask):
    """A task whose model is a `Decoder`, which generates text.

    A subclass implements `source_inputs`, the inputs that the model encodes, and `max_new_tokens`,
    the default maximum length of the output.
    """

    purposes: ClassVar = {"tokens": "Writes a text for each input."}
    export_options: ClassVar = tuple(GenerationOptions.names())

    @property
    def max_new_tokens(self) -> int:
        """Default maximum number of tokens to generate."""
        raise NotImplementedError

    def source_inputs(self, features: Features) -> Tensors:
        """Converts features to the inputs that the model encodes, in TensorFlow operators."""
        raise NotImplementedError

    def check_room(self, tokens: int, new_tokens: int) -> None:
        """Raises a `UserError` if inputs and outputs of these lengths exceed the model's limit."""

    # --- What the model computes ---

    @property
    def head(self) -> GeneratedTextHead:
        return GeneratedTextHead(self.preprocessor)

    @property
    def meanings(self) -> dict[str, str]:
        return {**super().meanings, **TOKEN_SCORES}

    def inferences(self, **generation: Any) -> dict[str, Inference]:
        length, how = self._generation(generation)
        sampling = {name: how.pop(name) for name in SAMPLING_OPTIONS if name in how}

        def compute(inputs: Tensors, max_new_tokens: int = length, **more: Any) -> Tensors:
            return self._outputs(inputs, max_new_tokens, {**how, **more})

        row, own = ("batch",), ("batch", None)
        outputs: dict[str, Any] = {"token_ids": own, "lengths": row, "scores": row}
        if how.get("beams", 1) > 1:
            outputs |= {"beam_ids": (*own, None), "beam_scores": own}
        features = self.preprocessor.features
        name = self.preprocessor.feature_signature
        best = memoized(compute)
        main = Inference(features, self.source_inputs, best, outputs)
        if sampling.get("temperature"):
            main = seeded(replace(main, compute=compute), **sampling)
        return {name: main, **self.further_inferences(best)}

    def further_inferences(self, generate: Callable[..., Tensors]) -> dict[str, Inference]:
        """Inferences other than generation, such as attention maps, by name of the signature.

        Args:
            generate: Function from inputs of the model and `max_new_tokens` to outputs, which
                include `token_ids`. It does not sample.
        """
        return {}

    def _outputs(self, inputs: Tensors, length: int, how: dict[str, Any]) -> Tensors:
        special = self.special_tokens
        found = generate(self.model, inputs, length, special_tokens=special, **how)
        outputs = {
            # Joining tokens in LiteRT requires a static length.
            "token_ids": ops.reshape(found.token_ids[:, 0], (-1, length)),
            "lengths": found.lengths[:, 0],
            "scores": found.scores[:, 0],
        }
        if how.get("beams", 1) == 1:
            return outputs
        return {**outputs, "beam_ids": found.token_ids, "beam_scores": found.scores}

    def _generation(self, options: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """The maximum number of new tokens, and the other options that differ from the defaults."""
        how = changed(GenerationOptions.of(dict(options), self.name))
        length = how.pop("max_new_tokens", self.max_new_tokens)
        if "bad_words" in how:
            how["bad_words"] = self.words_as_ids(how["bad_words"])
        return length, how

    def words_as_ids(self, words: BadWords) -> Words:
        """Converts words to ids, both at the beginning of a text and after a space."""
        found: dict[tuple[int, ...], None] = {}
        for word in words:
            if not isinstance(word, str):
                found[tuple(map(int, word))] = None
                continue
            pieces = self.tokenizer.tokenize([word, " " + word]).to_list()
            if not pieces[0]:
                raise UserError(f"bad_words contains {word!r}, which has no tokens")
            found |= dict.fromkeys(map(tuple, pieces))
        return tuple(found)

    # --- Use ---

    def runner(self, **generation: Any) -> Run:
        length, how = self._generation(generation)
        seed = how.pop("seed", None)
        name = self.preprocessor.feature_signature

        def run(signature: str, features: Mapping[str, Any]) -> dict[str, np.ndarray]:
            if signature != name:
                return self.program(signature)(features)
            rows = len(next(iter(features.values())))
            places = features.get("row", np.arange(rows))
            self.check_room(self.input_length(features), length)
            seeds = ops.convert_to_numpy(row_seeds(seed, places))
            return self._generator()({**features, SEEDS: seeds}, length=length, **how)

        return run

    def input_length(self, features: Mapping[str, Any]) -> int:
        """The length of the longest input, in tokens."""
        written = np.not_equal(features["token_ids"], self.special_tokens.pad)
        return int(written.sum(axis=1).max(initial=0))

    def longest_input(self, **generation: Any) -> int:
        """The largest length of an input, in tokens."""
        return self.preprocessor_with(**generation).max_length

    def _generator(self) -> Program:
        """The compiled program that generates, with any options."""
        name = self.preprocessor.feature_signature
        if name not in self._programs:

            def compute(inputs: Tensors, seeds: Any, length: int, **how: Any) -> Tensors:
                return self._outputs(inputs, length, {**how, "seed": seeds})

            whole = Inference(self.preprocessor.features, self.source_inputs, compute, {})
            spec = {SEEDS: TensorSpec(("batch", 2), "int32")}
            self._programs[name] = Program(whole, spec)
        return self._programs[name]

    def generate_ids(
        self, token_ids: Any, max_new_tokens: int | None = None, **generation: Any
    ) -> np.ndarray:
        """Generates the ids (B, L) of the best output from source ids or prompts (B, S).

        Both are padded with `task.special_tokens.pad`. It is 0, or the padding id of the
        checkpoint, or -1 if the checkpoint has no padding token, such as GPT-2.

        Args:
            token_ids: int32 ids (B, S); sources end with the end token.
            max_new_tokens: Maximum number of tokens L; defaults to that of the task.
            **generation: See `zoo.decoding.options.GenerationOptions`.

        Raises:
            UserError: If the lengths exceed the limit of the model.
        """
        run = self.runner(max_new_tokens=max_new_tokens, **generation)
        features = {"token_ids": np.asarray(token_ids, "int32")}
        return run(self.preprocessor.feature_signature, features)["token_ids"]

    def predict(self, data: Any, batch_size: int = 32, **generation: Any) -> list[str]:
        """Generates a text for each input.

        Args:
            data: The sources or prompts.
            batch_size: Batch size. Inputs of similar length are batched together.
            **generation: See `zoo.decoding.options.GenerationOptions`. Samples depend on the seed
                and on the position of the input in `data`, not on the batches.
        """
        return super().predict(data, batch_size, **generation)

    def candidates(
        self, data: Any, beams: int = 4, batch_size: int = 32, **generation: Any
    ) -> list[list[Candidate]]:
        """Generates the outputs of all beams for each input, best first.

        Args:
            data: The sources or prompts.
            beams: Number of beams, and of outputs for each input.
            batch_size: Batch size. Inputs of similar length are batched together.
            **generation: Other options; see `zoo.decoding.options.GenerationOptions`.

        Returns:
            A list of `beams` candidates for each input, or fewer if fewer outputs are possible.
        """
        preprocessor = self.preprocessor_with(**generation)
        run = self.runner(beams=beams, **generation)
        columns = self.raw_inputs(data)
        rows = self.predict_rows(columns, run, batch_size, self._beams, preprocessor)
        return [
            [
                Candidate(text.decode(), float(score))
                for text, score, length in zip(*row.values(), strict=True)
                if length
            ]
            for row in rows
        ]

    def _beams(self, outputs: Tensors, features: Features) -> Tensors:
        """Texts, scores and lengths of every beam, (B, N) each."""
        ids = outputs.get("beam_ids", outputs["token_ids"][:, None])
        scores = outputs.get("beam_scores", outputs["scores"][:, None])
        every = {**outputs, "beam_ids": ids, "beam_scores": scores}
        lengths = tf.math.count_nonzero(tf.not_equal(ids, self.special_tokens.pad), axis=2)
        found = self.postprocess(every, features)
        return {"text": found["beam_texts"], "score": scores, "length": lengths}

    # --- Artifacts ---

    def signatures(
        self,
        text: str | None,
        litert: bool = False,
        *,
        length: int | None = None,
        **generation: Any,
    ) -> Any:
        new_tokens, how = self._generation(generation)
        if "seed" in how:
            raise UserError(
                "seed must not be given: an artifact that samples takes a seed for each text"
            )
        self.check_room(self.longest_input(**generation), new_tokens)
        return super().signatures(text, litert, length=length, **generation)

    def probes(self, **generation: Any) -> Calls:
        return self._calls_with_seeds(super().probes(**generation), generation)

    def samples(self, **generation: Any) -> Calls:
        return self._calls_with_seeds(super().samples(**generation), generation)

    def _calls_with_seeds(self, calls: Calls, generation: dict[str, Any]) -> Calls:
        _, how = self._generation(generation)
        return calls_with_seeds(calls) if how.get("temperature") else calls
