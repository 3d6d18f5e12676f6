"""Tables of edges whose file has another name than edges."""

import pytest

import zoo
from zoo.data.graphs.read import read_graphs
from zoo.data.inspection import inspect
from zoo.errors import UserError

NAMES = ["Ann", "Bob", "Cy Young", "Dora", "Eve", "Finn", "Gus"]
EDGES = [(a, (a + step) % 7) for step in (1, 2, 3) for a in range(7)]
NAMED = [(NAMES[a], NAMES[b]) for a, b in EDGES]
NUMBERED = [(f"{a}", f"{b}") for a, b in EDGES]


def pairs(graph):
    return {frozenset(pair) for pair in graph.edges.T.tolist()}


def table(header, rows, delimiter=","):
    return "".join(delimiter.join(row) + "\n" for row in [*([header] if header else []), *rows])


GEPHI = ("Source", "Target", "Type", "Id", "Label", "Weight")
ROWS = [(*ends, "Undirected", f"{row}", "", "1") for row, ends in enumerate(NAMED)]
TABLES = {
    "friends.csv": table(("from", "to"), NAMED),
    "pairs.csv": table(("Source", "Target"), NAMED),
    "weighted.csv": table(("source", "target", "weight"), [(*ends, "2.5") for ends in NAMED]),
    "numbers.csv": table(("from", "to"), NUMBERED),
    "bare.csv": table(None, NAMED),
    "excel.csv": table(("Source", "Target"), NAMED, ";"),
    "cites.tsv": table(("citing", "cited"), [(f"p{a}", f"p{b}") for a, b in EDGES], "\t"),
    "gephi.csv": table(GEPHI, ROWS),
    "snap.csv": table(("node_1", "node_2"), NUMBERED),
}
LINES = [(f"the cat number {n} is here", f"die Katze Nummer {n} ist hier") for n in range(20)]
WORDS = [(f"w{n}", f"v{n}") for n in range(15)] + [(f"same{n}", f"same{n}") for n in range(15)]
MAILS = [(*ends, f"Dear all, this is mail number {row}, bye") for row, ends in enumerate(NAMED)]
TEXTS = {
    "translations.csv": table(("source", "target"), LINES),
    "lexicon.csv": table(("source", "target"), WORDS),
    "mails.csv": table(("from", "to", "text"), MAILS),
}


@pytest.mark.parametrize("name", TABLES)
def test_edges_without_labels_say_what_to_write(tmp_path, name):
    (tmp_path / name).write_text(TABLES[name])
    report = inspect(tmp_path / name)
    assert report.task is None
    assert report.understood.startswith("has the edges of a graph: write labels.csv beside it")
    with pytest.raises(UserError, match=r"has no labels, .*: write labels.csv beside the edges"):
        zoo.NodeClassifier().adapt(tmp_path / name)


@pytest.mark.parametrize(
    "name", ["friends.csv", "pairs.csv", "numbers.csv", "bare.csv", "cites.tsv"]
)
def test_the_labels_that_are_asked_for_make_a_graph(tmp_path, name):
    (tmp_path / name).write_text(TABLES[name])
    ids = (
        NAMES
        if "Ann" in TABLES[name]
        else [f"p{n}" if name == "cites.tsv" else f"{n}" for n in range(7)]
    )
    labels = "".join(f"{each},{'ab'[n % 2]}\n" for n, each in enumerate(ids))
    (tmp_path / "labels.csv").write_text("id,label\n" + labels)
    for path in (tmp_path, tmp_path / name, tmp_path / "labels.csv"):
        (graph,) = read_graphs(path).graphs
        assert graph.ids == ids
        assert pairs(graph) == {frozenset(edge) for edge in EDGES}
        assert inspect(path).task == "node-classifier"


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_no_edges(tmp_path, name):
    (tmp_path / name).write_text(TEXTS[name])
    report = inspect(tmp_path / name)
    assert "edges of a graph" not in report.understood
    assert name == "lexicon.csv" or report.task is not None


def test_one_table_of_edges_is_found_beside_others(tmp_path):
    (tmp_path / "labels.csv").write_text("id,label\n" + "".join(f"{n},a\n" for n in range(7)))
    (tmp_path / "snap.csv").write_text(TABLES["snap.csv"])
    (tmp_path / "prices.csv").write_text("day,price\n2020-01-01,3.5\n2020-01-02,4.5\n")
    assert len(pairs(read_graphs(tmp_path).graphs[0])) == len(EDGES)
    (tmp_path / "numbers.csv").write_text(TABLES["numbers.csv"])  # now there are two
    with pytest.raises(UserError, match="edges.csv does not exist"):
        read_graphs(tmp_path)
