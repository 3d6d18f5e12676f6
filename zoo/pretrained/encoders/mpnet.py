"""MPNet checkpoints: a bias by distance that all layers share, no segments, WordPiece.

Source: Song et al. 2020.
"""

from zoo.pretrained.encoders.family import KEYS, BlockNames, Family
from zoo.pretrained.encoders.roberta import HEADS
from zoo.pretrained.encoders.special_names import FAIRSEQ
from zoo.pretrained.encoders.wordpiece_files import with_names

BUCKETS = "relative_attention_num_buckets"

MPNET = Family(
    name="MPNet",
    model_type="mpnet",
    stem="MPNet",
    prefix="mpnet.",
    heads=HEADS,
    tokenizer=with_names("MPNetTokenizer", {**FAIRSEQ, "unknown": ("unk_token", "[UNK]")}),
    keys={name: key for name, key in KEYS.items() if name != "num_segments"} | {BUCKETS: BUCKETS},
    options={"num_segments": 0, BUCKETS: 32, "relative_attention_max_distance": 128},
    supported={BUCKETS: 32},  # Hugging Face's models look up no others
    block=BlockNames(
        query="attention.attn.q",
        key="attention.attn.k",
        value="attention.attn.v",
        output="attention.attn.o",
        attention_norm="attention.LayerNorm",
    ),
    pad=1,
    relative_bias="encoder.relative_attention_bias.weight",
    positions_after_padding=True,
)
