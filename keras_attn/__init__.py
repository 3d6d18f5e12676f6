"""Attention, recurrent and positional layers for Keras 3 that train fast and export to LiteRT."""

# Attention
from keras_attn.attention.attention import Attention
from keras_attn.attention.dot_scores import Cosine, Dot, ExpDot, ScaledDot, SoftCappedDot
from keras_attn.attention.graph import GraphAttention
from keras_attn.attention.learned_scores import Additive, Concat, General
from keras_attn.attention.linear import LinearAttention
from keras_attn.attention.local import LocalAttention
from keras_attn.attention.memory import MemoryAttention
from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.attention.multi_step import MultiStepAttention
from keras_attn.attention.normalizers import entmax15, ratio, sigmoid, softmax, sparsemax
from keras_attn.attention.pooling import AttentionPooling
from keras_attn.attention.random_feature import RandomFeatureAttention

# Audio
from keras_attn.audio.log_mel import LogMelSpectrogram

# Blocks
from keras_attn.blocks.decoder import DecoderBlock
from keras_attn.blocks.encoder import EncoderBlock
from keras_attn.blocks.feed_forward import FeedForward
from keras_attn.blocks.rms_normalization import RMSNormalization
from keras_attn.blocks.self_attention import SelfAttention

# Convolution
from keras_attn.convolution.gated_conv1d import GatedConv1D
from keras_attn.convolution.gated_linear_unit import GatedLinearUnit

# Dropout
from keras_attn.dropout import Dropout

# Attention in blocks, and masks
from keras_attn.functional.blockwise import blockwise_attention
from keras_attn.functional.ctc_beam import ctc_beam_search
from keras_attn.functional.ctc_greedy import ctc_greedy_decode
from keras_attn.functional.masks import causal_mask, local_mask, padding_mask, prefix_mask

# Graphs
from keras_attn.graph_batches import GraphBatches

# Losses and metrics
from keras_attn.losses.ctc import CTCLoss, ctc_loss
from keras_attn.losses.masked import MaskedCrossentropy
from keras_attn.losses.pretraining import MaskedLMLoss, NextSentenceLoss
from keras_attn.metrics.corpus import BLEU, ChrF
from keras_attn.metrics.error_rate import CharacterErrorRate, WordErrorRate
from keras_attn.metrics.text_scores import TextScores
from keras_attn.metrics.token import MaskedAccuracy, Perplexity

# Positions
from keras_attn.position.alibi import AlibiBias
from keras_attn.position.learned import LearnedPositions
from keras_attn.position.relative import ShawPositions
from keras_attn.position.rotary import RotaryPositions
from keras_attn.position.sinusoidal import SinusoidalPositions

# Recurrence
from keras_attn.recurrent.attention_cell import AttentionCell
from keras_attn.recurrent.elman import Elman
from keras_attn.recurrent.elman_cell import ElmanCell
from keras_attn.recurrent.gru import GRU
from keras_attn.recurrent.gru_cell import GRUCell
from keras_attn.recurrent.jordan import Jordan, JordanCell
from keras_attn.recurrent.lstm import LSTM
from keras_attn.recurrent.lstm_cell import LSTMCell
from keras_attn.recurrent.orthogonal import OrthogonalCell
from keras_attn.recurrent.rnn import RNN
from keras_attn.recurrent.simple_rnn import SimpleRNN, SimpleRNNCell
from keras_attn.recurrent.time_distributed import TimeDistributed

# Regularizers
from keras_attn.regularizers import HeadDiversity

# Spatial transformers
from keras_attn.spatial.grids import affine_grid, projective_grid, thin_plate_spline_grid
from keras_attn.spatial.sampler import bilinear_sample
from keras_attn.spatial.transformer import SpatialTransformer

__version__ = "0.2.0"

__all__ = [
    # Attention
    "Attention",
    "MultiHeadAttention",
    "LocalAttention",
    "LinearAttention",
    "RandomFeatureAttention",
    "MultiStepAttention",
    "AttentionPooling",
    "GraphAttention",
    "MemoryAttention",
    "blockwise_attention",
    "Dot",
    "ScaledDot",
    "SoftCappedDot",
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
    "LearnedPositions",
    "RotaryPositions",
    "AlibiBias",
    "ShawPositions",
    # Recurrence
    "Elman",
    "ElmanCell",
    "SimpleRNN",
    "SimpleRNNCell",
    "Jordan",
    "JordanCell",
    "LSTM",
    "LSTMCell",
    "GRU",
    "GRUCell",
    "OrthogonalCell",
    "RNN",
    "AttentionCell",
    "TimeDistributed",
    # Convolution
    "GatedLinearUnit",
    "GatedConv1D",
    # Spatial transformers
    "SpatialTransformer",
    "affine_grid",
    "projective_grid",
    "thin_plate_spline_grid",
    "bilinear_sample",
    # Audio
    "LogMelSpectrogram",
    # Blocks
    "FeedForward",
    "RMSNormalization",
    "SelfAttention",
    "EncoderBlock",
    "DecoderBlock",
    # Dropout
    "Dropout",
    # Regularizers
    "HeadDiversity",
    # Graphs
    "GraphBatches",
    # Losses and metrics
    "MaskedCrossentropy",
    "MaskedLMLoss",
    "NextSentenceLoss",
    "CTCLoss",
    "ctc_loss",
    "ctc_greedy_decode",
    "ctc_beam_search",
    "Perplexity",
    "MaskedAccuracy",
    "BLEU",
    "ChrF",
    "WordErrorRate",
    "CharacterErrorRate",
    "TextScores",
]
