"""BERT checkpoints, also with the tokenizer of XLM-R, as multilingual MiniLM has it."""

from dataclasses import replace

from zoo.pretrained.encoders.family import Family, HeadNames
from zoo.pretrained.encoders.wordpiece_files import of_bert
from zoo.pretrained.encoders.xlm_roberta_files import UNIGRAM_OF_BERT, has_unigram

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
    tokenizer=replace(
        of_bert("BertTokenizer"),
        other=UNIGRAM_OF_BERT,
        suits=lambda checkpoint: not has_unigram(checkpoint),
    ),
)
