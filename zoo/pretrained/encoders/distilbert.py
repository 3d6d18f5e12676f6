"""DistilBERT checkpoints: no segments, no pooler, and a ReLU in the head of a classifier.

Source: Sanh et al. 2019.
"""

from zoo.pretrained.encoders.family import BlockNames, Family, HeadNames
from zoo.pretrained.encoders.wordpiece_files import of_bert

DISTILBERT = Family(
    name="DistilBERT",
    model_type="distilbert",
    stem="DistilBert",
    prefix="distilbert.",
    heads=HeadNames(
        classifier="classifier",
        masked_dense="vocab_transform",
        masked_norm="vocab_layer_norm",
        masked_bias="vocab_projector.bias",
        masked_output="vocab_projector.weight",
        pooler=None,
        hidden="pre_classifier",
    ),
    tokenizer=of_bert("DistilBertTokenizer"),
    keys={
        "num_layers": "n_layers",
        "hidden_dim": "dim",
        "num_heads": "n_heads",
        "intermediate_dim": "hidden_dim",
        "activation": "activation",
        "dropout": "dropout",
        "attention_dropout": "attention_dropout",
        "max_sequence_length": "max_position_embeddings",
    },
    options={"num_segments": 0, "pooler_activation": "relu", "epsilon": 1e-12},
    block=BlockNames(
        blocks="transformer.layer.",
        query="attention.q_lin",
        key="attention.k_lin",
        value="attention.v_lin",
        output="attention.out_lin",
        attention_norm="sa_layer_norm",
        expand="ffn.lin1",
        contract="ffn.lin2",
        norm="output_layer_norm",
    ),
)
