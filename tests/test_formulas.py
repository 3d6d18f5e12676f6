"""The formulas of the pages are LaTeX that can be set, and say what the docstrings say."""

import doctest
import re

import pytest
from matplotlib.mathtext import MathTextParser

import keras_attn
from docs import formulas, pages

NAMES = [name for name in keras_attn.__all__ if getattr(keras_attn, name).__doc__]


@pytest.mark.parametrize("name", NAMES)
def test_it_can_be_set(name):
    text = pages.sections(getattr(keras_attn, name).__doc__).get("Formula", "")
    shown = formulas.in_markdown(pages.one_line(text))
    assert shown.count("$`") == shown.count("`$")
    for formula in re.findall(r"\$`(.+?)`\$", shown):
        MathTextParser("path").parse(f"${formula}$")


@pytest.mark.parametrize(
    ("written", "latex"),
    [
        ("w_ts^j", "w_{ts}^{j}"),
        ("c^h_t", "c^{h}_{t}"),
        ("x_{t+k-p} . V_{k,o}", r"x_{t+k-p} \cdot V_{k,o}"),
        ("2 ** (-8 h / H)", r"2^{-8\,h/H}"),
        ("sqrt((a + b) / 2) c", r"\sqrt{(a+b)/2}\,c"),
        ("sum_{s<=t} alpha_t(s)", r"\sum _{s\leq t}\,\alpha _t(s)"),
        ("intermediate_dim * h̃", r"\mathrm{intermediate\_dim}\cdot \tilde{h}"),
        ("P - Pᵀ", r"P-P^{\top}"),
        ("i in N(t) and |x| >= 0", r"i\in N(t)\text{ and }\vert x\vert \geq 0"),
    ],
)
def test_what_is_written(written, latex):
    assert formulas.latex(written) == latex


def test_a_name_alone_stays_code():
    assert formulas.in_markdown("as `pre_norm`, `x_t`") == "as `pre_norm`, $`x_t`$"


def test_a_bracket_that_is_not_closed():
    with pytest.raises(ValueError, match=r"'\(' is not closed in a formula"):
        formulas.latex("sqrt(a + b")


def test_examples_of_the_generators():
    assert doctest.testmod(formulas).failed == doctest.testmod(pages).failed == 0
