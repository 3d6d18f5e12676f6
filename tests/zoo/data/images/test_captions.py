"""Images with captions from every form, and what is refused."""

import json

import numpy as np
import pytest

from tests.zoo.data.images.test_read import pixels, write
from zoo.data.images.captions import read_captions
from zoo.data.readers.column_names import ColumnNames, ReadOptions
from zoo.data_statistics import describe
from zoo.errors import DataError, UserError


@pytest.fixture
def folder(tmp_path):
    for seed, name in enumerate(("cat", "dog", "cow")):
        write(tmp_path / "photos" / f"{name}.png", pixels(seed=seed))
    return tmp_path


def jsonl(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def read(data, folder=None, skip=False, **names):
    images = None if folder is None else f"{folder}/photos"
    return read_captions(data, ReadOptions(ColumnNames(**names), skip_bad_rows=skip), images)


def names(actual):
    return [path.rpartition("/")[2] for path in actual.images]


CAPTIONS = {"cat": ["a cat", "[a cat] sits"], "dog": ["a dog, running"]}


class TestForms:
    def test_lists_in_json(self, folder):
        rows = [{"image": f"{name}.png", "captions": texts} for name, texts in CAPTIONS.items()]
        path = jsonl(folder / "a.jsonl", *rows, {"image": "cow.png", "captions": "a cow"})
        actual = read(path, folder)
        assert names(actual) == ["cat.png", "dog.png", "cow.png"]
        assert actual.captions == [*CAPTIONS.values(), ["a cow"]]
        assert set(actual.shapes) == {(7, 5, 1)} and not describe(actual.statistics)
        assert "3 images with 4 captions; width x height 5x7 (3); image = image" in str(actual)

    def test_rows_of_an_image_are_joined(self, folder):
        path = folder / "a.csv"
        rows = 'cat.png,a cat,1\ndog.png,"a dog, running",2\ncat.png,[a cat] sits,3\n'
        path.write_text("file,caption,id\n" + rows)
        actual = read(path, folder)
        assert dict(zip(("cat", "dog"), actual.captions, strict=True)) == CAPTIONS

    def test_without_a_header_beside_the_images(self, folder):
        path = folder / "photos" / "a.tsv"
        path.write_text("cat.png\ta cat\ndog.png\ta dog\n")
        assert read_captions(path).captions == [["a cat"], ["a dog"]]

    def test_columns_by_name(self, folder):
        path = jsonl(folder / "a.jsonl", {"a": "cat.png", "b": "x", "c": ["a cat"]})
        actual = read(path, folder, image="a", caption="c")
        assert actual.captions == [["a cat"]]

    def test_several_tables(self, folder):
        first = jsonl(folder / "1.jsonl", {"image": "cat.png", "caption": "a cat"})
        second = jsonl(folder / "2.jsonl", {"image": "cat.png", "caption": "a pet"})
        assert read([first, second], folder).captions == [["a cat", "a pet"]]

    def test_in_memory(self, folder):
        rows = [(np.zeros((3, 2)), "dark"), (np.ones((3, 2, 3)), ("light", "bright"))]
        actual = read_captions(rows)
        assert actual.captions == [["dark"], ["light", "bright"]]
        assert actual.shapes == [(3, 2, 1), (3, 2, 3)]
        files = [(folder / "photos" / "cat.png", "a cat"), (folder / "photos" / "cat.png", "a pet")]
        assert read_captions(files).captions == [["a cat", "a pet"]]

    def test_equal_images_stay_on_one_side(self, folder):
        images = [pixels(seed=seed % 5) for seed in range(20)]
        rows = [(image, [f"caption {seed % 5}"]) for seed, image in enumerate(images)]
        train, held_out = read_captions(rows).split(0.4)
        known = {image.tobytes() for image in train.images}
        assert len(held_out) == 8 and not any(x.tobytes() in known for x in held_out.images)


def refused(data, *parts, folder=None, skip=False, error=UserError):
    with pytest.raises(error) as actual:
        read(data, folder, skip)
    message = str(actual.value)
    assert "\n" not in message and all(str(part) in message for part in parts), message


class TestBadInput:
    @pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n", b"no image"])
    def test_an_unreadable_image_is_skipped_on_request_only(self, folder, content):
        (folder / "photos" / "cow.png").write_bytes(content)
        rows = [{"image": f"{name}.png", "caption": f"a {name}"} for name in ("cat", "cow", "dog")]
        path = jsonl(folder / "a.jsonl", *rows)
        refused(path, "cow.png", "skip_bad_rows=True", folder=folder)
        actual = read(path, folder, skip=True)
        assert actual.captions == [["a cat"], ["a dog"]] and len(actual.shapes) == 2
        assert describe(actual.statistics) == ["1 image that cannot be read skipped"]
        assert "1 image that cannot be read skipped" in str(actual)

    def test_captions_without_an_image(self, folder):
        rows = [{"image": "cat.png", "caption": "a cat"}, {"image": "hen.png", "caption": "a hen"}]
        path = jsonl(folder / "a.jsonl", *rows)
        refused(path, "hen.png", "No such file", folder=folder)
        assert names(read(path, folder, skip=True)) == ["cat.png"]
        path = jsonl(folder / "b.jsonl", {"image": "", "caption": "a cat"}, rows[0])
        refused(path, "b.jsonl:1", "the image is empty", folder=folder, error=DataError)
        actual = read(path, folder, skip=True)
        assert describe(actual.statistics) == ["1 bad row skipped"]

    @pytest.mark.parametrize("captions", [[], ["a cat", " "], ["a cat", 3], {"en": "a cat"}])
    def test_an_image_without_captions(self, folder, captions):
        path = jsonl(folder / "a.jsonl", {"image": "cat.png", "captions": captions})
        refused(path, "a.jsonl:1", '"captions"', folder=folder, error=DataError)

    @pytest.mark.parametrize("name", ["../outside.png", "/etc/passwd", "a/../../x.png", "a\0"])
    def test_a_path_out_of_the_folder(self, folder, name):
        write(folder / "outside.png", pixels())
        path = jsonl(folder / "a.jsonl", {"image": name, "caption": "a cat"})
        for skipping in (False, True):  # never
            refused(path, "is outside of", folder=folder, skip=skipping)

    def test_a_link_out_of_the_folder(self, folder):
        (folder / "photos" / "link.png").symlink_to(write(folder / "outside.png", pixels()))
        path = jsonl(folder / "a.jsonl", {"image": "link.png", "caption": "a cat"})
        refused(path, "link.png", "is outside of", folder=folder)

    def test_mixed_numbers_of_channels(self, folder):
        write(folder / "photos" / "red.png", pixels(channels=3))
        rows = [{"image": f"{name}.png", "caption": f"a {name}"} for name in ("cat", "red")]
        actual = read(jsonl(folder / "a.jsonl", *rows), folder)
        with pytest.raises(UserError, match=r"red.png has 3 channels, and .*cat.png has 1: choose"):
            actual.channels()

    def test_no_folder(self, folder):
        path = jsonl(folder / "a.jsonl", {"image": "cat.png", "caption": "a cat"})
        refused(path, "nowhere/photos is not a folder", folder="nowhere")

    @pytest.mark.parametrize(
        "rows", [[], [np.zeros((3, 2))], [(np.zeros((3, 2)), [])], [(np.zeros((3, 2)), [" "])]]
    )
    def test_in_memory(self, rows):
        refused(rows, "data in memory")

    def test_no_table(self, folder):
        refused(folder / "photos", "photos has an unknown format")
