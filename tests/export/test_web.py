"""The folder of a page: what is in it, what is replaced, and what is left alone."""

import json

import keras
import numpy as np
import pytest

import export
from export.formats.web import MODEL
from tests.export.parts import Tensor, of_features
from tests.export.tasks import Task

PIXELS = (5, 7, 3)


class Page(Task):
    """Images of one size -> classes, with a page."""

    def __init__(self, fault=0.0):
        image = keras.Input(PIXELS, name="image")
        x = keras.layers.Flatten()(image)
        super().__init__(keras.Model(image, keras.layers.Dense(4)(x)), "images")
        self.fault, self.names, self.asked = fault, ["index.html", "model.js"], []

    def web_page(self):
        return self

    def length(self, **generation):
        return None

    def files(self, parts, title, length, **generation):
        assert parts.strings
        self.asked.append((title, length, generation))
        return {name: f"{name} of {title}\n" for name in self.names}

    def signatures(self, text, litert=False, length=None):
        wrong = self.fault if litert else 0.0
        image = {"image": Tensor(("batch", *PIXELS), "float32")}
        parts = of_features(
            image, lambda image: {"logits": self.model(image) + wrong}, {"logits": ("batch", 4)}
        )
        return {"serving_default": parts}

    def probes(self, **generation):
        random = np.random.default_rng(2)
        return {"serving_default": [{"image": random.normal(size=(3, *PIXELS)).astype("float32")}]}


def test_the_folder_is_verified_with_the_files_of_its_page(tmp_path):
    site, page = tmp_path / "site", Page()
    report = export.web(page, site)
    assert report.passed and report.path == site and page.asked == [("site", None, {})]
    entry = json.loads((site / "manifest.json").read_text())["artifacts"][MODEL]
    assert entry["fixed"] == {"batch": 1, "length": None, "text_size": None}
    listed = {MODEL, "manifest.json", entry["probes"], *entry["beside"]}
    assert {path.name for path in site.iterdir()} == listed
    assert {path.name for path in tmp_path.iterdir()} == {"site"}
    assert export.verify(site).passed
    (site / "index.html").write_text("another page")
    assert [check.name for check in export.verify(site).failed] == ["sha256 index.html"]


@pytest.mark.thorough
def test_what_is_not_of_the_export_stays(tmp_path):
    site, page = tmp_path / "site", Page()
    export.web(page, site)
    before = json.loads((site / "manifest.json").read_text())["artifacts"][MODEL]["probes"]
    (site / "node_modules").mkdir()
    (site / "node_modules" / "x.js").write_text("x")
    (site / "logo.svg").write_text("a logo")
    (site / "link").symlink_to(tmp_path)
    page.names = ["index.html", "page.css"]
    page.model.weights[0].assign(2 * page.model.weights[0])
    export.web(page, site)
    names = {path.name for path in site.iterdir()}
    assert {"node_modules", "logo.svg", "page.css"} <= names
    assert not {"model.js", before} & names
    assert (site / "node_modules" / "x.js").read_text() == "x" and (site / "link").is_symlink()
    assert export.verify(site).passed


@pytest.mark.thorough
def test_a_file_that_differs_is_not_written(tmp_path):
    site, page = tmp_path / "site", Page(fault=0.1)
    with pytest.raises(export.VerificationError):
        export.web(page, site)
    assert {path.name for path in tmp_path.iterdir()} == {"site.report.json"}
    assert json.loads((tmp_path / "site.report.json").read_text())["path"] == str(site)


def test_what_is_refused(tmp_path):
    with pytest.raises(ValueError, match="A page needs a task, .*received Functional"):
        export.web(Page().model, tmp_path / "site")
    (tmp_path / "file").write_text("a file")
    with pytest.raises(ValueError, match="is a file: a page needs a folder"):
        export.web(Page(), tmp_path / "file")
    with pytest.raises(ValueError, match="holds files that were not exported here"):
        export.web(Page(), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"file"}
