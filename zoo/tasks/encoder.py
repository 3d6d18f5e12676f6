"""Base class of the tasks with an encoder of texts."""

from typing import Any

from zoo.attention_map import AttentionMap
from zoo.models.attending import ENCODER
from zoo.preprocessing.base import Features, Preprocessor
from zoo.preprocessing.model_inputs import Tensors, encoder_inputs
from zoo.preprocessing.text import TextPreprocessor
from zoo.serving.inference import Inference, OutputAxes
from zoo.tasks.attending import Tokens, self_attention
from zoo.tasks.documents import document_attention, document_maps
from zoo.tasks.options.common import TOKENIZERS, WORDS
from zoo.tasks.text import TextTask
from zoo.text.tokenizer import Tokenizer


class EncoderTask(TextTask):
    """A task whose model reads texts of at most `max_length` tokens."""

    tokenizers = (*TOKENIZERS, WORDS)

    def preprocessor_for(self, tokenizer: Tokenizer) -> Preprocessor:
        return TextPreprocessor(tokenizer, self.settings.max_length, start=self.reads_segments)

    def model_sizes(self) -> dict[str, Any]:
        return {**super().model_sizes(), **self.positions(self.settings.max_length)}

    def inputs(self, features: Features) -> Tensors:
        """Converts features to the inputs of the model, in TensorFlow operators."""
        limit = getattr(self.model, "max_sequence_length", None)
        ids, special = features["token_ids"], self.special_tokens
        return encoder_inputs(ids, special, limit, segments=self.reads_segments)

    def inference(self, compute: Any, outputs: OutputAxes) -> dict[str, Inference]:
        """An inference from token ids, given a function of the model's inputs.

        If the model shows its attention, there is one of its maps as well.
        """
        features = self.preprocessor.features
        main = {"tokens": Inference(features, self.inputs, compute, outputs)}
        attention = document_attention if self.reads_sentences else self_attention
        return main | attention(self.model, features, self.inputs)

    def label_attention(
        self, features: Features, outputs: Tensors
    ) -> dict[str, list[AttentionMap]]:
        if self.reads_sentences:
            return document_maps(features["token_ids"][0], outputs, self.preprocessor.pieces)
        return super().label_attention(features, outputs)

    def attention_tokens(self, features: Features, outputs: Tensors) -> Tokens:
        pieces = self.preprocessor.pieces(features["token_ids"][0])
        return {ENCODER: (pieces, pieces)}
