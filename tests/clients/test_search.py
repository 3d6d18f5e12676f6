"""The search page gives the order of the embedder and of the reranker, in headless Chromium."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import zoo
from tests.browser import browsing
from tests.clients.serving import needs_packages, sent_by
from tests.zoo.test_cli import run

pytestmark = [pytest.mark.thorough, browsing, needs_packages]
DRIVER = Path(__file__).with_name("search.html").read_text("utf-8")
SIZES = {
    "hidden_dim": 16,
    "num_heads": 2,
    "num_layers": 1,
    "intermediate_dim": 16,
    "max_length": 13,
}
EVIL = "<img src=x onerror=parent.document.title=1> hat"
LONG = "tea " * 150 + "x" * 90
DOCUMENTS = [
    "a red hat",
    "a blue hat",
    "cold tea",
    "hot tea and milk",
    "the sea",
    EVIL,
    "a wave 你",
    LONG,
]
TOP = 4


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("search")
    how = {"epochs": 3, "learning_rate": 0.01, "xla": False, "verbose": False}
    pairs = [("hats", "a red hat"), ("tea", "cold tea"), ("water", "the sea")]
    embedder, reranker = zoo.TextEmbedder(**SIZES), zoo.TextPairScorer(**SIZES)
    embedder.fit(pairs * 3, **how)
    reranker.fit(pairs, **how)
    for name, task in (("embedder", embedder), ("reranker", reranker)):
        task.save(folder / name)
    (folder / "documents.tsv").write_text("text\n" + "\n".join(DOCUMENTS) + "\n", "utf-8")
    done = run(
        "search-page", folder / "embedder", "--reranker", folder / "reranker",
        "--data", folder / "documents.tsv", "--out", folder / "site", "--top", TOP,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    return embedder, reranker, folder / "site"


def test_the_nearest_documents_are_sorted_by_the_reranker(site):
    embedder, reranker, folder = site
    queries = ["red hats", "a sea of milk", LONG[:80]]  # LONG is nearest to its beginning
    (folder / "queries.json").write_text(json.dumps(queries))
    sent = sent_by(folder, DRIVER)
    assert all(needed <= width for width, needed in sent["widths"]), sent["widths"]
    cut, whole, again = sent["heights"]  # of the long document, until its button is pressed
    assert cut == again and whole > 2 * cut
    assert not sent["failed"] and sent["refused"] == [] and len(sent["found"]) == len(queries)
    assert sent["objections"] == []
    for query, shown in zip(queries, sent["found"], strict=True):
        (similarities,) = embedder.similarity([query], DOCUMENTS)
        nearest = [DOCUMENTS[i] for i in np.argsort(-similarities)[:TOP]]
        expected = reranker.rank(query, nearest)
        assert sorted(text for text, _ in shown) == sorted(nearest)
        numbers = [[float(x) for x in re.findall(r"-?\d+\.\d+", each)] for _, each in shown]
        scores = {each.text: each.score for each in expected}
        for (text, _), (similarity, score) in zip(shown, numbers, strict=True):
            assert similarity == pytest.approx(similarities[DOCUMENTS.index(text)], abs=2e-3)
            assert score == pytest.approx(scores[text], abs=1e-3)
        assert [score for _, score in numbers] == sorted((x for _, x in numbers), reverse=True)


def test_other_models_are_refused(site, tmp_path):
    folder = site[2].parent
    ask = ("--data", folder / "documents.tsv", "--out", tmp_path / "new")
    done = run("search-page", folder / "reranker", "--reranker", folder / "reranker", *ask)
    assert done.exit_code == 2
    assert "is no text-embedder; its task is text-pair-scorer" in done.stderr
    done = run("search-page", folder / "embedder", "--reranker", folder / "embedder", *ask)
    assert done.exit_code == 2 and "gives pairs of texts no score" in done.stderr
    assert not (tmp_path / "new").exists()
