"""The gallery of a report: images of every label."""

import re
from types import SimpleNamespace

import numpy as np

from zoo.data.examples import ExampleRow
from zoo.metrics.labels import LabelPredictions
from zoo.report import gallery, images
from zoo.report.examples import Shown
from zoo.tasks.parts import Pictures

LABELS = [f"<{name}>" for name in "abc"]
TASK = SimpleNamespace(
    parts=SimpleNamespace(pictures=Pictures.IMAGES),
    preprocessor=SimpleNamespace(shape=SimpleNamespace(channels=1)),
)


def shown(true, predicted):
    rows = LabelPredictions([LABELS[i] for i in true], [LABELS[i] for i in predicted], LABELS)
    named = [ExampleRow(f"{i}.png", np.full((4, 3, 1), i, "uint8"), None) for i in range(len(true))]
    return Shown([], rows, named)


def test_every_label_has_images_and_wrong_ones_say_what_they_are_taken_for():
    true = [0] * 9 + [2] * 2
    predicted = [0, 2, 0, 2, 0, 2, 2, 0, 0, 2, 0]
    page = gallery.section(TASK, shown(true, predicted))
    names = re.findall("<h3>.*?&lt;(.)&gt;.*?</h3>", page)
    assert names == ["a", "c"]  # no image has the label b
    first, second = page.split("<h3>")[1:]
    captions = [re.findall(r'<figcaption class="(\w+)">', part) for part in (first, second)]
    assert captions == [["wrong"] * 3 + ["right"] * 2, ["wrong", "right"]]
    assert "✗ predicted: &lt;c&gt;" in first and "✗ predicted: &lt;a&gt;" in second
    expected = [images.encoded(np.full((4, 3, 1), number)) for number in (1, 3, 5, 0, 2)]
    assert re.findall('<image href="([^"]+)"', first) == expected


def test_other_inputs_have_no_gallery():
    texts = SimpleNamespace(parts=SimpleNamespace(pictures=None))
    assert gallery.section(texts, shown([0], [0])) == ""
    assert gallery.section(TASK, Shown([])) == ""


def test_large_images_are_shrunk_to_means():
    pixels = np.arange(7 * 5 * 2, dtype="float64").reshape(7, 5, 2)
    actual = images.shrunk(pixels, 3)  # squares of 3: 2 rows and 1 column
    expected = [[pixels[3 * r : 3 * r + 3, :3].mean(axis=(0, 1))] for r in range(2)]
    np.testing.assert_allclose(actual, expected)
    np.testing.assert_array_equal(images.shrunk(pixels, 7), pixels)
    assert images.shrunk(np.zeros((2, 100, 3)), 10).shape == (1, 50, 3)
