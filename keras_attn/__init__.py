"""Attention, recurrence and positions as Keras 3 layers that train fast and export clean."""

# Attention
from keras_attn.attention.attention import Attention
from keras_attn.attention.dot_scores import Cosine, Dot, ExpDot, ScaledDot
from keras_attn.attention.learned_scores import Additive, Concat, General
from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.attention.normalizers import entmax15, ratio, sigmoid, softmax, sparsemax

# Blocks
from keras_attn.blocks.decoder import DecoderBlock
from keras_attn.blocks.encoder import EncoderBlock
from keras_attn.blocks.feed_forward import FeedForward

# Masks
from keras_attn.functional.masks import causal_mask, local_mask, padding_mask, prefix_mask

# Losses and metrics
from keras_attn.losses import MaskedCrossentropy
from keras_attn.metrics.corpus import BLEU, ChrF
from keras_attn.metrics.token import MaskedAccuracy, Perplexity

# Positions
from keras_attn.position.sinusoidal import SinusoidalPositions

# Recurrence
from keras_attn.recurrent.attention_cell import AttentionCell
from keras_attn.recurrent.gru import GRU, GRUCell
from keras_attn.recurrent.lstm import LSTM, LSTMCell
from keras_attn.recurrent.rnn import RNN

__version__ = "0.1.0"

__all__ = [
    # Attention
    "Attention",
    "MultiHeadAttention",
    "Dot",
    "ScaledDot",
    "ExpDot",
    "General",
    "Additive",
    "Concat",
    "Cosine",
    "softmax",
    "ratio",
    "sparsemax",
    "entmax15",
    "sigmoid",
    # Masks
    "padding_mask",
    "causal_mask",
    "prefix_mask",
    "local_mask",
    # Positions
    "SinusoidalPositions",
    # Recurrence
    "LSTM",
    "LSTMCell",
    "GRU",
    "GRUCell",
    "RNN",
    "AttentionCell",
    # Blocks
    "FeedForward",
    "EncoderBlock",
    "DecoderBlock",
    # Losses and metrics
    "MaskedCrossentropy",
    "Perplexity",
    "MaskedAccuracy",
    "BLEU",
    "ChrF",
]
