"""The tensors and the configuration of KerasHub's BERT."""

from zoo.pretrained.keras_hub.family import Family
from zoo.pretrained.keras_hub.stored import TASK, Stored, Tensors, linear, norm, numbered, table


def _tensors(num_layers: int) -> Tensors:
    yield from table("embeddings.word_embeddings", "layers/reversible_embedding")
    yield from table("embeddings.position_embeddings", "layers/position_embedding")
    yield from table("embeddings.token_type_embeddings", "layers/embedding")
    yield from norm("embeddings.LayerNorm", "layers/layer_normalization")
    for number in range(num_layers):
        ours, theirs = f"encoder.layer.{number}", numbered("transformer_encoder", number)
        attention = f"{theirs}/_self_attention_layer"
        for name in ("query", "key", "value"):
            yield from linear(f"{ours}.attention.self.{name}", f"{attention}/{name}_dense")
        yield from linear(f"{ours}.attention.output.dense", f"{attention}/output_dense", inputs=2)
        yield from norm(f"{ours}.attention.output.LayerNorm", f"{attention}_norm")
        feed_forward = f"{theirs}/_feedforward"
        yield from linear(f"{ours}.intermediate.dense", f"{feed_forward}_intermediate_dense")
        yield from linear(f"{ours}.output.dense", f"{feed_forward}_output_dense")
        yield from norm(f"{ours}.output.LayerNorm", f"{feed_forward}_layer_norm")
    yield from linear("pooler.dense", "layers/dense")
    yield from linear("classifier", "layers/dense", file=TASK)
    names, head = "cls.predictions", "layers/masked_lm_head"
    yield from linear(f"{names}.transform.dense", f"{head}/_intermediate_dense", file=TASK)
    yield from norm(f"{names}.transform.LayerNorm", f"{head}/_intermediate_layer_norm", file=TASK)
    yield f"{names}.bias", Stored((f"{head}/vars/0",), file=TASK)


BERT = Family(
    architectures={
        None: "BertModel",
        "BertTextClassifier": "BertForSequenceClassification",
        "BertMaskedLM": "BertForMaskedLM",
    },
    tokenizer="BertTokenizer",
    sizes={
        "vocabulary_size": ("vocab_size",),
        "num_layers": ("num_hidden_layers",),
        "num_heads": ("num_attention_heads",),
        "hidden_dim": ("hidden_size",),
        "intermediate_dim": ("intermediate_size",),
        "dropout": ("hidden_dropout_prob", "attention_probs_dropout_prob"),
        "max_sequence_length": ("max_position_embeddings",),
        "num_segments": ("type_vocab_size",),
    },
    config={"hidden_act": "gelu_pytorch_tanh", "layer_norm_eps": 1e-12},
    special_tokens={},
    layers=("transformer_encoder",),
    tensors=_tensors,
    lengths={"sequence_length": "max_length"},
    # Unlike in the released code, these are not those of the encoder.
    heads={"BertMaskedLM": {"head_activation": "gelu", "head_epsilon": 1e-5}},
)
