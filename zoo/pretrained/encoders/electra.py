"""ELECTRA checkpoints: embeddings of their own width, no pooler, and a GELU in a classifier.

The generator predicts masked tokens. Of the discriminator, which tells replaced tokens, the encoder
is read.

Source: Clark et al. 2020.
"""

from zoo.pretrained.encoders.family import KEYS, Family, HeadNames
from zoo.pretrained.encoders.wordpiece_files import of_bert

ELECTRA = Family(
    name="ELECTRA",
    model_type="electra",
    stem="Electra",
    prefix="electra.",
    heads=HeadNames(
        classifier="classifier.out_proj",
        masked_dense="generator_predictions.dense",
        masked_norm="generator_predictions.LayerNorm",
        masked_bias="generator_lm_head.bias",
        masked_output="generator_lm_head.weight",
        pooler=None,
        hidden="classifier.dense",
        masked_activation="gelu",
    ),
    tokenizer=of_bert("ElectraTokenizer"),
    keys={**KEYS, "embedding_size": "embedding_size"},
    options={"pooler_activation": "gelu"},
    headless=("ElectraForPreTraining",),
)
