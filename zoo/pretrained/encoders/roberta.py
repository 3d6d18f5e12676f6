"""RoBERTa checkpoints: byte-level BPE, no segments, and positions behind that of padding.

Source: Liu et al. 2019.
"""

from zoo.pretrained.encoders.byte_bpe_files import BYTE_BPE
from zoo.pretrained.encoders.family import Family, HeadNames

HEADS = HeadNames(
    classifier="classifier.out_proj",
    hidden="classifier.dense",
    masked_dense="lm_head.dense",
    masked_norm="lm_head.layer_norm",
    masked_bias="lm_head.bias",
    masked_output="lm_head.decoder.weight",
    masked_activation="gelu",
)
ROBERTA = Family(
    name="RoBERTa",
    model_type="roberta",
    stem="Roberta",
    prefix="roberta.",
    heads=HEADS,
    tokenizer=BYTE_BPE,
    options={"num_segments": 1},
    pad=1,
    positions_after_padding=True,
)
