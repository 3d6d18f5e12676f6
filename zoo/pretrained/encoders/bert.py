"""BERT checkpoints."""

from zoo.pretrained.encoders.family import Family, HeadNames
from zoo.pretrained.encoders.wordpiece_files import of_bert

BERT = Family(
    name="BERT",
    model_type="bert",
    stem="Bert",
    prefix="bert.",
    heads=HeadNames(
        classifier="classifier",
        masked_dense="cls.predictions.transform.dense",
        masked_norm="cls.predictions.transform.LayerNorm",
        masked_bias="cls.predictions.bias",
        masked_output="cls.predictions.decoder.weight",
        next_sentence="cls.seq_relationship",
    ),
    tokenizer=of_bert("BertTokenizer"),
)
