"""The head browser of the report, in headless Chromium."""

import re
from html import unescape

import numpy as np

from tests.browser import browsing, visit
from zoo.attention_map import AttentionMap
from zoo.report import heads
from zoo.report.page import whole_page
from zoo.report.policy import digest

SOURCE, TARGET = ["a", "</script>", "c"], ["x", "y"]


def maps(part, columns, rows, layers=2, heads=3):
    weights = np.random.default_rng(7).dirichlet(np.ones(len(columns)), (layers, heads, len(rows)))
    return [AttentionMap(w, columns, rows, f"{part}_{i}") for i, w in enumerate(weights)]


PARTS = {"encoder": maps("encoder", SOURCE, SOURCE), "cross": maps("cross", SOURCE, TARGET)}


def browse(tmp_path, actions=""):
    """The page after some JavaScript, as text: the tokens of the lower line with their weights."""
    body = heads.section([("a text", PARTS)]) + f"<script>{actions}</script>"
    own = digest(heads.script())
    source = whole_page("Heads", body).replace(own, f"{own} {digest(actions)}")
    page = tmp_path / "page.html"
    page.write_text(source, "utf-8")
    actual = visit(page)
    assert actual.console == []
    return actual.dom


def weights(dom):
    line = re.search(r'<span class="to">(.*?)</span>', dom)[1]
    actual = re.findall(r'<bdi [^>]*--weight: ([\d.]+);?"[^>]*>(.*?)</bdi>', line)
    return [unescape(token) for _, token in actual], [float(weight) for weight, _ in actual]


@browsing
def test_the_first_row_of_the_last_part_is_shown_first(tmp_path):
    tokens, actual = weights(browse(tmp_path))
    assert tokens == SOURCE
    expected = PARTS["cross"][0].weights[:, 0].mean(axis=0)
    np.testing.assert_allclose(actual, expected, atol=0.003)


@browsing
def test_a_token_under_the_pointer_shows_the_weights_of_the_chosen_head(tmp_path):
    actions = """
      const pick = (name, value) => {
        const list = document.querySelector(`select[name=${name}]`);
        list.value = value;
        list.onchange();
      };
      pick("part", "encoder"); pick("layer", 1); pick("head", 2);
      document.querySelectorAll("#heads .from bdi")[1].dispatchEvent(new Event("mouseover"));
    """
    dom = browse(tmp_path, actions)
    tokens, actual = weights(dom)
    assert tokens == SOURCE
    np.testing.assert_allclose(actual, PARTS["encoder"][1].weights[2, 1], atol=0.003)
    assert re.search(r'class="chosen">&lt;/script&gt;<', dom)


def test_nothing_to_browse():
    assert heads.section([]) == heads.section([("text", {})]) == ""
