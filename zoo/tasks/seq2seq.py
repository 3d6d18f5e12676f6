"""Base class of the tasks with an encoder-decoder."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from keras import ops

from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.models.attending import CROSS, DECODER, ENCODER, attention_layers
from zoo.models.options import has_option
from zoo.preprocessing.base import BATCH, LENGTH, Features, Preprocessor, TensorSpec
from zoo.preprocessing.model_inputs import source_inputs, teacher_forcing
from zoo.preprocessing.text import TextPreprocessor
from zoo.serving.inference import Inference, Tensors
from zoo.tasks.attending import (
    ATTENTION,
    GENERATED,
    Tokens,
    check_no_options,
    map_names,
    named_maps,
)
from zoo.tasks.generating import GeneratingTask
from zoo.tasks.likelihood import SCORE, score_inference, token_scores
from zoo.text.special_tokens import SpecialTokens
from zoo.text.tokenizer import Tokenizer


class Seq2SeqTask(GeneratingTask):
    """A task whose model is a `Seq2Seq`, with one vocabulary for sources and targets.

    A subclass implements `max_source_length`, the maximum number of source tokens.
    """

    purposes: ClassVar = {
        **GeneratingTask.purposes,
        ATTENTION: "Writes a text for each input, and shows where the model looked.",
        SCORE: "Scores each token of a target text, given its source and the tokens before it.",
    }

    @property
    def max_source_length(self) -> int:
        """Maximum number of source tokens."""
        raise NotImplementedError

    def preprocessor_for(self, tokenizer: Tokenizer) -> TextPreprocessor:
        start, length = tokenizer.special_tokens.starts, self.max_source_length
        return TextPreprocessor(tokenizer, length, start=start, what="sources")

    def target_preprocessor(self) -> TextPreprocessor:
        """The preprocessor of target texts."""
        start, length = self.special_tokens.starts, self.max_new_tokens
        return TextPreprocessor(self.tokenizer, length, start=start, what="targets")

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
        """Converts source and target ids to the inputs of the model in training."""
        limit = self.model.max_sequence_length
        source, target = columns["source_ids"], columns["target_ids"]
        return teacher_forcing(source, target, self.special_tokens, limit)

    def further_inferences(self, generate: Callable[..., Tensors]) -> dict[str, Inference]:
        attends = attention_layers(self.model)
        found = {ATTENTION: self._attention_inference(generate)} if attends else {}
        return {**found, SCORE: self._score_inference()}

    def _attention_inference(self, generate: Callable[..., Tensors]) -> Inference:
        def compute(inputs: Tensors, **options: Any) -> Tensors:
            ids = generate(inputs, **options)["token_ids"]
            target = _decoder_inputs(ids, self.special_tokens)
            maps = self.model.attention_maps({**inputs, **target})
            written = ops.not_equal(ids, self.special_tokens.pad)
            rows = {ENCODER: inputs["source_mask"], DECODER: written, CROSS: written}
            return {"token_ids": ids, **named_maps(maps, rows)}

        axes: dict[str, Any] = {
            ENCODER: (BATCH, None, LENGTH, LENGTH),
            DECODER: (BATCH, None, None, None),
            CROSS: (BATCH, None, None, LENGTH),
        }
        named = {name: axes[part] for name, part in map_names(self.model).items()}
        outputs = {"token_ids": (BATCH, None), **named}
        return Inference(self.preprocessor.features, self.source_inputs, compute, outputs)

    def _score_inference(self) -> Inference:
        def prepare(features: Features) -> tuple[Tensors, Any]:
            # Columns beyond the limit can only be padding.
            target = features["target_ids"][:, : self.model.max_sequence_length]
            return self.teacher_forced({**features, "target_ids": target}), target

        def compute(inputs: Tensors, labels: Any) -> Tensors:
            return token_scores(self.model(inputs)["logits"], labels, inputs["target_mask"])

        pad, source = self.special_tokens.pad, self.preprocessor.meaning
        target = self.target_preprocessor().meaning
        features = {
            "source_ids": TensorSpec((BATCH, "source_length"), "int32", pad, source),
            "target_ids": TensorSpec((BATCH, LENGTH), "int32", pad, target),
        }
        outputs = dict.fromkeys(("log_probabilities", "predicted_ids"), (BATCH, LENGTH))
        return score_inference(features, prepare, compute, outputs)

    def calls(
        self, preprocessor: Preprocessor, raw: list[dict[str, np.ndarray]]
    ) -> dict[str, list[dict[str, np.ndarray]]]:
        found = super().calls(preprocessor, raw)
        ids = [batch["token_ids"] for batch in found["tokens"]]
        scored = [{"source_ids": x, "target_ids": x[:, : self.max_new_tokens]} for x in ids]
        return {**found, SCORE: scored}

    @property
    def meanings(self) -> dict[str, str]:
        own = [name for name, part in map_names(self.model).items() if part == DECODER]
        return {**super().meanings, **dict.fromkeys(own, GENERATED)}

    def run_attention(
        self, features: Features, max_new_tokens: int | None = None, **options: Any
    ) -> Tensors:
        check_no_options(self.name, options)
        length = self.max_new_tokens if max_new_tokens is None else max_new_tokens
        self.check_room(self.input_length(features), length)
        return self.program(ATTENTION)(features, max_new_tokens=length)

    def attention_tokens(self, features: Features, outputs: Tensors) -> Tokens:
        pieces = self.preprocessor.pieces
        source, written = pieces(features["token_ids"][0]), pieces(outputs["token_ids"][0])
        read = [*pieces([self.special_tokens.first_read]), *written][: len(written)]
        return {ENCODER: (source, source), DECODER: (written, read), CROSS: (written, source)}


def _decoder_inputs(token_ids: Any, special_tokens: SpecialTokens) -> Tensors:
    """The decoder inputs from which ids (B, T) were generated: `target_ids`, `target_mask`.

    Computed with `keras.ops`, since the ids are outputs of the model.
    """
    start = ops.full_like(token_ids[:, :1], special_tokens.first_read)
    before = ops.concatenate([start, token_ids[:, :-1]], axis=1)
    return {"target_ids": before, "target_mask": ops.not_equal(before, special_tokens.pad)}
