"""Queries with passages in each of the forms that users have."""

import pytest

from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.passages import read_passages
from zoo.errors import UserError

PAIRS = [("hat", "a red hat"), ("tea", "cold tea"), ("hat", "the hat"), ("sea", "a wave")]


def rows_of(examples):
    return list(zip(examples.texts, examples.seconds, examples.values, strict=True))


def written(tmp_path, *lines):
    path = tmp_path / "data.tsv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("header", ["query\tpassage\tscore\n", "question\tanswer\tlabel\n", ""])
def test_scores(tmp_path, header):
    path = tmp_path / "data.tsv"
    path.write_text(header + "hat\ta red hat\t1\nhat\tcold tea\t0\n")
    expected = [("hat", "a red hat", (1.0,)), ("hat", "cold tea", (0.0,))]
    assert rows_of(read_passages(path)) == expected
    assert rows_of(read_passages([("hat", "a red hat", 1), ("hat", "cold tea", 0)])) == expected


def test_negatives(tmp_path):
    lines = ("anchor\tpositive\tnegative", "hat\ta red hat\tcold tea", "hat\ta red hat\ta wave")
    expected = [("hat", "a red hat", (1,)), ("hat", "cold tea", (0,)), ("hat", "a wave", (0,))]
    assert rows_of(read_passages(written(tmp_path, *lines))) == expected
    rows = [tuple(line.split("\t")) for line in lines[1:]]
    assert rows_of(read_passages(rows)) == expected
    cells = zip(*rows, strict=True)
    table = dict(zip(("query", "passage", "negative"), map(list, cells), strict=True))
    assert rows_of(read_passages(table)) == expected
    bare = written(tmp_path, *lines[1:])
    options = ReadOptions.of({"query_column": "1", "passage_column": "2", "negative_column": "3"})
    assert rows_of(read_passages(bare, options)) == expected


def test_a_negative_that_also_answers_is_no_negative():
    examples = read_passages([("hat", "a red hat", "the hat"), ("hat", "the hat", "cold tea")])
    assert dict(zip(examples.seconds, examples.values, strict=True)) == {
        "a red hat": (1,), "the hat": (1,), "cold tea": (0,),
    }  # fmt: skip


@pytest.mark.parametrize("count", [1, 2, 5])
def test_sampled_negatives_answer_other_queries(count):
    examples = read_passages(PAIRS, negatives=count)
    assert rows_of(examples) == rows_of(read_passages(PAIRS, negatives=count))
    own = {"hat": {"a red hat", "the hat"}, "tea": {"cold tea"}, "sea": {"a wave"}}
    for query, passage, (value,) in rows_of(examples):
        assert value == (passage in own[query])
    of_tea = [value for query, _, (value,) in rows_of(examples) if query == "tea"]
    assert sorted(of_tea) == [0.0] * min(count, 3) + [1.0]
    assert len(set(rows_of(examples))) == len(rows_of(examples))


def test_ids_of_queries(tmp_path):
    lines = ("qid\tquery\tpassage\tscore", "1\thow\tso\t1", "2\thow\tnot\t0", "1\thow\tthus\t0")
    assert read_passages(written(tmp_path, *lines)).queries == ["1", "2", "1"]
    assert read_passages([("how", "so", 1), ("how", "no", 0)]).queries == ["how", "how"]


def test_queries_are_held_out_with_all_their_passages():
    rows = [(f"q{n % 10}", f"p{n}", n % 2) for n in range(70)]
    kept, held_out = read_passages(rows).split(0.3, seed=5)
    assert len(set(held_out.queries)) == 3 and not {*kept.queries} & {*held_out.queries}
    assert sorted(kept.seconds + held_out.seconds) == sorted(f"p{n}" for n in range(70))
    assert len(held_out) == 21 and held_out.path == "30% of data in memory"
    with pytest.raises(UserError, match="too few queries to hold out 10%"):
        read_passages(rows[:1]).split(0.1)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("query\tpassage\tscore", "a\tb\tgood"), "score must be a finite number, .* got 'good'"),
        (
            ("query\tpassage\tscore\tnegative", "a\tb\t1\tc"),
            "has both scores .score. and negatives",
        ),
        (("query\tpassage", "a\tb", "a\tc"), "all passages answer the same query"),
        (("query\tpassage\tscore", "a\t\t1"), "the passage is empty"),
    ],
)
def test_what_cannot_be_read(tmp_path, lines, message):
    with pytest.raises(UserError, match=message):
        read_passages(written(tmp_path, *lines))
