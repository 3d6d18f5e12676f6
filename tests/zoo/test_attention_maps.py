"""What attention maps say of themselves."""

import numpy as np
import pytest

from zoo.attention_map import EVEN, AttentionMap
from zoo.attention_maps import AttentionMaps
from zoo.report import sections

SOURCE, TARGET = ["a", "b", "c", "d", "e"], ["x", "y", "z"]


def of(weights):
    return AttentionMap(weights, SOURCE, TARGET, "cross_0")


def drawn(concentration, heads=2):
    """Rows of weights that are the more even, the larger the number."""
    rng = np.random.default_rng(7)
    return rng.dirichlet([concentration] * 5, size=(heads, 3))


@pytest.mark.parametrize("concentration", [0.3, 1.0, 7.0, 500.0])
def test_evenness_is_the_entropy_divided_by_its_maximum(concentration):
    weights = drawn(concentration).astype("float32")
    exact = weights.astype("float64")
    expected = -(exact * np.log(exact)).sum(-1).mean() / np.log(5)
    assert of(weights).evenness() == pytest.approx(expected, abs=1e-6)
    assert bool(of(weights).remark) == (concentration == 500.0)


def test_what_a_mask_hides_does_not_count():
    causal = np.array([[[1, 0, 0, 0, 0], [0.5, 0.5, 0, 0, 0], [0.3, 0.4, 0.3, 0, 0]]])
    third = -(0.6 * np.log(0.3) + 0.4 * np.log(0.4)) / np.log(3)
    assert of(causal).evenness() == pytest.approx((1 + third) / 2, abs=1e-6)
    assert of(np.eye(3, 5)[None]).evenness() == 0
    empty = AttentionMap(np.zeros((2, 0, 5)), SOURCE, [], "cross_0")
    assert empty.evenness() == 0 and empty.remark == ""


def test_a_map_that_shows_nothing_says_so_wherever_it_is_shown():
    even, learned = of(np.full((2, 3, 5), 0.2)), of(drawn(0.3))
    assert even.evenness() > EVEN > learned.evenness()
    for shown in (
        lambda each: AttentionMaps([each]).text(),
        lambda each: each._repr_html_(),
        lambda each: sections.attention([("text", each)]),
    ):
        assert "nearly even weights" in shown(even)
        assert "nearly even weights" not in shown(learned)
