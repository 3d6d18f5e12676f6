"""The presets of every model: options by name of the preset, with sizes from the papers."""

from typing import Any

Presets = dict[str, dict[str, Any]]

NGRAM_CLASSIFIER: Presets = {
    "tiny": {"ngrams": 2, "num_buckets": 50_021},
    "base": {"ngrams": 3, "num_buckets": 131_071},
}

RNN_CLASSIFIER: Presets = {
    "tiny": {"embedding_dim": 64, "units": 64, "num_layers": 1, "dropout": 0.3},
    # Tai et al. 2015, table 1, the two-layer bidirectional LSTM; embeddings of 300.
    "base": {
        "embedding_dim": 300,
        "units": 120,
        "num_layers": 2,
        "cell": "lstm",
        "dropout": 0.5,
    },
}

HAN: Presets = {
    "tiny": {"embedding_dim": 64, "units": 32, "dropout": 0.3},
    # Yang et al. 2016, section 3.3: embeddings of 200, 50 units in each direction.
    "base": {"embedding_dim": 200, "units": 50, "dropout": 0.3},
}

RNN_TAGGER: Presets = {
    "tiny": {"embedding_dim": 64, "units": 64, "num_layers": 1, "cell": "lstm", "dropout": 0.3},
    # Huang et al. 2015, section 4.2: a hidden layer of 300, embeddings of 50.
    "base": {"embedding_dim": 50, "units": 300, "num_layers": 1, "cell": "lstm", "dropout": 0.5},
}

CONV_TAGGER: Presets = {
    "tiny": {"embedding_dim": 64, "units": 128, "num_layers": 2, "dropout": 0.1},
    "base": {"embedding_dim": 300, "units": 300, "num_layers": 4, "dropout": 0.3},
}

BERT: Presets = {
    "tiny": {"num_layers": 2, "hidden_dim": 128, "num_heads": 2, "intermediate_dim": 512},
    # Wang et al. 2020, table 1: the student of 6 layers, 384 wide.
    "mini_lm": {
        "num_layers": 6,
        "hidden_dim": 384,
        "num_heads": 12,
        "intermediate_dim": 1536,
    },
    # Devlin et al. 2019, section 3.
    "base": {
        "num_layers": 12,
        "hidden_dim": 768,
        "num_heads": 12,
        "intermediate_dim": 3072,
    },
    "large": {
        "num_layers": 24,
        "hidden_dim": 1024,
        "num_heads": 16,
        "intermediate_dim": 4096,
    },
    # Warner et al. 2024, table 4, and the published configuration.
    "modern_base": {
        "num_layers": 22,
        "hidden_dim": 768,
        "num_heads": 12,
        "intermediate_dim": 1152,
        "activation": "geglu",
        "num_segments": 0,
        "position": "rotary",
        "rope_theta": 160_000.0,
        "local_rope_theta": 10_000.0,
        "sliding_window": 65,
        "global_layer_interval": 3,
        "pre_norm": True,
        "layer_bias": False,
        "pooler_activation": "gelu",
        "pooler_norm": True,
        "pooler_of_tokens": True,
        "pooler_pooling": "mean",
        "epsilon": 1e-5,
    },
}

# Veličković et al. 2018, section 3.3, and the published code.
GAT: Presets = {
    "cora": {"l2": 5e-4, "normalize_features": True},
    "citeseer": {"l2": 5e-4, "normalize_features": True},
    "pubmed": {"l2": 1e-3, "normalize_features": True, "output_heads": 8},
    "ppi": {
        "hidden_dim": 256,
        "num_heads": 4,
        "num_layers": 3,
        "output_heads": 6,
        "dropout": 0.0,
        "attention_dropout": 0.0,
        "residual": True,
    },
}

# Jaderberg et al. 2015, section 4.1. `cnn` has as many weights as `affine` for images of 28x28.
STN_CLASSIFIER: Presets = {
    "affine": {"transform": "affine"},
    "projective": {"transform": "projective"},
    "tps": {"transform": "thin_plate_spline"},
    "cnn": {"transform": "none", "layers": [[37, 9], [37, 7]]},
}

CAPTIONER: Presets = {
    "tiny": {"filters": [32, 64, 128, 256], "embedding_dim": 128, "units": 256, "dropout": 0.3},
    # Xu et al. 2015, section 4.3, and the published code: the convolutions of VGG, 1000 units,
    # embeddings of 512.
    "base": {"backbone": "VGG19", "embedding_dim": 512, "units": 1000, "dropout": 0.5},
}

