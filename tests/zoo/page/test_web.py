"""A task as a page: its signatures, and what the files of the page say about it."""

import html
import json
import re
from pathlib import Path

import numpy as np
import pytest

import export
import zoo
from zoo.page.web_files import IMPORTS
from zoo.report.policy import digest

EVIL = "<img src=x onerror=document.title=1>"


def facts_of(page):
    return json.loads(re.search(r'id="facts">(.*?)</script>', page, re.DOTALL)[1])


def files_of(task, title, length):
    page = task.web_page()
    return page.files(page.export_parts("bytes"), title, length)


@pytest.fixture(scope="module")
def classifier():
    task = zoo.TextClassifier("ngram_classifier", vocabulary_size=40)
    task.adapt([("a lovely film", "good"), ("too long", EVIL)])
    return task


def test_the_page_loads_its_own_files_only(classifier):
    files = files_of(classifier, "a_film", 12)
    page = files["index.html"]
    policy = re.search('Content-Security-Policy" content="(.*?)"', page)[1]
    assert f"script-src 'self' 'wasm-unsafe-eval' {digest(IMPORTS)};" in policy
    assert f'<script type="importmap">{IMPORTS}</script>' in page
    assert re.findall(r'(?:src|href)="([\w.]+)"', page) == ["page.css", "page.js"]
    assert not re.search("https?://(?!www.w3.org)", "".join(files.values()))
    assert "<title>a film</title>" in page
    assert "tokens.json" not in files  # it shows no attention


def test_the_tested_version_of_the_library_is_installed(classifier):
    needs = json.loads(files_of(classifier, "site", 12)["package.json"])["dependencies"]
    makefile = (Path(zoo.__file__).parents[1] / "Makefile").read_text("utf-8")
    assert "@litertjs/core@" + needs["@litertjs/core"] in makefile


def test_nothing_is_taken_for_html(classifier):
    page = files_of(classifier, EVIL, 12)["index.html"]
    assert EVIL not in page and html.escape(EVIL.replace("_", " ")) in page
    facts = facts_of(page)
    assert EVIL in facts["labels"]
    (text,) = facts["inputs"]
    assert (text["name"], text["dtype"], text["axes"]) == ("text", "string", ["batch"])


def test_a_page_is_named_like_its_run(classifier, tmp_path):
    classifier.save(tmp_path / "film_reviews")
    task = zoo.load(tmp_path / "film_reviews")
    assert "<title>film reviews</title>" in files_of(task, "site", 12)["index.html"]


def test_series_have_the_length_that_the_model_reads():
    task = zoo.SeriesForecaster(horizon=2, context_length=5, encoder="conv", hidden_dim=4)
    task.adapt([np.arange(20.0), np.arange(30.0)])
    page = task.web_page()
    assert page.length() is None
    (values,) = facts_of(files_of(task, "site", None)["index.html"])["inputs"]
    assert values["axes"] == ["batch", 5, 1]


def test_graphs_have_no_page():
    with pytest.raises(zoo.UserError, match="browsers cannot run node-classifier: graphs differ"):
        zoo.NodeClassifier().web_page()


def test_of_several_heads_each_has_a_page_of_its_own(tmp_path):
    task = zoo.MultiTask("bert", num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=8)
    pairs = [("fine", "fine", "same"), ("fine", "dull", "other")]
    task.adapt({"films": [("fine", "good"), ("dull", "bad")], "pairs": pairs})
    with pytest.raises(zoo.UserError, match="export one task at a time: task.single_task.'films'"):
        export.web(task, tmp_path / "site")
    films, pairs = (
        facts_of(files_of(task.single_task(name), "site", 12)["index.html"])
        for name in ("films", "pairs")
    )
    assert films["labels"] == ["bad", "good"] and pairs["labels"] == ["other", "same"]
    assert films["attention"] == "text" and pairs["attention"] is None


def test_attention_names_the_tokens_of_a_text():
    """Also of tokenizers whose padding is not 0, and of texts of different lengths."""
    sizes = {"hidden_dim": 8, "num_layers": 1, "num_heads": 2, "intermediate_dim": 8}
    task = zoo.TextToText("transformer", **sizes, vocabulary_size=40)
    task.adapt([("one two", "eins zwei"), ("two", "zwei")])
    page = task.web_page()
    shown = page.export_parts("bytes", max_new_tokens=3).signatures["attention"]
    inputs = task.export_parts(max_new_tokens=3).probes["in bytes"][0]
    features = shown.preprocess(**inputs)
    actual = shown.postprocess({}, features)
    ids, counts = np.asarray(actual["source_ids"]), np.asarray(actual["source_lengths"])
    expected = task.preprocessor.read({"text": ["one two", "two"]})["token_ids"]
    assert [row[:n].tolist() for row, n in zip(ids, counts, strict=True)][:2] == [
        [each for each in row if each != task.special_tokens.pad] for row in expected.tolist()
    ]
    sampled = page.export_parts("bytes", max_new_tokens=3, temperature=0.7).signatures
    assert "seed" in sampled["serving_default"].inputs
    assert set(sampled["attention"].inputs) == set(inputs)
    assert (
        sampled["attention"].preprocess(**inputs)["token_ids"].shape == features["token_ids"].shape
    )
    tokens = json.loads(files_of(task, "site", 12)["tokens.json"])
    assert [tokens[i] for i in ids[0, : counts[0]]] == ["one", "two", "⊣"]
