"""Series with labels: of tables, of arrays, and what is refused."""

import numpy as np
import pytest

import zoo
from zoo.data.series.labeled import read_labeled_series
from zoo.data.series.reading import ReadingOptions
from zoo.data.series.series import Series
from zoo.errors import DataError, UserError

TABLE = "step,id,ax,ay,label\n1,a,5,0,up\n2,a,,1,up\n1,b,3,2,down\n2,b,2,3,down\n3,b,1,4,down\n"


def written(folder, text, name="data.csv"):
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def archived(folder, name="data.npz", **arrays):
    np.savez(folder / name, **arrays)
    return folder / name


def test_a_table_with_a_row_for_each_step(tmp_path):
    actual = read_labeled_series(written(tmp_path, TABLE))
    assert [each.name for each in actual.series] == ["a", "b"] and actual.labels == ["up", "down"]
    np.testing.assert_array_equal(actual.series[0].values, [[5, 0], [np.nan, 1]])
    assert actual.channels == ["ax", "ay"] and actual.statistics == {"missing values": 1}
    assert "2 series of 2 to 3 steps with 2 labels" in str(actual)


def test_columns_that_options_name(tmp_path):
    path = written(tmp_path, TABLE.replace("label", "kind").replace("id", "who"))
    options = ReadingOptions().with_names(series="who", target="ay")
    actual = read_labeled_series(path, options, "kind")
    assert actual.channels == ["ay"] and actual.series[1].values.ravel().tolist() == [2, 3, 4]


def test_a_folder_of_tables_has_a_series_in_each(tmp_path):
    for name, label in (("a", "up"), ("b", "down")):
        written(tmp_path, f"step,x,label\n1,5,{label}\n2,6,{label}\n", f"{name}.csv")
    actual = read_labeled_series(tmp_path)
    assert [each.name for each in actual.series] == ["a", "b"] and actual.labels == ["up", "down"]


def test_columns_in_memory():
    rows = [line.split(",") for line in TABLE.split()]
    actual = read_labeled_series(dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True)))
    assert actual.labels == ["up", "down"] and len(actual.series[1]) == 3


@pytest.mark.parametrize("axes", [2, 3])
def test_arrays_of_a_file_lose_the_missing_steps_around_them(tmp_path, axes):
    x = np.arange(15.0).reshape(3, 5)
    x[0, :2], x[1, 4], x[2, 2] = np.nan, np.nan, np.nan
    shape = x[..., None] if axes == 3 else x
    actual = read_labeled_series(archived(tmp_path, x=shape, y=np.array([7, 29, 7])))
    assert [len(each) for each in actual.series] == [3, 4, 5] and actual.labels == ["7", "29", "7"]
    np.testing.assert_array_equal(actual.series[2].values.ravel(), x[2])
    assert actual.statistics == {"missing values": 1}


def test_rows_in_memory_and_a_split_that_keeps_equal_series_together():
    random = np.random.default_rng(0)
    rows = [(random.normal(size=(5, 2)), "ab"[i % 2]) for i in range(11)] * 2
    actual = read_labeled_series(rows)
    kept, held = actual.split(0.3, seed=1)
    assert len(kept.series) + len(held.series) == 22 and len(held.series) == 6
    assert not {x.key() for x in kept.series} & {x.key() for x in held.series}
    pairs = {x.key(): label for x, label in zip(actual.series, actual.labels, strict=True)}
    assert all(pairs[x.key()] == y for x, y in zip(held.series, held.labels, strict=True))
    named = read_labeled_series([(Series(np.ones((3, 1), "float32"), "one"), "a")])
    assert named.series[0].name == "one"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TABLE.replace("label", "kind"), "no column of labels: name it with label_column"),
        (TABLE.replace("2,a,,1,up", "2,a,,1,down"), "data.csv:3: label of series 'a' is 'down'"),
        (TABLE.replace(",up", ","), "series 'a' has no label"),
        (
            TABLE.replace("5,0", "1e99,0"),
            "data.csv:2: ax is '1e99'; expected numbers up to 1e.16: divide all",
        ),
        (TABLE.replace("2,b,2", "1,b,2"), "data.csv:5: series .b. has the time 1 in line 4"),
    ],
)
def test_tables_that_are_refused(tmp_path, text, message):
    with pytest.raises((DataError, UserError), match=message):
        read_labeled_series(written(tmp_path, text))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"x": np.ones((3, 5))}, "has no array y; its arrays are x"),
        ({"x": np.ones(3), "y": np.ones(3)}, "expected numbers x .N, T. or .N, T, C."),
        ({"x": np.ones((3, 5)), "y": np.ones(4)}, r"expected y \(3\), got \(4,\)"),
        ({"x": np.full((1, 5), np.nan), "y": np.ones(1)}, "series 1 has no values"),
        ({"x": np.full((1, 5), np.inf), "y": np.ones(1)}, "got an infinite one"),
        ({"x": np.array(["a"] * 3)[:, None], "y": np.ones(3)}, "expected numbers x"),
    ],
)
def test_archives_that_are_refused(tmp_path, arrays, message):
    with pytest.raises(UserError, match=message):
        read_labeled_series(archived(tmp_path, **arrays))


def test_an_archive_with_pickles_is_refused(tmp_path):
    path = archived(tmp_path, x=np.array([[1], [2, 3]], object), y=np.ones(2))
    with pytest.raises(UserError, match="is not an .npz file of numbers"):
        read_labeled_series(path)


def test_archives_and_tables_cannot_be_combined(tmp_path):
    paths = [written(tmp_path, TABLE), archived(tmp_path, x=np.ones((1, 2)), y=np.ones(1))]
    with pytest.raises(UserError, match=".npz files cannot be combined with tables"):
        read_labeled_series(paths)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "has no series"),
        ([([1.0, 2.0], 7)], r"row 1 must be \(series, label\)"),
        ([("wave", "a")], "series 1 must be an array"),
        ([([1.0, 2.0], "a"), (np.ones((2, 2)), "b")], r"as many values in a step; got \[1, 2\]"),
    ],
)
def test_rows_that_are_refused(rows, message):
    with pytest.raises(UserError, match=message):
        read_labeled_series(rows)


def test_channels_are_found_by_name(tmp_path):
    lines = [f"2024-01-0{t + 1},{n},{n + t},{9 - t},{'up' if n else 'down'}" for n in (0, 1)
             for t in range(3)]  # fmt: skip
    (tmp_path / "a.csv").write_text("\n".join(["date,series,ax,ay,label", *lines]) + "\n", "utf-8")
    turned = [",".join([c[3], c[0], c[2], "7", c[1]]) for c in (x.split(",") for x in lines)]
    (tmp_path / "b.csv").write_text("\n".join(["ay,date,ax,az,series", *turned]) + "\n", "utf-8")
    task = zoo.SeriesClassifier(hidden_dim=4, num_layers=2)
    task.adapt(tmp_path / "a.csv")
    actual, turned = (task.predict_proba(tmp_path / name) for name in ("a.csv", "b.csv"))
    np.testing.assert_array_equal(actual, turned)
    (tmp_path / "c.csv").write_text("ay,date,series\n1,2024-01-01,0\n", "utf-8")
    with pytest.raises(UserError, match="has the targets ay; the training data had ax, ay"):
        task.predict(tmp_path / "c.csv")
