"""Image regressors learn values, and say clearly what they cannot learn."""

import numpy as np
import pytest
import tensorflow as tf

import zoo
from tests.tasks.cases import files
from zoo.errors import DataError, UserError

SMALL = {"layers": [[7, 3], [5, 3]]}
HOW = {"epochs": 30, "learning_rate": 0.02, "xla": False, "verbose": False}


def rows(count=60, seed=1):
    images, places = files.places(count, seed)
    return [(image, *map(float, place)) for image, place in zip(images, places, strict=True)]


@pytest.fixture(scope="module")
def task():
    made = zoo.ImageRegressor(value_column="row,column", **SMALL)
    made.fit(rows(200), **HOW)
    return made


def test_values_have_the_units_of_the_data(task):
    values = np.array([row[1:] for row in rows(200)])
    assert task.settings.value_means == pytest.approx(values.mean(axis=0).tolist())
    assert task.settings.value_scales == pytest.approx(values.std(axis=0).tolist())
    scores = task.evaluate(rows(100, seed=2))
    actual = task.predict([row[0] for row in rows(100, seed=2)])
    errors = [
        abs(each["row"] - row[1]) for each, row in zip(actual, rows(100, seed=2), strict=True)
    ]
    assert scores["row_mae"] == pytest.approx(np.mean(errors))
    assert scores["r2"] > 0.7 > 0.1 > scores["mean_r2"]
    assert {"ridge_r2", "ridge_row_mae", "mean_column_mae"} <= {*scores}


def test_a_table_of_files_and_arrays_give_the_same_examples(tmp_path):
    named = {"value_column": "row,column"}
    table = zoo.ImageRegressor(**named).read(files.placed(tmp_path, 7))
    images, places = files.places(7, seed=29)
    assert table.values == [tuple(map(float, place)) for place in places]
    assert table.names == ["row", "column"] and table.most_common_size == "11x13"
    np.savez(tmp_path / "a.npz", images=images, values=places, names=["row", "column"])
    arrays = zoo.ImageRegressor().read(tmp_path / "a.npz")
    assert arrays.values == table.values and arrays.names == table.names
    read = [tf.io.decode_png(tf.io.read_file(path)).numpy() for path in table.images]
    np.testing.assert_array_equal(read, arrays.images)
    listed = [(image, *place) for image, place in zip(images, places, strict=True)]
    assert zoo.ImageRegressor(**named).read(listed).values == table.values


def table(folder, content):
    for name in "ab":
        image = np.full((5, 7, 1), 9, np.uint8)
        (folder / f"{name}.png").write_bytes(tf.io.encode_png(image).numpy())
    path = folder / "x.csv"
    path.write_text(content)
    return path


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("file,age\na.png,3\nb.png,3\n", {}, "all values of age are 3; a regressor learns"),
        ("file,age\na.png,old\nb.png,new\n", {}, "has no numbers, but 'old': train a classifier"),
        ("file,age\na.png,3\nb.png,4 years\n", {}, "x.csv:3: the value '4 years' is not a finite"),
        ("file,age\na.png,3\nb.png,\n", {}, "x.csv:3: the value is empty"),
        ("file,age\na.png,3\n", {"value_column": "size"}, "has no column 'size' for value_column"),
        ("file,age\na.png,3\nc.png,4\n", {}, "c.png: No such file or directory"),
        ("file,age\n../a.png,3\n", {}, "the image '../a.png' is outside of the folder"),
        ("file,age\na.png,3\nb.png,4\n", {"images": "nowhere"}, "nowhere is not a folder of im"),
    ],
)
def test_what_cannot_be_learned_is_named(content, options, message, tmp_path):
    with pytest.raises((UserError, DataError), match=message):
        zoo.ImageRegressor(**options).adapt(table(tmp_path, content))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"values": [1.0, np.nan]}, "the values of row 2 are not finite numbers"),
        ({"values": ["a", "b"]}, r"expected values, numbers \(2,\) or \(2, K\), got <U1"),
        ({"values": [1.0]}, r"expected values, numbers \(2,\)"),
        ({"values": [[1, 2], [3, 4]], "names": ["a"]}, "has 2 values in each row, and 1 names"),
        ({}, "has no array values; its arrays are images"),
    ],
)
def test_arrays_that_do_not_fit_are_named(arrays, message, tmp_path):
    np.savez(tmp_path / "a.npz", images=np.zeros((2, 5, 7), np.uint8), **arrays)
    with pytest.raises(UserError, match=message):
        zoo.ImageRegressor().adapt(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((np.zeros((5, 7)), "old"), "data in memory:2: expected finite numbers, got"),
        ((np.zeros((5, 7)), 1.0, 2.0), r"data in memory:2: expected \(image, value\)"),
        ((np.zeros(5), 1.0), r"image 2: an image must be \(H, W\)"),
    ],
)
def test_rows_that_do_not_fit_are_named(row, message):
    with pytest.raises(UserError, match=message):
        zoo.ImageRegressor().adapt([(np.zeros((5, 7)), 1.0), row])


def test_other_values_than_those_of_training_are_refused(task):
    single = zoo.ImageRegressor().read([(rows(1)[0][0], 1.0)])
    with pytest.raises(UserError, match="has 1 values in each row, and the model has 2: row, col"):
        task.parts.answer.judged(task.predictor(), single)


def test_bad_images_and_rows_may_be_skipped(tmp_path):
    path = table(tmp_path, "file,age\na.png,3\nb.png,none\nc.png,5\n")
    actual = zoo.ImageRegressor(skip_bad_rows=True).read(path)
    assert actual.values == [(3.0,)] and len(actual.images) == 1
    assert "1 bad row skipped" in str(actual) and "1 image" in str(actual)
