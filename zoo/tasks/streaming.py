"""Streaming of generated text."""

import operator
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import numpy as np
import tensorflow as tf
from keras import ops

from zoo.data_statistics import collecting
from zoo.decoding.generate import check_options
from zoo.decoding.logits_processors import LogitsProcessors
from zoo.decoding.options import GenerationOptions
from zoo.decoding.protocol import Decoder
from zoo.decoding.sampling import choice
from zoo.decoding.streaming import TracedStep, pieces, stream
from zoo.decoding.token_by_token import TokenByToken
from zoo.errors import UserError
from zoo.preprocessing.base import Preprocessor
from zoo.preprocessing.byte_texts import TRUNCATED
from zoo.serving.inference import Tensors
from zoo.serving.seeded import Calls
from zoo.serving.signatures import SERVING_DEFAULT, Signature
from zoo.serving.streamed import single_rows, stream_signatures
from zoo.tasks.legacy_generating import GeneratingTask
from zoo.text.form import text_form


class StreamingTask(GeneratingTask):
    """A task that can generate its text token by token."""

    _traced: TracedStep

    def build(self, preprocessor: Preprocessor) -> None:
        super().build(preprocessor)
        self._traced = TracedStep(self.model)

    def stream(
        self, source: Any, max_new_tokens: int | None = None, **generation: Any
    ) -> Iterator[str]:
        """Generates a text, piece by piece. Joined, the pieces are what `predict` generates.

        Args:
            source: The source or prompt, as in the list that `predict` takes.
            max_new_tokens: Maximum number of tokens.
            **generation: Other `zoo.decoding.options.GenerationOptions`, except those of beam
                search.
        """
        how = GenerationOptions.of({**generation, "max_new_tokens": max_new_tokens}, "stream")
        length = how.max_new_tokens or self.max_new_tokens
        if how.beams > 1:
            raise UserError("stream has no option 'beams': beam search cannot be streamed")
        preprocessor = self.preprocessor_with(max_new_tokens=length)
        with collecting("stream"):
            features = preprocessor.read(self.raw_inputs([source]))
        self.check_room(self.input_length(features), length)
        found = self.source_inputs(features)
        inputs = {name: ops.convert_to_tensor(np.asarray(x)) for name, x in found.items()}
        tokens = stream(self._decoding(how, length, self._traced), inputs, how.seed)
        known = accumulate(([token] for token in tokens), operator.add)
        return pieces(preprocessor.detokenize(tf.constant([ids])).numpy()[0] for ids in known)

    def _decoding(self, how: GenerationOptions, length: int, model: Decoder) -> TokenByToken:
        check_options(length, how.temperature, how.top_k, how.top_p, how.min_new_tokens)
        bad_words = self.words_as_ids(how.bad_words)
        special = self.special_tokens
        rules = LogitsProcessors.of(
            special, length, how.no_repeat_ngram, how.min_new_tokens, bad_words
        )
        choose = choice(how.temperature, how.top_k, how.top_p)
        return TokenByToken(model, length, choose, special, rules)

    # --- Artifacts ---

    def signatures(
        self,
        text: str | None,
        litert: bool = False,
        *,
        length: int | None = None,
        stream: bool = False,
        **generation: Any,
    ) -> dict[str, Signature]:
        found: dict[str, Signature] = super().signatures(text, litert, length=length, **generation)
        if not stream:
            return found
        how = GenerationOptions.of(generation, self.name)
        if how.beams > 1:
            raise UserError("stream must not be combined with beams: beam search is not streamed")
        decoding = self._decoding(how, how.max_new_tokens or self.max_new_tokens, self.model)
        form = None if text is None else text_form(text, litert)

        def write(outputs: Tensors) -> Tensors:
            return self.postprocess(outputs, {}, form) if form else outputs

        whole = found[SERVING_DEFAULT]
        reported = {TRUNCATED} & whole.meanings.keys()
        return found | stream_signatures(
            whole, decoding, self.source_inputs, write, reported, length
        )

    def probes(self, *, stream: bool = False, **generation: Any) -> Calls:
        found = super().probes(**generation)
        return {**found, **single_rows(found)} if stream else found

    def samples(self, *, stream: bool = False, **generation: Any) -> Calls:
        found = super().samples(**generation)
        return {**found, **single_rows(found)} if stream else found
