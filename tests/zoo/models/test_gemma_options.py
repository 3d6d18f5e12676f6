"""Options of Gemma and ModernBERT that require others."""

import pytest

from zoo.errors import UserError
from zoo.models.create import create_model

SIZES = {"vocabulary_size": 23, "num_layers": 2, "hidden_dim": 8, "num_heads": 2}
SIZES |= {"intermediate_dim": 13}


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ("llama", {"global_layer_interval": 2}, "global_layer_interval requires sliding_window"),
        ("llama", {"local_rope_theta": 7.0}, "local_rope_theta requires sliding_window"),
        (
            "llama",
            {"local_rope_theta": 7.0, "sliding_window": 3, "position": "alibi"},
            "local_rope_theta requires position to be 'rotary'; received 'alibi'",
        ),
        (
            "llama",
            {"attention_soft_cap": 5.0, "score": "cosine"},
            "attention_soft_cap requires score='scaled_dot'; received 'cosine'",
        ),
        (
            "llama",
            {"query_pre_attn_scalar": 5.0, "score": "dot"},
            "query_pre_attn_scalar requires score='scaled_dot'; received 'dot'",
        ),
        ("llama", {"activation": "relu"}, "activation must be one of swiglu, geglu, geglu_tanh"),
        ("llama", {"logit_soft_cap": 0.0}, "logit_soft_cap must be"),
        ("bert", {"rope_theta": 7.0}, "rope_theta requires position='rotary'; received 'learned'"),
        ("bert", {"global_layer_interval": 2}, "global_layer_interval requires sliding_window"),
        (
            "bert",
            {"sliding_window": 3, "attention": "linear", "position": "none"},
            "sliding_window requires attention='full'",
        ),
        ("bert", {"layer_bias": False, "attention": "linear"}, "layer_bias requires attention="),
        (
            "bert",
            {"layer_bias": False, "normalization": "rms"},
            "layer_bias=False requires normalization='layer'",
        ),
        (
            "bert",
            {"local_rope_theta": 7.0, "sliding_window": 3, "position": "rotary"},
            "local_rope_theta requires rope_theta",
        ),
        ("bert", {"pooler_pooling": "max"}, "pooler_pooling must be one of mean, cls"),
    ],
)
def test_options_that_require_others_say_so(model, options, message):
    with pytest.raises(UserError, match=message):
        create_model(model, **SIZES, **options)