SERIES_MODEL: Presets = {
    "tiny": {"hidden_dim": 32, "num_layers": 1, "dropout": 0.1},
    "base": {"hidden_dim": 128, "num_layers": 2, "dropout": 0.1},
    # Small enough for a microcontroller, without a recurrent loop.
    "micro": {"encoder": "conv", "hidden_dim": 8, "num_layers": 2},
}

SERIES_CLASSIFIER: Presets = {
    "tiny": {"hidden_dim": 32, "num_layers": 3, "dropout": 0.1},
    "base": {"hidden_dim": 128, "num_layers": 4, "dropout": 0.2},
    "micro": {"hidden_dim": 8, "num_layers": 2},
}

CTC_RECOGNIZER: Presets = {
    "tiny": {"hidden_dim": 96, "num_layers": 2},
    "base": {"hidden_dim": 256, "num_layers": 3, "num_mels": 80, "dropout": 0.2},
    # Reads forwards only, so that it writes while someone speaks.
    "causal": {"hidden_dim": 192, "num_layers": 2, "causal": True},
    "transformer": {"encoder": "attention", "hidden_dim": 144, "num_layers": 4},
}

RNN_LM: Presets = {
    "tiny": {"embedding_dim": 256, "units": 256, "num_layers": 2, "dropout": 0.2},
    # Zaremba et al. 2014, section 4.1, medium: 650 units, dropout 0.5, batches of 20.
    "ptb_medium": {
        "embedding_dim": 650,
        "units": 650,
        "num_layers": 2,
        "dropout": 0.5,
        "stateful_batch_size": 20,
    },
}

RNN_SEQ2SEQ: Presets = {
    "tiny": {
        "embedding_dim": 64,
        "units": 128,
        "num_layers": 2,
        "dropout": 0.1,
        "share_embeddings": True,
    },
    # Sutskever et al. 2014, section 3.4: four LSTM layers of 1000, embeddings of 1000.
    "base": {"embedding_dim": 1000, "units": 1000, "num_layers": 4},
}

ATTENTION_SEQ2SEQ: Presets = {
    "tiny": {"embedding_dim": 64, "units": 128, "dropout": 0.1, "share_embeddings": True},
    # RNNsearch, appendix A.2.3: 1000 units, embeddings of 620.
    "base": {"embedding_dim": 620, "units": 1000, "dropout": 0.2},
    # Luong et al. 2015, section 4.1: four LSTM layers of 1000, dropout 0.2.
    "big": {
        "embedding_dim": 1000,
        "units": 1000,
        "num_layers": 4,
        "cell": "lstm",
        "score": "general",
        "order": "luong",
        "dropout": 0.2,
    },
}

CONV_S2S: Presets = {
    "tiny": {
        "embedding_dim": 128,
        "layers": [[128, 3]] * 4,
        "output_dim": 128,
        "dropout": 0.2,
        "share_embeddings": True,
    },
    # Gehring et al. 2017; the sizes of fairseq's fconv_wmt_en_ro, _en_de and _en_fr.
    "en_ro": {"embedding_dim": 512, "layers": [[512, 3]] * 20, "output_dim": 512},
    "en_de": {
        "embedding_dim": 768,
        "layers": [[512, 3]] * 9 + [[1024, 3]] * 4 + [[2048, 1]] * 2,
        "output_dim": 512,
    },
    "en_fr": {
        "embedding_dim": 768,
        "layers": [[512, 3]] * 6 + [[768, 3]] * 4 + [[1024, 3]] * 3 + [[2048, 1], [4096, 1]],
        "output_dim": 512,
    },
}

TRANSFORMER: Presets = {
    # Wu et al. 2021, table 1: for data as small as Multi30k.
    "tiny": {
        "num_layers": 4,
        "hidden_dim": 128,
        "num_heads": 4,
        "intermediate_dim": 256,
        "dropout": 0.3,
    },
    "base": {
        "num_layers": 6,
        "hidden_dim": 512,
        "num_heads": 8,
        "intermediate_dim": 2048,
        "dropout": 0.1,
    },
    "big": {
        "num_layers": 6,
        "hidden_dim": 1024,
        "num_heads": 16,
        "intermediate_dim": 4096,
        "dropout": 0.3,
    },
}

BART: Presets = {
    "tiny": {"num_layers": 2, "hidden_dim": 128, "num_heads": 2, "intermediate_dim": 512},
    # Lewis et al. 2020, section 2.1: 6 and 12 layers; widths as in the published checkpoints.
    "base": {"num_layers": 6, "hidden_dim": 768, "num_heads": 12, "intermediate_dim": 3072},
    "large": {
        "num_layers": 12,
        "hidden_dim": 1024,
        "num_heads": 16,
        "intermediate_dim": 4096,
    },
}

