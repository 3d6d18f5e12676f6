"""XLM-R checkpoints: RoBERTa's encoder for a hundred languages, with a unigram tokenizer.

Source: Conneau et al. 2020.
"""

from dataclasses import replace

from zoo.pretrained.encoders.roberta import ROBERTA
from zoo.pretrained.encoders.xlm_roberta_files import UNIGRAM

XLM_ROBERTA = replace(
    ROBERTA, name="XLM-R", model_type="xlm-roberta", stem="XLMRoberta", tokenizer=UNIGRAM
)
