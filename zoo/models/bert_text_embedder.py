"""BERT that maps texts to vectors."""

from typing import Any

import keras

from zoo.models.arguments import FromTask
from zoo.models.bert import Bert
from zoo.models.config import config_of
from zoo.models.pooling import POOLINGS, pool, unit
from zoo.models.task_model import TaskModel


@keras.saving.register_keras_serializable(package="keras_attn")
class BertTextEmbedder(TaskModel):
    """BERT that maps a text to one vector, as sentence-transformers does.

    Source: Reimers & Gurevych 2019, section 3.
    Formula: `mean: v = sum_t m_t x_t / sum_t m_t` over the tokens of the text, `cls: v = x_1`;
    `v / |v|` with `normalize`

    Args:
        backbone: The encoder. Its pooler is not used and not trained.
        pooling: "mean" of the tokens' hidden states, or "cls", the hidden state of the first one.
        normalize: Whether vectors are scaled to length 1.

    Inputs: `token_ids`, `padding_mask`, `segment_ids` (B, T).
    Outputs: `embeddings` (B, D), float32.

    Raises:
        ValueError: If pooling is unknown.

    Example:
        >>> backbone = Bert(23, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=16)
        >>> BertTextEmbedder(backbone).output["embeddings"].shape
        (None, 8)
    """

    def __init__(
        self,
        backbone: Bert,
        pooling: FromTask[str] = "mean",
        normalize: FromTask[bool] = True,
        name: str = "bert_text_embedder",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(BertTextEmbedder, locals())
        # === Layers ===
        if pooling not in POOLINGS:
            raise ValueError(f"pooling must be one of {', '.join(POOLINGS)}; received {pooling!r}.")
        self.backbone = backbone
        backbone.freeze_pooler()

        # === Functional model ===
        inputs = backbone.input
        vectors = pool(backbone.output["sequence"], inputs["padding_mask"], pooling)
        outputs = {"embeddings": unit(vectors) if normalize else vectors}
        super().__init__(inputs=inputs, outputs=outputs, name=name, **kwargs)