T5: Presets = {
    "tiny": {"num_layers": 2, "hidden_dim": 128, "num_heads": 2, "intermediate_dim": 256},
    # Sizes of the published checkpoints of T5 1.1 and Flan-T5 (Chung et al. 2022).
    "small": {
        "num_layers": 8,
        "hidden_dim": 512,
        "num_heads": 6,
        "key_dim": 64,
        "intermediate_dim": 1024,
    },
    "base": {"num_layers": 12, "hidden_dim": 768, "num_heads": 12, "intermediate_dim": 2048},
    "large": {"num_layers": 24, "hidden_dim": 1024, "num_heads": 16, "intermediate_dim": 2816},
}

GPT: Presets = {
    "tiny": {
        "num_layers": 4,
        "hidden_dim": 128,
        "num_heads": 4,
        "intermediate_dim": 512,
        "dropout": 0.1,
        "attention_dropout": 0.1,
    },
    # Radford et al. 2018, section 4.1: 12 layers, 768 wide, layer normalization after residuals.
    "gpt1": {
        "num_layers": 12,
        "hidden_dim": 768,
        "num_heads": 12,
        "intermediate_dim": 3072,
        "pre_norm": False,
        "max_sequence_length": 512,
    },
    # Radford et al. 2019, table 2, the smallest.
    "gpt2": {
        "num_layers": 12,
        "hidden_dim": 768,
        "num_heads": 12,
        "intermediate_dim": 3072,
        "max_sequence_length": 1024,
    },
}

OF_GEMMA = {"activation": "geglu_tanh", "scale_embeddings": True, "output_norm": True}

LLAMA: Presets = {
    "tiny": {
        "num_layers": 4,
        "hidden_dim": 128,
        "num_heads": 4,
        "num_key_value_heads": 2,
        "intermediate_dim": 344,
        "dropout": 0.1,
        "attention_dropout": 0.1,
    },
    # Allal et al. 2025, and the published configuration.
    "smollm2_135m": {
        "num_layers": 30,
        "hidden_dim": 576,
        "num_heads": 9,
        "num_key_value_heads": 3,
        "intermediate_dim": 1536,
        "rope_theta": 100_000.0,
    },
    # Qwen team 2024 and 2025, and the published configurations.
    "qwen2_0_5b": {
        "num_layers": 24,
        "hidden_dim": 896,
        "num_heads": 14,
        "num_key_value_heads": 2,
        "intermediate_dim": 4864,
        "rope_theta": 1_000_000.0,
        "epsilon": 1e-6,
        "qkv_bias": True,
    },
    "qwen3_0_6b": {
        "num_layers": 28,
        "hidden_dim": 1024,
        "num_heads": 16,
        "key_dim": 128,
        "num_key_value_heads": 8,
        "intermediate_dim": 3072,
        "rope_theta": 1_000_000.0,
        "epsilon": 1e-6,
        "qk_norm": True,
    },
    # Gemma team 2024 and 2025, and the published configurations.
    "gemma2_2b": {
        "num_layers": 26,
        "hidden_dim": 2304,
        "num_heads": 8,
        "key_dim": 256,
        "num_key_value_heads": 4,
        "intermediate_dim": 9216,
        "epsilon": 1e-6,
        "sliding_window": 4096,
        "global_layer_interval": 2,
        "query_pre_attn_scalar": 256.0,
        "attention_soft_cap": 50.0,
        "logit_soft_cap": 30.0,
        **OF_GEMMA,
    },
    "gemma3_270m": {
        "num_layers": 18,
        "hidden_dim": 640,
        "num_heads": 4,
        "key_dim": 256,
        "num_key_value_heads": 1,
        "intermediate_dim": 2048,
        "epsilon": 1e-6,
        "qk_norm": True,
        "rope_theta": 1_000_000.0,
        "local_rope_theta": 10_000.0,
        "sliding_window": 512,
        "global_layer_interval": 6,
        "query_pre_attn_scalar": 256.0,
        **OF_GEMMA,
    },
    # Touvron et al. 2023, table 2, the smallest.
    "llama_7b": {
        "num_layers": 32,
        "hidden_dim": 4096,
        "num_heads": 32,
        "intermediate_dim": 11_008,
        "tie_embeddings": False,
        "epsilon": 1e-6,
    },
}
