"""Base class of the tasks that write a text about a source, which may be a text or an image."""

from collections.abc import Callable
from typing import Any, ClassVar

from keras import ops

from zoo.models.attending import CROSS, DECODER, ENCODER, attention_layers
from zoo.preprocessing.base import BATCH, LENGTH, Features, TensorSpec
from zoo.preprocessing.text import TextPreprocessor
from zoo.serving.inference import Inference, Tensors
from zoo.tasks.attending import ATTENTION, GENERATED, check_no_options, map_names, named_maps
from zoo.tasks.likelihood import SCORE, score_inference, token_scores
from zoo.tasks.streaming import StreamingTask
from zoo.text.special_tokens import SpecialTokens

Axes = tuple[int | str | None, ...]


class EncoderDecoderTask(StreamingTask):
    """A task whose model has the inputs `target_ids` and `target_mask` beside those of a source.

    A subclass implements `teacher_forced`, `scored_sources` and `map_axes`.
    """

    purposes: ClassVar = {
        **StreamingTask.purposes,
        ATTENTION: "Writes a text for each input, and shows where the model looked.",
        SCORE: "Scores each token of a target text, given its source and the tokens before it.",
    }

    def target_preprocessor(self) -> TextPreprocessor:
        """The preprocessor of target texts."""
        start, length = self.special_tokens.starts, self.max_new_tokens
        return TextPreprocessor(self.tokenizer, length, start=start, what="targets")

    def teacher_forced(self, columns: Features) -> Tensors:
        """Converts a source and `target_ids` to the inputs of the model in training."""
        raise NotImplementedError

    @property
    def scored_sources(self) -> dict[str, TensorSpec]:
        """Spec of each feature of a source beside `target_ids`, as `teacher_forced` takes them."""
        raise NotImplementedError

    @property
    def map_axes(self) -> dict[str, Axes]:
        """Axes of the attention maps of each part."""
        raise NotImplementedError

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
            rows = {ENCODER: inputs.get("source_mask"), DECODER: written, CROSS: written}
            return {"token_ids": ids, **named_maps(maps, rows)}

        named = {name: self.map_axes[part] for name, part in map_names(self.model).items()}
        outputs = {"token_ids": (BATCH, None), **named}
        return Inference(self.preprocessor.features, self.source_inputs, compute, outputs)

    def _score_inference(self) -> Inference:
        def prepare(features: Features) -> tuple[Tensors, Any]:
            # Columns beyond the limit can only be padding.
            target = features["target_ids"][:, : self.model.max_sequence_length]
            return self.teacher_forced({**features, "target_ids": target}), target

        def compute(inputs: Tensors, labels: Any) -> Tensors:
            return token_scores(self.model(inputs)["logits"], labels, inputs["target_mask"])

        pad, target = self.special_tokens.pad, self.target_preprocessor().meaning
        features = {
            **self.scored_sources,
            "target_ids": TensorSpec(
                (BATCH, LENGTH), "int32", pad, target, (0, self.tokenizer.vocabulary_size - 1)
            ),
        }
        outputs = dict.fromkeys(("log_probabilities", "predicted_ids"), (BATCH, LENGTH))
        return score_inference(features, prepare, compute, outputs)

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


def _decoder_inputs(token_ids: Any, special_tokens: SpecialTokens) -> Tensors:
    """The decoder inputs from which ids (B, T) were generated: `target_ids`, `target_mask`.

    Computed with `keras.ops`, since the ids are outputs of the model.
    """
    start = ops.full_like(token_ids[:, :1], special_tokens.first_read)
    before = ops.concatenate([start, token_ids[:, :-1]], axis=1)
    return {"target_ids": before, "target_mask": ops.not_equal(before, special_tokens.pad)}
