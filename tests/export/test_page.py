"""SIGNATURES.md of an artifact whose names and meanings anyone may have written."""

import ast
import re

import numpy as np
import pytest

from export.page import signature_page
from export.worker.probes import Probe
from tests.pages import code

HOSTILE = [
    "<script>alert(1)</script>",
    "a\n\n```python\nimport os\n```\n",
    "a\r\n# heading",
    "![](http://localhost/seen.png) [a](http://localhost)",
    "a | b \\| c",
    '") or print("taken',
    "`` a ` b",
    "{name} {0} $x",
    "é\u202e\0",
    "x" * 10_000,
    "class",
]


def tensor(meaning):
    shape = {"dtype": "float32", "shape": [None, 1], "axes": None, "padding": None}
    return {**shape, "meaning": meaning}


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("runtime", ["litert", "saved_model"])
def test_a_page_says_it_and_does_nothing_else(text, runtime):
    both = {"purpose": text, "inputs": {text: tensor(text)}, "outputs": {text: tensor(text)}}
    facts = {"format": runtime, "quantize": None, "strings": False}
    facts |= {"signatures": {text: both}, "invariances": {text: ()}}
    page = signature_page(text, facts, {text: [Probe({text: np.zeros((1, 1), "float32")}, {})]})

    (block,) = code(page, "python")
    nodes = list(ast.walk(ast.parse(block)))
    constants = [each.value for each in nodes if isinstance(each, ast.Constant)]
    named = [each.arg for each in nodes if isinstance(each, ast.keyword) and each.arg]
    assert [*constants, *named].count(text) == 3  # the artifact, the signature and the input
    assert sum(isinstance(each, ast.Call) for each in nodes) == 7

    words = page.replace(block, "").splitlines()
    assert [line.split()[0] for line in words if line.startswith("#")] == ["#", "##"]
    assert sum(line.startswith("|") for line in words) == 4
    cell = re.split(r"(?<!\\)\|", [line for line in words if line.startswith("| input")][0])[-2]
    assert not re.search(r"(?<!\\)[\[`<]", cell)


@pytest.mark.parametrize("data", [b"a film", b"a\0b" + bytes(4), b"", b"\xff\x00"])
def test_bytes_in_a_file_of_one_shape_are_spelled_without_what_fills_them(data):
    given = np.frombuffer(data + bytes(8000), "uint8").astype("int32")[None]
    facts = {"format": "litert", "quantize": None, "strings": False}
    recorded = {"purpose": "Reads.", "inputs": {"text_bytes": tensor("a text")}, "outputs": {}}
    facts |= {"signatures": {"read": recorded}, "invariances": {"read": ()}}
    page = signature_page("a.tflite", facts, {"read": [Probe({"text_bytes": given}, {})]})
    (block,) = code(page, "python")
    assert len(block) < 500
    (made,) = re.findall(r"np\.array\(.*\)(?=\))", block)
    actual = eval(made, {"np": np})
    assert actual.dtype == given.dtype and np.array_equal(actual, given)
