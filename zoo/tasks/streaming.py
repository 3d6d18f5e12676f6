"""Streaming of generated text."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf
from keras import ops

from zoo.data_statistics import collecting
from zoo.decoding.logits_processors import LogitsProcessors
from zoo.decoding.options import GenerationOptions
from zoo.decoding.streaming import Streamer, pieces
from zoo.errors import UserError
from zoo.preprocessing.base import Preprocessor
from zoo.tasks.generating import GeneratingTask

SAMPLING = ("temperature", "top_k", "top_p", "seed")


class StreamingTask(GeneratingTask):
    """A task that can generate its text token by token."""

    _streamer: Streamer

    def build(self, preprocessor: Preprocessor) -> None:
        super().build(preprocessor)
        self._streamer = Streamer(self.model, self.special_tokens)

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
        bad_words = self.words_as_ids(how.bad_words)
        rules = LogitsProcessors.of(
            self.special_tokens, length, how.no_repeat_ngram, how.min_new_tokens, bad_words
        )
        sampling = {name: getattr(how, name) for name in SAMPLING}
        tokens = self._streamer(inputs, length, **sampling, logits_processors=rules)
        return pieces(tokens, lambda ids: preprocessor.detokenize(tf.constant([ids])).numpy()[0])
