"""The models that run inside the site: they are small, can be made again, and answer rightly."""

import json

import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter
from PIL import Image

from docs import live, live_pages
from zoo.page.web_files import IMPORTS
from zoo.report.policy import digest

LARGEST = 300_000  # bytes of a file in the repository
NEW = 91  # a seed of data that no model has seen


def answering(folder):
    """A function from an input to the text that the model of a folder answers."""
    runner = Interpreter(str(folder / "model.tflite")).get_signature_runner("serving_default")
    inputs = {name: each["shape"] for name, each in runner.get_input_details().items()}

    def answer(given):
        if isinstance(given, str):
            content = given.encode()
            array = np.zeros(inputs["text_bytes"], np.int32)
            array[0, : len(content)] = [*content]
            named = {"text_bytes": array, "text_lengths": np.array([len(content)], np.int32)}
        else:
            named = {"image": given[None].astype(np.float32)}
        outputs = runner(**named)
        count = int(outputs["text_lengths"][0])
        return bytes(outputs["text_bytes"][0, :count].astype(np.uint8)).decode()

    return answer


def test_the_parts_of_each_page_are_small_and_all_there():
    assert sorted(path.name for path in live_pages.LIVE.iterdir()) == sorted(live.MODELS)
    for path in live_pages.LIVE.rglob("*.*"):
        assert path.stat().st_size < LARGEST, path


def test_messages_about_other_things_get_their_label():
    answer = answering(live_pages.LIVE / "messages")
    texts = {"where is my piano": "order", "the piano does not fit": "return"}
    texts["I paid the piano twice"] = "payment"
    assert {text: answer(text) for text in texts} == texts


def test_words_of_new_sentences_get_their_tags():
    answer = answering(live_pages.LIVE / "places")
    for words, tags in live.tagged(np.random.default_rng(NEW), 53):
        assert answer(" ".join(words)).split() == tags


def test_new_shapes_are_told_apart():
    answer = answering(live_pages.LIVE / "shapes")
    rows = live.images(np.random.default_rng(NEW), 47)
    right = [answer(image) == shape for image, shape in rows]
    assert np.mean(right) > 0.9
    for shape in live.SHAPES:  # those of the gallery
        image = np.array(Image.open(live_pages.LIVE / "shapes" / f"{shape}.png"))[..., None]
        assert answer(image) == shape


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("messages", marks=pytest.mark.thorough),
        *(pytest.param(name, marks=pytest.mark.long) for name in ("places", "shapes")),
    ],
)
def test_a_command_makes_them_again(name, tmp_path):
    live.page_of(name, tmp_path / name)
    stored = live_pages.LIVE / name
    assert sorted(each.name for each in (tmp_path / name).iterdir()) == sorted(
        each.name for each in stored.iterdir()
    )
    pages = [json.loads((each / "page.json").read_text()) for each in (stored, tmp_path / name)]
    assert pages[0] == pages[1]
    rng = np.random.default_rng(NEW)
    inputs = {
        "messages": [f"where is my {thing}" for thing in live.THINGS],
        "places": [" ".join(words) for words, _ in live.tagged(rng, 11)],
        "shapes": [image for image, _ in live.images(rng, 5)],
    }[name]
    before, after = answering(stored), answering(tmp_path / name)
    same = [before(each) == after(each) for each in inputs]
    assert np.mean(same) >= 0.9  # of another training with the same seed


def test_pages_take_their_runtime_from_the_folder_above(tmp_path, monkeypatch):
    packages = tmp_path / "packages"
    for each in live_pages.RUNTIME:
        path = packages / "@litertjs" / each
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"version": "0.0.1"}')
    monkeypatch.setattr(live_pages, "PACKAGES", packages)
    assert not live_pages.has_runtime()  # it is another version
    live_pages.write(tmp_path / "live")
    folders = sorted(each.name for each in (tmp_path / "live").iterdir())
    assert folders == sorted([*live.MODELS, "node_modules"])
    shared = IMPORTS.replace("./node", "../node")
    for name in live.MODELS:
        page = (tmp_path / "live" / name / "index.html").read_text("utf-8")
        assert shared in page and digest(shared) in page and digest(IMPORTS) not in page
        script = (tmp_path / "live" / name / "model.js").read_text("utf-8")
        assert 'at("../node_modules/@litertjs/core/wasm/")' in script
        assert (tmp_path / "live" / name / "model.tflite").exists()
    monkeypatch.setattr(live_pages, "PACKAGES", tmp_path / "nowhere")
    assert not live_pages.has_runtime()
