"""Modules say first what they hold, as a noun phrase."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CLAUSES = "How What When Where Whether Which Why From".split()
VERBS = """Adds Applies Builds Checks Computes Contains Converts Counts Creates Decodes Defines
Evaluates Exports Finds Gives Holds Implements Inspects Keeps Lists Loads Makes Measures Opens
Predicts Prepares Prints Provides Reads Returns Runs Saves Scores Shows Splits Starts Takes Tests
Trains Turns Writes""".split()
# Of these words, which are nouns as well, the noun is followed by "of" or "and".
NOUNS = "Checks Counts Exports Lists Loads Makes Measures Reads Returns Runs Scores Tests".split()


def first_words(source: str) -> list[str]:
    docstring = ast.get_docstring(ast.parse(source)) or ""
    return [word.strip(",.:;") for word in docstring.split()[:2]]


def is_noun_phrase(first: str, second: str = "") -> bool:
    if first in VERBS:
        return first in NOUNS and second in ("of", "and", "that")
    return first not in CLAUSES and (first[:1].isupper() or first[:1] == "`")


@pytest.mark.parametrize("package", ["keras_attn", "zoo", "export"])
def test_module_docstrings_begin_with_a_noun_phrase(package):
    files = (ROOT / package).rglob("*.py")
    sources = {path: first_words(path.read_text("utf-8")) for path in files}
    assert len(sources) > 50
    wrong = [str(path) for path, words in sources.items() if not is_noun_phrase(*(words or [""]))]
    assert not wrong


def test_verbs_and_clauses_are_seen():
    assert not is_noun_phrase("Reads", "graphs") and not is_noun_phrase("How", "models")
    assert not is_noun_phrase("Scores", "texts") and not is_noun_phrase("")
    assert is_noun_phrase("Scores", "of") and is_noun_phrase("The", "reader")
