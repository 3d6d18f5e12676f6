"""ModernBERT checkpoints: windows, rotary positions, normalizations before sublayers, no biases.

Source: Warner et al. 2024.
"""

from collections.abc import Iterator
from dataclasses import replace

import keras

from zoo.models.bert import OPTIONS, Bert
from zoo.pretrained.encoders.family import Family, HeadNames, Layout
from zoo.pretrained.encoders.modern_bert_config import WORDS, read_config, written_config
from zoo.pretrained.encoders.modern_bert_files import BYTE_BPE
from zoo.pretrained.tensor_map import TensorRow, matrix

HEADS = HeadNames(
    classifier="classifier",
    hidden="head",
    masked_dense="head",
    masked_norm="head",
    masked_bias="decoder.bias",
    masked_output="decoder.weight",
    pooler=None,
    masked_activation="gelu",
    answers="classifier",
    hidden_of_tokens=True,
)


def encoder(backbone: Bert) -> Iterator[TensorRow]:
    """The encoder."""
    yield TensorRow(WORDS, (backbone.embedding.weights[0],), inputs=1)
    yield from _norm("embeddings.norm", backbone.norm)
    for number, block in enumerate(backbone.blocks):
        layer = f"layers.{number}"
        heads, (hidden, down) = block.attention, block.feed_forward.weights
        kernels = [each.weights[0] for each in (heads.query_dense, heads.key_dense)]
        kernels.append(heads.value_dense.weights[0])
        scales = [weight for residual in block.residuals for weight in residual.weights]
        names = ["attn_norm", "mlp_norm"][-len(scales) :]  # the first block has one alone
        for name, scale in zip(names, scales, strict=True):
            yield TensorRow(f"{layer}.{name}.weight", (scale,))
        yield TensorRow(f"{layer}.attn.Wqkv.weight", tuple(kernels), 1, outputs_first=True)
        yield matrix(f"{layer}.attn.Wo.weight", heads.output_dense.weights[0], inputs=2)
        # The gate comes first, here second.
        yield replace(matrix(f"{layer}.mlp.Wi.weight", hidden), swapped=True)
        yield matrix(f"{layer}.mlp.Wo.weight", down)
    yield from _norm("final_norm", backbone.last_norm)


def hidden(name: str, dense: keras.Layer, norm: keras.Layer) -> Iterator[TensorRow]:
    """A hidden layer of heads."""
    yield matrix(f"{name}.dense.weight", dense.weights[0])
    yield from _norm(f"{name}.norm", norm)


def _norm(name: str, norm: keras.Layer) -> Iterator[TensorRow]:
    yield TensorRow(f"{name}.weight", tuple(norm.weights))


MODERN_BERT = Family(
    name="ModernBERT",
    model_type="modernbert",
    stem="ModernBert",
    prefix="model.",
    heads=HEADS,
    tokenizer=BYTE_BPE,
    # What differs among its models.
    keys=dict.fromkeys(
        (
            "rope_theta",
            "local_rope_theta",
            "sliding_window",
            "global_layer_interval",
            "pooler_pooling",
        ),
        "",
    ),
    options={
        "num_segments": 0,
        "pre_norm": True,
        "layer_bias": False,
        "pooler_activation": "gelu",
        "pooler_norm": True,
        "pooler_of_tokens": True,
    },
    usual=replace(OPTIONS, position="rotary"),
    layout=Layout(WORDS, encoder, hidden, read_config, written_config),
)
