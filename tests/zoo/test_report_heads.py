"""The head browser of the report, in headless Chromium."""

import re
import shutil
import subprocess
from html import unescape

import numpy as np
import pytest

from zoo.attention_map import AttentionMap
from zoo.report import heads

CHROMIUM = next(filter(shutil.which, ("chromium", "chromium-browser", "google-chrome")), None)
browsing = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
SOURCE, TARGET = ["a", "</script>", "c"], ["x", "y"]


def maps(part, columns, rows, layers=2, heads=3):
    weights = np.random.default_rng(7).dirichlet(np.ones(len(columns)), (layers, heads, len(rows)))
    return [AttentionMap(w, columns, rows, f"{part}_{i}") for i, w in enumerate(weights)]


PARTS = {"encoder": maps("encoder", SOURCE, SOURCE), "cross": maps("cross", SOURCE, TARGET)}


def browse(tmp_path, actions=""):
    """The page after some JavaScript, as text: the tokens of the lower line with their weights."""
    page = tmp_path / "page.html"
    script = f"<script>{actions}</script>"
    page.write_text("<!doctype html>" + heads.section([("a text", PARTS)]) + script, "utf-8")
    how = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=1000"]
    command = [
        CHROMIUM,
        *how,
        f"--user-data-dir={tmp_path / 'profile'}",
        "--dump-dom",
        page.as_uri(),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def weights(dom):
    line = re.search(r'<span class="to">(.*?)</span>', dom)[1]
    found = re.findall(r'<bdi [^>]*--weight: ([\d.]+);?"[^>]*>(.*?)</bdi>', line)
    return [unescape(token) for _, token in found], [float(weight) for weight, _ in found]


@browsing
def test_the_first_row_of_the_last_part_is_shown_first(tmp_path):
    tokens, found = weights(browse(tmp_path))
    assert tokens == SOURCE
    expected = PARTS["cross"][0].weights[:, 0].mean(axis=0)
    np.testing.assert_allclose(found, expected, atol=0.003)


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
    tokens, found = weights(dom)
    assert tokens == SOURCE
    np.testing.assert_allclose(found, PARTS["encoder"][1].weights[2, 1], atol=0.003)
    assert re.search(r'class="chosen">&lt;/script&gt;<', dom)


def test_nothing_to_browse():
    assert heads.section([]) == heads.section([("text", {})]) == ""
