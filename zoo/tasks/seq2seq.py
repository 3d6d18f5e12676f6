"""Base class of the tasks with an encoder-decoder of texts."""

from typing import Any

import numpy as np

from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.models.attending import CROSS, DECODER, ENCODER
from zoo.models.options import has_option
from zoo.preprocessing.base import BATCH, LENGTH, Features, Preprocessor, TensorSpec
from zoo.preprocessing.model_inputs import source_inputs, teacher_forcing
from zoo.preprocessing.text import TextPreprocessor
from zoo.serving.inference import Tensors
from zoo.tasks.attending import Tokens
from zoo.tasks.encoder_decoder import Axes, EncoderDecoderTask
from zoo.tasks.likelihood import SCORE
from zoo.text.tokenizer import Tokenizer


class Seq2SeqTask(EncoderDecoderTask):
    """A task whose model is a `Seq2Seq`, with one vocabulary for sources and targets.

    A subclass implements `max_source_length`, the maximum number of source tokens.
    """

    @property
    def max_source_length(self) -> int:
        """Maximum number of source tokens."""
        raise NotImplementedError

    def preprocessor_for(self, tokenizer: Tokenizer) -> TextPreprocessor:
        start, length = tokenizer.special_tokens.starts, self.max_source_length
        return TextPreprocessor(tokenizer, length, start=start, what="sources")

    def model_sizes(self) -> dict[str, Any]:
        size = self.tokenizer.vocabulary_size
        if has_option(self.settings.model, "vocabulary_size"):
            return {"vocabulary_size": size}
        return {"source_vocabulary_size": size, "target_vocabulary_size": size}

    def build(self, preprocessor: Preprocessor) -> None:
        super().build(preprocessor)
        self.check_room(self.max_source_length, self.max_new_tokens)

    def check_room(self, tokens: int, new_tokens: int) -> None:
        limit = self.model.max_sequence_length
        if limit is not None and self.model.positions_of(tokens, new_tokens) > limit:
            raise UserError(
                f"sources of {counted(tokens, 'tokens')} and targets of "
                f"{counted(new_tokens, 'tokens')} exceed the {limit} positions of the model: "
                "increase its max_sequence_length"
            )

    def source_inputs(self, features: Features) -> Tensors:
        limit = self.model.max_sequence_length
        return source_inputs(features["token_ids"], self.special_tokens, limit)

    def teacher_forced(self, columns: Features) -> Tensors:
        limit = self.model.max_sequence_length
        source, target = columns["source_ids"], columns["target_ids"]
        return teacher_forcing(source, target, self.special_tokens, limit)

    @property
    def scored_sources(self) -> dict[str, TensorSpec]:
        pad, meaning = self.special_tokens.pad, self.preprocessor.meaning
        values = self.preprocessor.features["token_ids"].values
        return {"source_ids": TensorSpec((BATCH, "source_length"), "int32", pad, meaning, values)}

    @property
    def map_axes(self) -> dict[str, Axes]:
        return {
            ENCODER: (BATCH, None, LENGTH, LENGTH),
            DECODER: (BATCH, None, None, None),
            CROSS: (BATCH, None, None, LENGTH),
        }

    def calls(
        self, preprocessor: Preprocessor, raw: list[dict[str, np.ndarray]]
    ) -> dict[str, list[dict[str, np.ndarray]]]:
        found = super().calls(preprocessor, raw)
        ids = [batch["token_ids"] for batch in found["tokens"]]
        scored = [{"source_ids": x, "target_ids": x[:, : self.max_new_tokens]} for x in ids]
        return {**found, SCORE: scored}

    def attention_tokens(self, features: Features, outputs: Tensors) -> Tokens:
        pieces = self.preprocessor.pieces
        source, written = pieces(features["token_ids"][0]), pieces(outputs["token_ids"][0])
        read = [*pieces([self.special_tokens.first_read]), *written][: len(written)]
        return {ENCODER: (source, source), DECODER: (written, read), CROSS: (written, source)}
