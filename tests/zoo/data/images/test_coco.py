"""COCO's annotations are tables of images with captions, or with the names of their categories."""

import json
import logging

import numpy as np
import pytest
from PIL import Image

from zoo.data.images.captions import read_captions
from zoo.data.images.label_sets import read_label_set_images
from zoo.data.images.read import read_images
from zoo.data.inspection import inspect
from zoo.errors import UserError

CATEGORIES = [{"id": 3, "name": "cat"}, {"id": 7, "name": "dog"}]
IMAGES = [{"id": n, "file_name": f"{n}.png", "width": 8, "height": 8} for n in range(24)]


def boxed(image, category):
    return {"id": 1, "image_id": image, "category_id": category, "bbox": [1, 1, 3, 3]}


def write(folder, annotations, **more):
    for each in IMAGES:
        pixels = np.full((8, 8, 3), each["id"], "uint8")
        Image.fromarray(pixels).save(folder / each["file_name"])
    document = {"info": {}, "licenses": [], "images": IMAGES, "annotations": annotations, **more}
    (folder / "instances.json").write_text(json.dumps(document))
    return folder / "instances.json"


def test_one_category_of_each_image_is_its_label(tmp_path, caplog):
    logging.getLogger("keras_attn").propagate = True
    annotations = [boxed(n, 3 + 4 * (n % 2)) for n in range(24) for _ in range(2)]
    path = write(tmp_path, annotations, categories=CATEGORIES)
    assert read_images(path).labels == ["cat", "dog"] * 12
    assert "boxes and outlines are not read" in caplog.text
    assert inspect(path).task == "image-classifier"


def test_several_categories_are_several_labels(tmp_path):
    annotations = [boxed(n, 3) for n in range(20)] + [boxed(n, 7) for n in range(10, 20)]
    path = write(tmp_path, annotations, categories=CATEGORIES)
    sets = [("cat",)] * 10 + [("cat", "dog")] * 10 + [()] * 4
    assert read_label_set_images(path).label_sets == sets
    assert inspect(path).fits[0].options["multi_label"]


def test_captions(tmp_path):
    annotations = [{"image_id": n, "caption": f"picture {m} of {n}"} for n in (2, 5) for m in "ab"]
    actual = read_captions(write(tmp_path, annotations))
    assert actual.captions == [[f"picture {m} of {n}" for m in "ab"] for n in (2, 5)]
    assert [image.rpartition("/")[2] for image in actual.images] == ["2.png", "5.png"]
    assert inspect(tmp_path / "instances.json").task == "image-captioner"


def test_images_elsewhere_name_the_option(tmp_path):
    (tmp_path / "train").mkdir()
    (tmp_path / "annotations").mkdir()
    annotations = [{"image_id": n, "caption": "a picture"} for n in range(24)]
    path = write(tmp_path / "train", annotations).rename(tmp_path / "annotations" / "a.json")
    with pytest.raises(UserError, match="such as 0.png: name their folder with images"):
        read_captions(path)
    assert len(read_captions(path, images=str(tmp_path / "train"))) == 24


@pytest.mark.parametrize("annotations", [[{"image_id": [1]}], [{"caption": "a"}], [], "none"])
def test_other_documents_are_refused(tmp_path, annotations):
    (tmp_path / "a.json").write_text(json.dumps({"images": IMAGES, "annotations": annotations}))
    with pytest.raises(UserError, match="holds an object with the keys"):
        read_captions(tmp_path / "a.json")


def test_a_folder_is_inspected_by_its_file_of_annotations(tmp_path):
    (tmp_path / "annotations").mkdir()
    images = tmp_path / "images" / "train"
    images.mkdir(parents=True)
    annotations = [boxed(n, 3) for n in range(20)] + [boxed(n, 7) for n in range(10, 24)]
    file = write(images, annotations, categories=CATEGORIES)
    file = file.rename(tmp_path / "annotations" / "instances.json")
    actual = inspect(tmp_path)
    assert actual.path == str(file) and actual.rows == 24
    (fit,) = actual.fits
    expected = {"multi_label": True, "label_column": "label", "images": str(images)}
    assert (fit.task, fit.options) == ("image-classifier", expected)
    captions = [{"image_id": n, "caption": "a grey square"} for n in range(24)]
    document = {"images": IMAGES, "annotations": captions}
    second = tmp_path / "annotations" / "captions.json"
    second.write_text(json.dumps(document))
    (fit,) = inspect(second).fits
    assert (fit.task, fit.options) == ("image-captioner", {"images": str(images)})
    with pytest.raises(UserError, match=f"inspect one of {second}, {file}"):
        inspect(tmp_path)
