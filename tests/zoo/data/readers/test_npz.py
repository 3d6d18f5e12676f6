"""Labels in `.npz` files, as texts and as bytes: UTF-8, or refused in one sentence."""

import numpy as np
import pytest

from zoo.data.graphs.read import read_graphs
from zoo.data.images.read import read_images
from zoo.data.series.labeled import read_labeled_series
from zoo.errors import UserError

LABELS = ["\u00e9", "b\u4f60", "b"]
READERS = {
    "graphs": (lambda path: read_graphs(path).graphs[0].labels, {"edges": np.zeros((2, 0), int)}),
    "images": (lambda path: read_images(path).labels, {"images": np.zeros((3, 4, 4), "uint8")}),
    "series": (lambda path: read_labeled_series(path).labels, {"x": np.zeros((3, 5))}),
}


@pytest.fixture(params=READERS)
def reader(request, tmp_path):
    """Reads the labels of a file that is written with some."""
    read, others = READERS[request.param]
    path = tmp_path / "a.npz"
    name = "y" if request.param == "series" else "labels"

    def labels_of(labels):
        np.savez(path, **others, **{name: np.array(labels)})
        return [*read(path)]

    return labels_of


def test_texts_and_their_bytes_are_the_same_labels(reader):
    assert reader(LABELS) == LABELS
    assert reader([label.encode() for label in LABELS]) == LABELS


@pytest.mark.parametrize("wrong", [b"a\xff", b"\xed\xa0\x80", "a\ud800", "\udfff"])
def test_what_is_no_text_is_refused_by_its_name(reader, wrong):
    with pytest.raises(UserError, match="has text that is not (UTF-8|Unicode)") as actual:
        reader([wrong, wrong, wrong])
    assert "\n" not in str(actual.value)
