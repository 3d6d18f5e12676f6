"""The further inferences of an encoder-decoder: its attention, and scores of given tokens."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic

from keras import ops

from zoo.errors import UserError
from zoo.models.attending import CROSS, DECODER, ENCODER
from zoo.preprocessing.base import BATCH, LENGTH, Features, TensorSpec
from zoo.serving.inference import Inference, Tensors
from zoo.tasks.attending import ATTENTION, GENERATED, map_names, named_maps
from zoo.tasks.inputs.sources import SourceInput
from zoo.tasks.likelihood import SCORE, score_inference, token_scores
from zoo.tasks.parts import Fitted
from zoo.tasks.parts.kinds import P, S
from zoo.text.special_tokens import SpecialTokens

SCORES = "Scores each token of a target text, given its source and the tokens before it."


@dataclass(frozen=True)
class EncoderDecoderInferences(Generic[S, P]):
    """A model with the inputs `target_ids` and `target_mask` beside a source: text or an image.

    Args:
        task: Name of the task, for messages.
        input: What the model reads.
        score: What the signature of scores does, in one sentence.
    """

    task: str
    input: SourceInput[S, P]
    score: str = SCORES

    @property
    def purposes(self) -> dict[str, str]:
        return {SCORE: self.score}

    def inferences(
        self, fitted: Fitted[S, P], generate: Callable[..., Tensors]
    ) -> dict[str, Inference]:
        scores = {SCORE: self._score_inference(fitted)}
        if not fitted.model.attention_layers:
            return scores
        return {ATTENTION: self._attention_inference(fitted, generate), **scores}

    def _attention_inference(
        self, fitted: Fitted[S, P], generate: Callable[..., Tensors]
    ) -> Inference:
        model, special = fitted.model, self._special_tokens(fitted)

        def compute(inputs: Tensors, **options: Any) -> Tensors:
            ids = generate(inputs, **options)["token_ids"]
            target = _decoder_inputs(ids, special)
            maps = model.attention_maps({**inputs, **target})
            written = ops.not_equal(ids, special.pad)
            rows = {ENCODER: inputs.get("source_mask"), DECODER: written, CROSS: written}
            return {"token_ids": ids, **named_maps(maps, rows)}

        axes = self.input.map_axes(fitted)
        named = {name: axes[part] for name, part in map_names(model).items()}
        reader = self.input.reader(fitted)
        outputs = {"token_ids": (BATCH, None), **named}
        return Inference(reader.features, reader.prepare, compute, outputs)

    def _score_inference(self, fitted: Fitted[S, P]) -> Inference:
        model, special = fitted.model, self._special_tokens(fitted)

        def prepare(features: Features) -> tuple[Tensors, Any]:
            # Columns beyond the limit can only be padding.
            target = features["target_ids"][:, : model.max_sequence_length]
            return self.input.teacher_forced(fitted, {**features, "target_ids": target}), target

        def compute(inputs: Tensors, labels: Any) -> Tensors:
            return token_scores(model(inputs)["logits"], labels, inputs["target_mask"])

        meaning = self.input.targets(fitted.settings, fitted.preprocessor).meaning
        values = (0, self.input.writer(fitted.preprocessor).tokenizer.vocabulary_size - 1)
        target = TensorSpec((BATCH, LENGTH), "int32", special.pad, meaning, values)
        features = {**self.input.scored_sources(fitted), "target_ids": target}
        outputs = dict.fromkeys(("log_probabilities", "predicted_ids"), (BATCH, LENGTH))
        return score_inference(features, prepare, compute, outputs)

    def _special_tokens(self, fitted: Fitted[S, P]) -> SpecialTokens:
        return self.input.writer(fitted.preprocessor).tokenizer.special_tokens

    def meanings(self, fitted: Fitted[S, P]) -> dict[str, str]:
        own = [name for name, part in map_names(fitted.model).items() if part == DECODER]
        return dict.fromkeys(own, GENERATED)

    def attention_options(
        self, fitted: Fitted[S, P], features: Features, options: Mapping[str, Any]
    ) -> dict[str, Any]:
        for option in options.keys() - {"max_new_tokens"}:
            raise UserError(f"attention of {self.task} has no option {option!r}")
        given = options.get("max_new_tokens")
        length = self.input.max_new_tokens(fitted.settings) if given is None else given
        self.input.check_length(fitted, self.input.length(fitted, features), length)
        return {"max_new_tokens": length}


def _decoder_inputs(token_ids: Any, special_tokens: SpecialTokens) -> Tensors:
    """The decoder inputs from which ids (B, T) were generated: `target_ids`, `target_mask`.

    Computed with `keras.ops`, since the ids are outputs of the model.
    """
    start = ops.full_like(token_ids[:, :1], special_tokens.first_read)
    before = ops.concatenate([start, token_ids[:, :-1]], axis=1)
    return {"target_ids": before, "target_mask": ops.not_equal(before, special_tokens.pad)}
