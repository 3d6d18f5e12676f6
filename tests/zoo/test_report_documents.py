"""Documents of a report: every word and sentence with the strength of its color."""

import re

import numpy as np

from zoo.attention_map import AttentionMap
from zoo.report import documents


def maps(weights, tokens, name):
    return AttentionMap(np.array(weights)[None, None], tokens, ["row"], name)


PARTS = {
    "words": [maps([0.25, 0.75], ["a", "<b>"], "words"), maps([1.0], ["c"], "words")],
    "sentences": [maps([0.64, 0.36], ["a <b>", "c"], "sentences")],
}


def test_words_and_sentences_have_their_weights():
    page = documents.section([("a <b>. c", PARTS)])
    lines = re.findall(r'<p><span class="bar w(\d+)"></span>(.*)</p>', page)
    assert [percent for percent, _ in lines] == ["100", "56"]  # 0.36 / 0.64
    words = re.findall(r'<bdi class="w(\d+)">(.*?)</bdi>', page)
    assert [word for _, word in words] == ["a", "&lt;b&gt;", "c"]
    # 0.25 * 0.8, 0.75 * 0.8 and 1 * 0.6, relative to the largest
    assert [percent for percent, _ in words] == ["33", "100", "100"]


def test_every_weight_has_a_style():
    rules = re.findall(r"\.w(\d+) { --weight: ([\d.]+) }", documents.style())
    assert [(int(a), float(b)) for a, b in rules] == [(n, n / 100) for n in range(101)]


def test_maps_of_tokens_are_no_documents():
    assert documents.section([("a", {"encoder": [maps([1.0], ["a"], "encoder_0")]})]) == ""
