"""Images with labels from every form, and what is refused before it can do harm."""

import os
import struct
import zipfile
import zlib

import numpy as np
import pytest
from PIL import Image

from tests.tasks.cases.files import idx
from zoo.data.images.folders import check_files
from zoo.data.images.header import read_header
from zoo.data.images.read import read_images
from zoo.data.readers.column_names import ReadOptions
from zoo.errors import UserError


def pixels(height=7, width=5, channels=1, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (height, width, channels), np.uint8)


def write(path, array):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(array[..., 0] if array.shape[-1] == 1 else array).save(path)
    return path


@pytest.fixture
def folder(tmp_path):
    for label, seeds in (("cat", (1, 2)), ("dog", (3, 4, 5))):
        for seed in seeds:
            write(tmp_path / "data" / label / f"{seed}.png", pixels(seed=seed))
    return tmp_path / "data"


def refused(data, *parts, skip=False):
    with pytest.raises(UserError) as actual:
        read_images(data, ReadOptions(skip_bad_rows=skip))
    message = str(actual.value)
    assert "\n" not in message and all(str(part) in message for part in parts), message


class TestForms:
    def test_a_folder_for_each_label(self, folder):
        (folder / "notes.txt").write_text("ignored")
        (folder / "cat" / ".hidden.png").write_bytes(b"")
        actual = read_images(folder)
        assert actual.labels == ["cat", "cat", "dog", "dog", "dog"]
        assert [os.path.basename(path)[0] for path in actual.images] == list("12345")
        assert set(actual.shapes) == {(7, 5, 1)}
        assert str(actual).endswith("5 images with 2 labels; width x height 5x7 (5)")

    def test_several_folders_are_joined(self, folder, tmp_path):
        write(tmp_path / "more" / "cow" / "a.JPG", pixels(11, 13, 3))
        actual = read_images([folder, tmp_path / "more"])
        assert actual.labels[-1] == "cow" and actual.shapes[-1] == (11, 13, 3)

    @pytest.mark.parametrize("compressed", [False, True])
    def test_idx_files(self, tmp_path, compressed):
        import gzip

        images, labels = pixels(7, 5, 3).transpose(2, 0, 1), np.array([4, 0, 4])
        path = idx(tmp_path / "train-images-idx3-ubyte", images)
        idx(tmp_path / "train-labels-idx1-ubyte", labels)
        if compressed:
            (tmp_path / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
            path = tmp_path / f"{path.name}.gz"
        for data in (path, tmp_path):  # the labels lie beside, not compressed
            actual = read_images(data)
            np.testing.assert_array_equal(np.stack(actual.images)[..., 0], images)
            assert actual.labels == ["4", "0", "4"]

    def test_npz_files_with_names_of_classes(self, tmp_path):
        x, y = pixels(2, 5, 3).reshape(2, 5, 3), np.array([1, 0])
        np.savez(tmp_path / "a.npz", x_train=x, y_train=y, classes=["no", "yes"])
        actual = read_images(tmp_path / "a.npz")
        assert actual.labels == ["yes", "no"] and actual.shapes == [(5, 3, 1)] * 2
        np.testing.assert_array_equal(actual.images[1][..., 0], x[1])

    def test_rows_of_a_program(self, folder):
        actual = read_images([(pixels(channels=4) / 3, 7), (pixels()[..., 0], "b")])
        assert actual.labels == ["7", "b"]
        assert [x.dtype.name for x in actual.images] == ["float32", "uint8"]
        assert [shape.channels for shape in actual.shapes] == [3, 1]
        assert read_images([(folder / "cat" / "1.png", "x")]).shapes == [(7, 5, 1)]

    def test_equal_images_stay_on_one_side_of_a_split(self):
        rows = [(pixels(seed=i % 7), "ab"[i % 7 % 2]) for i in range(21)]
        train, held = read_images(rows).split(0.3, seed=1)
        assert len(held.images) == 6 and len(train.images) == 15 and len(train.shapes) == 15
        assert not {x.tobytes() for x in train.images} & {x.tobytes() for x in held.images}


class TestRefused:
    def test_unreadable_images_are_named_and_skipped_on_request_only(self, folder):
        whole = (folder / "dog" / "3.png").read_bytes()
        (folder / "dog" / "3.png").write_bytes(whole[:-20])
        (folder / "dog" / "4.png").write_bytes(b"no image")
        what = "2 images cannot be read: 3.png, 4.png; use skip_bad_rows=True to skip such images"
        refused(folder, folder / "dog" / "3.png", what)
        actual = read_images(folder, ReadOptions(skip_bad_rows=True))
        assert (
            actual.labels == ["cat", "cat", "dog"] and len(actual.images) == len(actual.shapes) == 3
        )
        assert str(actual).endswith("; 2 images that cannot be read skipped")
        reasons = [reason for _, reason in actual.bad]
        assert reasons == ["it is damaged", "it is no PNG, JPEG, WebP, GIF, BMP or TIFF file"]

    @pytest.mark.parametrize("name", ["link.png", "folder"])
    def test_a_link_out_of_the_folder(self, folder, tmp_path, name):
        write(tmp_path / "secret" / "a.png", pixels())
        if name == "folder":
            (folder / name).symlink_to(tmp_path / "secret")
        else:
            (folder / "cat" / name).symlink_to(tmp_path / "secret" / "a.png")
        refused(folder, name, "is a link out of", skip=True)  # also with --skip-bad-rows

    def test_a_png_that_declares_too_many_pixels(self, folder):
        ihdr = b"IHDR" + struct.pack(">IIBBBBB", 1 << 20, 1 << 20, 8, 0, 0, 0, 0)
        chunk = struct.pack(">I", 13) + ihdr + struct.pack(">I", zlib.crc32(ihdr))
        (folder / "cat" / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunk)
        refused(folder, "bomb.png: it declares 1,048,576 x 1,048,576 pixels; expected 1 to")

    def test_a_jpeg_that_declares_too_many_pixels(self, tmp_path):
        path = write(tmp_path / "a.jpg", pixels(17, 19, 3))
        content = path.read_bytes()
        at = content.index(b"\xff\xc0") + 5
        path.write_bytes(content[:at] + b"\xff\xff\xff\xff" + content[at + 4 :])
        assert check_files([path])[0].startswith("it declares 65,535 x 65,535 pixels")

    def test_what_is_no_file(self, tmp_path):
        os.mkfifo(tmp_path / "a.png")
        assert check_files([tmp_path / "a.png", tmp_path / "b.png"]) == [
            "it is not a file",
            "No such file or directory",
        ]

    def test_npz_files_with_pickles(self, tmp_path):
        for name, images in (("a", np.array([[[None]]])), ("b", pixels(2, 3, 3))):
            np.savez(tmp_path / f"{name}.npz", images=images, labels=np.array([{}] * len(images)))
            refused(tmp_path / f"{name}.npz", "is not an .npz file of numbers: Object arrays")

    def test_npz_files_with_members_that_are_no_arrays(self, tmp_path):
        with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
            archive.writestr("images.npy", b"text")
        refused(tmp_path / "a.npz", "'images' is not an array")

    def test_npz_files_with_text_that_is_not_unicode(self, tmp_path):
        labels = np.array([2**31 - 1], "uint32").view("<U1")
        np.savez(tmp_path / "a.npz", images=pixels()[None], labels=labels)
        refused(tmp_path / "a.npz", "'labels' has text that is not Unicode")

    @pytest.mark.parametrize(
        ("arrays", "reason"),
        [
            ({"images": pixels()}, "has no array labels; its arrays are images"),
            ({"images": pixels(2, 3, 3), "labels": [1]}, "expected labels (2,), got (1,)"),
            ({"images": np.full((2, 3, 3), 256), "labels": [1, 2]}, "from 0 to 255"),
            ({"images": np.full((2, 3, 3), np.nan), "labels": [1, 2]}, "from 0 to 255"),
            ({"images": np.ones((2, 3, 3, 2)), "labels": [1, 2]}, "(H, W, C), got (3, 3, 2)"),
            ({"images": pixels(2, 3, 3), "labels": [0, 2], "classes": ["a", "b"]}, "of its 2 cl"),
        ],
    )
    def test_npz_files_whose_arrays_do_not_fit(self, tmp_path, arrays, reason):
        np.savez(tmp_path / "a.npz", **arrays)
        refused(tmp_path / "a.npz", reason)

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            (lambda x: x[:-1], "declares 105 bytes after its header, and has 104"),
            (lambda x: x + b"0", "declares 105 bytes after its header, and has more"),
            (lambda x: x[:9], "is cut off in its header"),
            (lambda x: b"", "is not an idx file of bytes with 3 or 4 axes"),
            (lambda x: x[:2] + b"\x0d" + x[3:], "is not an idx file of bytes"),
            (lambda x: x[:4] + b"\xff" * 12 + x[16:], "expected at most 8,589,934,592"),
        ],
    )
    def test_idx_files_of_a_wrong_size(self, tmp_path, change, reason):
        path = idx(tmp_path / "images-idx3-ubyte", pixels(7, 5, 3).transpose(2, 0, 1))
        idx(tmp_path / "labels-idx1-ubyte", np.zeros(3))
        assert len(read_images(path).images) == 3
        path.write_bytes(change(path.read_bytes()))
        refused(path, path, reason)

    def test_idx_files_that_do_not_belong_together(self, tmp_path):
        path = idx(tmp_path / "images-idx3-ubyte", pixels(7, 5, 3).transpose(2, 0, 1))
        refused(path, "has no file of labels beside it: expected labels-idx1-ubyte")
        labels = idx(tmp_path / "labels-idx1-ubyte", np.zeros(4))
        refused(path, "has 4 labels, and", "has 3")
        refused(labels, "is not an idx file of bytes with 3 or 4 axes")
        idx(tmp_path / "more-images-idx3-ubyte", pixels())
        refused(tmp_path, "has several idx files of images (images-idx3-ubyte, more-images-idx3-")

    def test_gray_and_color_images_together(self, folder):
        write(folder / "dog" / "9.png", pixels(channels=3))
        with pytest.raises(UserError, match="9.png has 3 channels, and .*1.png has 1: choose with"):
            read_images(folder).channels()

    def test_what_has_no_images(self, tmp_path):
        refused(tmp_path, "has no images: expected a folder with a folder of images")
        refused(tmp_path / "nowhere", "nowhere does not exist")
        (tmp_path / "a.doc").write_text("a,b")
        refused(tmp_path / "a.doc", "has an unknown format")
        refused([3], "expected a list of (image, label)")


@pytest.mark.parametrize(
    ("mode", "suffix", "channels"),
    [
        ("L", "png", 1),
        ("RGB", "png", 3),
        ("P", "png", 3),
        ("LA", "png", 1),
        ("RGBA", "png", 3),
        ("L", "jpg", 1),
        ("RGB", "jpg", 3),
    ],
)
def test_headers_say_what_pillow_reads(tmp_path, mode, suffix, channels):
    path = tmp_path / f"a.{suffix}"
    Image.fromarray(pixels(17, 23, 3)).convert(mode).save(path)
    assert read_header(path) == (17, 23, channels) == check_files([path])[0]


def test_rows_are_named_with_the_folders_that_differ(tmp_path):
    """Cameras begin in every folder with the same names."""
    for label in ("cat", "dog"):
        write(tmp_path / "all" / label / "DSC1.png", pixels(5, 7))
    rows = read_images(tmp_path / "all").first_rows(2)
    assert [row.name for row in rows] == [f"cat{os.sep}DSC1.png", f"dog{os.sep}DSC1.png"]
