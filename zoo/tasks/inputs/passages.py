"""Questions and passages in windows as the input of an encoder."""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from zoo.attention_map import AttentionMap
from zoo.data.readers.answers import AnsweredQuestions
from zoo.data.readers.roles import ANSWERED, Role
from zoo.errors import UserError
from zoo.models.attending import ENCODER
from zoo.preprocessing.base import Features
from zoo.preprocessing.model_inputs import Tensors, encoder_inputs
from zoo.preprocessing.passages import PASSAGE, QUESTION, PassagePreprocessor
from zoo.serving.inference import Inference
from zoo.tasks.attending import labeled_maps, self_attention
from zoo.tasks.inputs.raw_texts import RawTexts, listed
from zoo.tasks.inputs.texts import EncoderInput, TokenReading
from zoo.tasks.options.question_answering import Settings
from zoo.tasks.parts import Fitted, Learned
from zoo.text.programs.windows import WindowSizes
from zoo.text.tokenizer import Tokenizer

FittedPassages = Fitted[Settings, PassagePreprocessor]


class QuestionsOnPassages(RawTexts[Settings, AnsweredQuestions]):
    """Pairs of a question and a passage."""

    def roles(self, settings: Settings) -> tuple[Role, ...]:
        return ANSWERED[:2]

    def raw(self, data: Any, settings: Settings) -> dict[str, Sequence[Any]]:
        for row in listed(data):
            if isinstance(row, str) or len(row) != 2:
                raise UserError(f"expected pairs of a question and a passage, got {row!r:.60}")
        return {QUESTION: [row[0] for row in data], PASSAGE: [row[1] for row in data]}


def window_inputs(fitted: FittedPassages, token_ids: Any) -> Tensors:
    """Converts the ids of windows (B, T) to the inputs of the model."""
    special, limit = fitted.preprocessor.tokenizer.special_tokens, fitted.settings.max_length
    return encoder_inputs(token_ids, special, limit)


class WindowReading(TokenReading):
    """Windows of passages, each behind its question, as token ids (B, W, T)."""

    def prepare(self, fitted: FittedPassages, features: Features) -> Tensors:
        # Further columns can only be padding.
        token_ids = features["token_ids"][:, :, : fitted.settings.max_length]
        sizes = tf.shape(token_ids)
        inputs = window_inputs(fitted, tf.reshape(token_ids, [-1, sizes[2]]))
        return {name: tf.reshape(each, sizes) for name, each in inputs.items()}

    def attention(self, fitted: FittedPassages) -> dict[str, Inference]:
        features = fitted.preprocessor.features

        def first_window(given: Features) -> Tensors:
            return window_inputs(fitted, given["token_ids"][:, 0])

        return self_attention(fitted.model, features, first_window)

    def attention_maps(
        self,
        fitted: Learned[Settings, PassagePreprocessor],
        features: Features,
        outputs: Tensors,
    ) -> dict[str, list[AttentionMap]]:
        pieces = fitted.preprocessor.pieces(features["token_ids"][0, 0])
        return labeled_maps(outputs, {ENCODER: (pieces, pieces)})


def passages(tokenizer: Tokenizer, settings: Settings) -> PassagePreprocessor:
    """The preprocessor of questions and passages."""
    sizes = WindowSizes(settings.max_length, settings.max_question_length, settings.stride)
    return PassagePreprocessor(tokenizer, sizes)


PassageInput = EncoderInput[Settings, PassagePreprocessor, AnsweredQuestions]


def passage_input(task: str) -> PassageInput:
    """Questions and passages, as the model reads them."""
    return PassageInput(
        task,
        passages,
        QuestionsOnPassages(),
        reading=WindowReading(),
        attention_purpose="Shows where each token of the first window looks, in every layer and "
        "head.",
    )
