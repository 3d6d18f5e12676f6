"""Archives of labeled series, UCR's and UEA's, are read row by row."""

import numpy as np
import pytest

from zoo.data.inspection import inspect
from zoo.data.series.archives import is_archive, read_archive
from zoo.data.series.labeled import read_labeled_series
from zoo.data.series.valued import read_valued_series
from zoo.errors import DataError, UserError

VALUES = np.round(np.random.default_rng(0).normal(size=(20, 12)), 6)
LABELS = [str(n % 2 + 1) for n in range(20)]
HEAD = "# of a stranger\n@problemName a\n@timeStamps false\n"
MISSING = "\tNaN" * 4


def rows(mark, label, form="{:.6f}"):
    cells = [mark.join(form.format(x) for x in row) for row in VALUES]
    return "".join(label(n, row) + "\n" for n, row in enumerate(cells))


# The name of a file, its content, and the first label.
FILES = {
    "2018": ("a.tsv", rows("\t", lambda n, x: f"{LABELS[n]}\t{x}"), "1"),
    "2015": ("a.csv", rows(",", lambda n, x: f"{LABELS[n]},{x}"), "1"),
    "signs": ("a.tsv", rows("\t", lambda n, x: f"{2 * int(LABELS[n]) - 3}\t{x}"), "-1"),
    "filled": ("a.tsv", rows("\t", lambda n, x: f"{LABELS[n]}\t{x}{MISSING}"), "1"),
    "heartbeats": ("a.csv", rows(",", lambda n, x: f"{x},{int(LABELS[n]):.18e}", "{:.18e}"), "1"),
    "sktime": (
        "a.ts",
        f"{HEAD}@classLabel true up down\n@data\n" + rows(",", lambda n, x: f"{x}:{LABELS[n]}"),
        "1",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_series_in_each_row(tmp_path, name):
    file, text, first = FILES[name]
    (tmp_path / file).write_text(text)
    actual = read_labeled_series(tmp_path / file)
    assert (len(actual.series), actual.labels[0], len({*actual.labels})) == (20, first, 2)
    for series, values in zip(actual.series, VALUES, strict=True):
        np.testing.assert_allclose(series.values[:, 0], values, rtol=1e-6)
    inspection = inspect(tmp_path / file)
    assert (inspection.task, inspection.rows) == ("series-classifier", 20)


def test_several_dimensions_and_lengths(tmp_path):
    lines = ["1,2,?:4,5,6:up", "1,2:3,4:down"]
    text = f"{HEAD}@univariate false\n@classLabel true up down\n@data\n" + "\n".join(lines)
    (tmp_path / "a.ts").write_text(text)
    actual = read_labeled_series(tmp_path / "a.ts")
    assert actual.labels == ["up", "down"]
    np.testing.assert_array_equal(actual.series[0].values, [[1, 4], [2, 5], [np.nan, 6]])
    assert actual.series[1].values.tolist() == [[1, 3], [2, 4]]


def test_values_beside_series(tmp_path):
    body = rows(",", lambda n, x: f"{x}:{n / 2}")
    (tmp_path / "a.ts").write_text(f"{HEAD}@targetlabel true\n@data\n{body}")
    actual = read_valued_series(tmp_path / "a.ts")
    assert actual.values[3] == (1.5,)
    assert inspect(tmp_path / "a.ts").task == "series-regressor"
    with pytest.raises(UserError, match="has values beside its series: a series-classifier needs"):
        read_labeled_series(tmp_path / "a.ts")


def test_other_tables_are_no_archives(tmp_path):
    pixels = "".join(
        f"{n % 10}," + ",".join(str(n * k % 256) for k in range(12)) + "\n" for n in range(40)
    )
    (tmp_path / "a.csv").write_text(pixels)
    assert not is_archive(tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text("label," + ",".join("abcdefghijkl") + "\n" + FILES["2015"][1])
    assert not is_archive(tmp_path / "b.csv")
    unlabeled = rows(",", lambda n, x: x)
    (tmp_path / "c.csv").write_text(unlabeled)
    assert not is_archive(tmp_path / "c.csv")
    assert is_archive(tmp_path / "c.csv", labeled=False)
    assert len(read_archive(tmp_path / "c.csv").series) == 20


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@data\n1,2:3:up\n", "equally long"),
        ("@data\n1,x:up\n", "a.ts:5: expected a finite number, got 'x'"),
        ("@timestamps true\n@data\n(0,1),(1,2):up\n", "has a time for each value"),
        ("1,2:up\n", "expected @data before the series"),
    ],
)
def test_bad_files_are_refused(tmp_path, text, message):
    (tmp_path / "a.ts").write_text("# a\n@problemName a\n@classLabel true up\n" + text)
    with pytest.raises((DataError, UserError), match=message):
        read_labeled_series(tmp_path / "a.ts")
