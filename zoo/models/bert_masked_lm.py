"""BERT for pre-training: masked language modeling and next sentence prediction."""

from typing import Any

import keras
from keras import ops

from keras_attn.blocks.feed_forward import ACTIVATIONS, GATED
from keras_attn.blocks.normalization import LayerNormalization
from zoo.models.arguments import NonNegative
from zoo.models.bert import Bert, initializer
from zoo.models.bias import Bias
from zoo.models.config import config_of
from zoo.models.task_model import TaskModel
from zoo.models.transformer_blocks import add_bias


@keras.saving.register_keras_serializable(package="keras_attn")
class BertMaskedLM(TaskModel):
    """BERT with the two heads of pre-training.

    Source: Devlin et al. 2019, section 3.1 and appendix A.2; the layers of the masked LM head are
    those of the released code.
    Formula: `mlm_logits = LN(f(x W + b)) E^T + c`, f the activation and E the token embeddings,
    or another matrix without `tie_embeddings`; c is left out without `use_bias`;
    `nsp_logits = pooled W_n + b_n`

    Args:
        backbone: The encoder.
        head_activation: Activation of the masked LM head. Defaults to that of the encoder.
        head_epsilon: Epsilon of the head's layer normalization. Defaults to that of the encoder.

    Inputs: `token_ids`, `padding_mask`, `segment_ids` (B, T).
    Outputs: `mlm_logits` (B, T, V), and `nsp_logits` (B, 2), whose class 0 means that the second
        segment follows the first; both in float32.

    Example:
        >>> backbone = Bert(23, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=16)
        >>> {name: output.shape for name, output in BertMaskedLM(backbone).output.items()}
        {'mlm_logits': (None, None, 23), 'nsp_logits': (None, 2)}
    """

    def __init__(
        self,
        backbone: Bert,
        head_activation: str | None = None,
        head_epsilon: NonNegative | None = None,
        name: str = "bert_masked_lm",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(BertMaskedLM, locals())
        # === Layers ===
        options = backbone.get_config()
        dtype, activation = backbone.norm.dtype_policy, head_activation or options["activation"]
        if activation not in ACTIVATIONS:
            choices = ", ".join(ACTIVATIONS)
            raise ValueError(f"head_activation must be one of {choices}; received {activation!r}.")
        halves = 2 if activation in GATED else 1  # one half gates the other
        self.backbone = backbone
        self.transform = keras.layers.Dense(
            halves * backbone.embedding_size,
            use_bias=backbone.modern.layer_bias,
            kernel_initializer=initializer(),
            dtype=dtype,
            name="masked_lm_transform",
        )
        self.transform_norm = LayerNormalization(
            epsilon=options["epsilon"] if head_epsilon is None else head_epsilon,
            center=backbone.modern.layer_bias,
            dtype=dtype,
            name="masked_lm_norm",
        )
        # Logits are float32 under every policy, like the losses.
        self.output_matrix: keras.layers.Dense | None = None
        if not backbone.options.tie_embeddings:
            self.output_matrix = keras.layers.Dense(
                options["vocabulary_size"],
                use_bias=False,
                kernel_initializer=initializer(),
                dtype="float32",
                name="masked_lm_output",
            )
        self.bias = None
        if backbone.options.use_bias:
            self.bias = Bias(dtype="float32", name="masked_lm_bias")
        self.next_sentence = keras.layers.Dense(
            2, kernel_initializer=initializer(), dtype="float32", name="next_sentence"
        )

        # === Functional model ===
        hidden = ACTIVATIONS[activation](self.transform(backbone.output["sequence"]))
        logits = self._logits_of(self.transform_norm(hidden))
        outputs = {
            # The logits are float32 already, but their symbolic dtype is not.
            "mlm_logits": add_bias(self.bias, ops.cast(logits, "float32")),
            "nsp_logits": self.next_sentence(backbone.output["pooled"]),
        }
        super().__init__(inputs=backbone.input, outputs=outputs, name=name, **kwargs)

    def _logits_of(self, hidden: Any) -> Any:
        if self.output_matrix is None:
            return self.backbone.embedding(hidden, reverse=True)
        return self.output_matrix(hidden)
