"""Loss functions, computed in float32 whatever the dtype of the logits."""

from keras_attn.losses.ctc import CTCLoss, ctc_loss
from keras_attn.losses.masked import MaskedCrossentropy, token_crossentropy, token_weights
from keras_attn.losses.pretraining import MaskedLMLoss, NextSentenceLoss

__all__ = [
    "CTCLoss",
    "MaskedCrossentropy",
    "MaskedLMLoss",
    "NextSentenceLoss",
    "ctc_loss",
    "token_crossentropy",
    "token_weights",
]
