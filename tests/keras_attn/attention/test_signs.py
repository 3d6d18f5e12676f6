"""Scores that can be negative are refused for the normalizer "ratio"."""

import numpy as np
import pytest
from keras import ops

from keras_attn import Attention, AttentionCell, GRUCell, MultiHeadAttention, ratio
from keras_attn.attention.score import Score
from keras_attn.attention.scores import SCORES

REFUSED = "normalizer='ratio' requires a score that is never negative, such as 'exp_dot'; "


class Square(Score):
    """A score of one's own that is never negative."""

    can_be_negative = False

    def compare(self, query, prepared):
        return ops.square(super().compare(query, prepared))


class Negated(Score):
    def compare(self, query, prepared):
        return -super().compare(query, prepared)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("normalizer", ["ratio", ratio])
def test_every_score_by_name(score, normalizer):
    for layer in (
        lambda: Attention(score=score, normalizer=normalizer),
        lambda: MultiHeadAttention(2, 4, score=score, normalizer=normalizer),
        lambda: AttentionCell(GRUCell(5), Attention(score=score, normalizer=normalizer)),
    ):
        if score == "exp_dot":
            layer()
            continue
        with pytest.raises(ValueError) as error:
            layer()
        assert str(error.value) == f"{REFUSED}received score='{score}', which can be negative."


@pytest.mark.parametrize("mode", ["dot", "concat", "additive"])
def test_every_score_mode(mode):
    with pytest.raises(ValueError, match=f"score_mode='{mode}', which can be negative"):
        Attention(use_scale=True, score_mode=mode, normalizer="ratio")


def test_scores_of_one_s_own_say_whether_they_can_be_negative():
    with pytest.raises(ValueError, match=r"received score=<Negated .*>, which can be negative"):
        Attention(score=Negated(), normalizer="ratio")
    x = np.random.default_rng(0).normal(size=(2, 5, 3)).astype("float32")
    layer = Attention(score=Square(), normalizer="ratio")
    _, weights = layer(x, x, return_attention_scores=True)
    weights = ops.convert_to_numpy(weights)
    assert weights.min() >= 0 and weights.max() <= 1
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-5)


def test_positions_that_subtract():
    MultiHeadAttention(2, 4, score="exp_dot", normalizer="ratio", position="alibi")
    with pytest.raises(ValueError, match="the position AlibiBias, which subtracts from score="):
        MultiHeadAttention(2, 4, score=Square(), normalizer="ratio", position="alibi")


def test_a_config_of_such_a_layer():
    config = Attention(score="dot").get_config() | {"normalizer": "ratio"}
    with pytest.raises(TypeError, match="received score='dot', which can be negative"):
        Attention.from_config(config)
