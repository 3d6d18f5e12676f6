"""The hierarchical attention network for documents."""

from typing import Any

import keras
from keras import ops

from zoo.models.arguments import FromTask, PositiveInt, Rate
from zoo.models.attending import SENTENCES, WORDS
from zoo.models.attentive_rnn import AttentiveRNN
from zoo.models.cells import recurrent_embedding
from zoo.models.classification_head import ClassificationHead
from zoo.models.config import config_of
from zoo.models.token_inputs import token_inputs
from zoo.models.zoo_model import Tensors, ZooModel


@keras.saving.register_keras_serializable(package="keras_attn")
class HAN(ZooModel):
    """Hierarchical attention network: words are pooled into sentences, sentences into the document.

    Source: Yang et al. 2016.
    Formula: `s_i = AttentiveRNN(E[x_i1 ... x_iW])`, `v = AttentiveRNN(s_1 ... s_S)`,
        `logits = v W + b`

    Args:
        vocabulary_size: Number of tokens.
        num_classes: Number of classes C.
        embedding_dim: Width of the embeddings.
        units: Width of the recurrent states, in each direction.
        cell: "gru", "lstm", "elman", "jordan" or "orthogonal".
        dropout: Dropout rate of the words, the sentences and the document.

    Inputs: `token_ids`, `padding_mask` (B, S, W): S sentences of up to W words. Padding may be
        anywhere: a sentence without words is not part of the document.
    Outputs: `logits` (B, C), float32.

    Example:
        >>> model = HAN(23, num_classes=3, embedding_dim=8, units=5)
        >>> model.output["logits"].shape
        (None, 3)
    """

    def __init__(
        self,
        vocabulary_size: FromTask[PositiveInt],
        num_classes: FromTask[PositiveInt],
        embedding_dim: PositiveInt = 200,
        units: PositiveInt = 50,
        cell: str = "gru",
        dropout: Rate = 0.3,
        dtype: Any = None,
        name: str = "han",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(HAN, locals())

        # === Layers ===
        def level(name: str) -> AttentiveRNN:
            return AttentiveRNN(units, cell, dropout, dtype=dtype, name=name)

        self.embedding = recurrent_embedding(vocabulary_size, embedding_dim, dtype, "embedding")
        self.words, self.sentences = level("words"), level("sentences")
        self.head = ClassificationHead(num_classes, dropout, name="logits")

        # === Functional model ===
        inputs = token_inputs(axes=2)
        sentences = self.words(self.embedding(inputs["token_ids"]), mask=inputs["padding_mask"])
        present = ops.any(inputs["padding_mask"], axis=-1)
        document = self.sentences(sentences, mask=present)
        outputs = {"logits": self.head(document)}
        super().__init__(inputs=inputs, outputs=outputs, name=name, **kwargs)

    @property
    def word_embeddings(self) -> list[keras.layers.Layer]:
        return [self.embedding]

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers from the input up: embeddings, words, sentences."""
        return [[self.embedding], [self.words], [self.sentences]]

    @property
    def attention_layers(self) -> dict[str, int]:
        return {WORDS: 1, SENTENCES: 1}

    def attention_maps(self, inputs: Tensors) -> dict[str, list[Any]]:
        """The weights of the words in each sentence (B, 1, S, W), of the sentences (B, 1, 1, S)."""
        mask = inputs["padding_mask"]
        x = self.embedding(inputs["token_ids"])
        x, words = self.words(x, mask=mask, return_attention_scores=True)
        present = ops.any(mask, axis=-1)
        _, sentences = self.sentences(x, mask=present, return_attention_scores=True)
        return {
            WORDS: [ops.expand_dims(words, 1)],
            SENTENCES: [ops.expand_dims(ops.expand_dims(sentences, 1), 1)],
        }
