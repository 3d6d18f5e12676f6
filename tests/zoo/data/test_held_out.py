"""Folds: parts of the training data that are apart, and together are all of it."""

import random

import numpy as np
import pytest

from zoo.data.graphs.graph import TRAIN, VALIDATION
from zoo.data.graphs.read import read_graphs
from zoo.data.held_out import Fold, held_rows
from zoo.data.readers.documents import read_documents
from zoo.data.readers.labels import read_labeled
from zoo.data.readers.passages import read_passages
from zoo.data.series.series import Series, SeriesSet
from zoo.data.several_tasks import ExamplesOfTasks
from zoo.errors import UserError

FOLDS = [Fold(index, 5) for index in range(1, 6)]


def labeled(count):
    return read_labeled([(f"text {n % count}", "ab"[n % count % 2]) for n in range(count + 3)])


@pytest.mark.parametrize("count", [5, 7, 23])
def test_each_row_is_held_out_once_and_equal_rows_together(count):
    examples = labeled(count)
    rows = list(zip(*examples.columns.values(), strict=True))
    parts = [examples.split(fold, seed=3) for fold in FOLDS]
    held = [list(zip(*out.columns.values(), strict=True)) for _, out in parts]
    assert sorted(sum(held, [])) == sorted(rows)
    for (kept, _), out in zip(parts, held, strict=True):
        inside = list(zip(*kept.columns.values(), strict=True))
        assert sorted(inside + out) == sorted(rows) and not {*inside} & {*out}
    sizes = [len({*out}) for out in held]
    assert max(sizes) - min(sizes) <= 1
    assert examples.split(FOLDS[0], seed=3)[1].columns == parts[0][1].columns
    assert any(
        examples.split(each, seed=4)[1].columns != out.columns
        for each, (_, out) in zip(FOLDS, parts, strict=True)
    )


def test_a_fraction_is_drawn_as_before():
    rows = [f"{n}" for n in range(11)]
    for share, count in ((0.3, 3), (0.01, 1)):
        held = held_rows(rows, share, 5, "x", "rows")
        assert held == {*random.Random(5).sample(rows, count)} and len(held) == count


def test_passages_of_a_query_stay_together():
    rows = [(f"query {n % 7}", f"passage {n}", float(n % 3)) for n in range(29)]
    examples = read_passages(rows)
    held = [{*examples.split(fold)[1].queries} for fold in FOLDS]
    assert sum(map(len, held)) == len(set().union(*held)) == 7
    assert sum(len(examples.split(fold)[1]) for fold in FOLDS) == 29


def test_a_single_document_is_cut_at_lines_in_order():
    lines = [f"line {n}\n" for n in range(37)]
    examples = read_documents(["".join(lines)])
    parts = [examples.split(fold) for fold in FOLDS]
    assert "".join(out.texts[0] for _, out in parts) == "".join(lines)
    assert all(len(out.texts) == 1 and out.texts[0].endswith("\n") for _, out in parts)
    for kept, out in parts:
        assert sorted("".join([*kept.texts, *out.texts]).split("\n")) == sorted(
            "".join(lines).split("\n")
        )
    assert [len(kept.texts) for kept, _ in parts] == [1, 2, 2, 2, 1]
    kept, out = examples.split(0.3)
    assert kept.texts[0] + out.texts[0] == "".join(lines)
    assert abs(out.texts[0].count("\n") - 0.3 * 37) <= 1


def test_series_are_forecast_from_what_was_before():
    lengths, horizon = (83, 41, 17), 3
    series = [
        Series(np.arange(length, dtype=np.float32)[:, None], f"s{length}") for length in lengths
    ]
    examples = SeriesSet("s.csv", series, ["y"], horizon=horizon)
    for fold in FOLDS:
        kept, out = examples.split(fold)
        assert [each.name for each in out.series] == ["s83", "s41"]  # 17 < 6 * 3
        assert out.held_out == [83 // 6 // 3, 41 // 6 // 3] == [4, 2]
        for each, then, count in zip(kept.series, out.series, out.held_out, strict=False):
            length = int(each.name[1:])
            end = length - (5 - fold.index) * count * horizon
            np.testing.assert_array_equal(then.values, np.arange(end)[:, None])
            np.testing.assert_array_equal(each.values, np.arange(end - count * horizon)[:, None])
        assert len(kept.series[2]) == 17 and kept.series[2].name == "s17"
    with pytest.raises(UserError, match="no series of more than 251 values"):
        examples.split(Fold(1, 83))


def test_training_nodes_are_held_out_once():
    generator = np.random.default_rng(0)
    graph = {
        "nodes": generator.normal(size=(31, 3)).astype(np.float32),
        "edges": generator.integers(0, 31, (2, 67)),
        "labels": generator.integers(0, 3, 31),
        "train": np.arange(31) < 23,
    }
    graphs = read_graphs(graph)
    parts = [graphs.split(fold, seed=2) for fold in FOLDS]
    held = np.array([out.part(VALIDATION)[0] for _, out in parts])
    np.testing.assert_array_equal(held.sum(0), graphs.part(TRAIN)[0])
    assert sorted(held.sum(1)) == [4, 4, 5, 5, 5]
    for (kept, _), out in zip(parts, held, strict=True):
        np.testing.assert_array_equal(kept.part(TRAIN)[0], graphs.part(TRAIN)[0] & ~out)


def test_each_task_has_its_own_folds():
    examples = ExamplesOfTasks({"a": labeled(11), "b": labeled(5)}, {"a": "label", "b": "label"})
    sizes = [
        {name: len({*part.inputs["text"]}) for name, part in examples.split(fold)[1].parts.items()}
        for fold in FOLDS
    ]
    assert sum(each["a"] for each in sizes) == 11 and all(each["b"] == 1 for each in sizes)


def test_what_is_refused():
    with pytest.raises(UserError, match="too few rows to hold out fold 1 of 5 for validation"):
        labeled(4).split(Fold(1, 5))
    with pytest.raises(UserError, match="too short to hold out fold 2 of 5"):
        read_documents(["one line\n"]).split(Fold(2, 5))
    for index, count in ((0, 5), (6, 5), (1, 1), (1, 0)):
        with pytest.raises(UserError, match=f"there is no fold {index} of {count}"):
            Fold(index, count)
    assert Fold.parse("fold 2 of 5 ") is None and Fold.parse("0.1") is None
