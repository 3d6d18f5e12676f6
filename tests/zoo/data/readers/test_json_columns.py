"""Tables that JSON files hold by their columns, as pandas writes them, and what is none."""

import json

import pytest

from zoo.data.inspection import inspect
from zoo.data.readers.labels import read_labeled
from zoo.data.readers.tags import read_tagged
from zoo.errors import UserError

TEXTS = [f"the soup of day {each} was {'fine' if each % 2 else 'cold'}" for each in range(12)]
LABELS = ["bad", "good"] * 6
TABLE = {"text": TEXTS, "label": LABELS}
ROWS = [*zip(TEXTS, LABELS, strict=True)]
FORMS = {  # `orient` of `DataFrame.to_json`
    "columns": {name: {str(n): x for n, x in enumerate(cells)} for name, cells in TABLE.items()},
    "columns with an index": {
        name: {f"r{n}": x for n, x in enumerate(cells)} for name, cells in TABLE.items()
    },
    "lists": TABLE,
    "split": {"columns": [*TABLE], "index": [*range(12)], "data": ROWS},
    "records": [dict(zip(TABLE, row, strict=True)) for row in ROWS],
}


@pytest.mark.parametrize("form", FORMS)
def test_all_rows_are_read(tmp_path, form):
    (tmp_path / "a.json").write_text(json.dumps(FORMS[form]))
    actual = read_labeled(tmp_path / "a.json")
    assert (actual.texts, actual.labels) == (TEXTS, LABELS)
    assert inspect(tmp_path / "a.json").task == "text-classifier"


def test_a_sentence_is_no_table(tmp_path):
    """A single record of words and tags was and is a sentence for a tagger."""
    (tmp_path / "a.json").write_text('{"tokens": ["Ann", "sings"], "tags": ["B-PER", "O"]}')
    assert read_tagged(tmp_path / "a.json").words == [["Ann", "sings"]]
    assert inspect(tmp_path / "a.json").task == "token-tagger"


@pytest.mark.parametrize("links", ["links", "edges"])
def test_graphs_are_named(tmp_path, links):
    graph = {"directed": False, "nodes": [{"id": 0}], links: [{"source": 0, "target": 0}]}
    (tmp_path / "a.json").write_text(json.dumps(graph))
    with pytest.raises(UserError, match=r"a.json is a graph .* nodes.csv with columns id and"):
        read_labeled(tmp_path / "a.json")


@pytest.mark.parametrize(
    "document",
    [
        {"text": ["a b", "c d"], "label": ["x"]},
        {"text": {"0": "a", "1": "b"}, "label": {"0": "x", "2": "y"}},
        {"columns": ["text", "label"], "data": [["a"]]},
        {"text": {"a": {"b": 1}}, "label": {"a": {"b": 1}}},
    ],
)
def test_columns_of_other_rows_are_refused(tmp_path, document):
    (tmp_path / "a.json").write_text(json.dumps(document))
    with pytest.raises(UserError, match="a.json holds an object with the keys"):
        read_labeled(tmp_path / "a.json")
