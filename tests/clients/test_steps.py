"""Files that generate token by token do so in headless Chromium, with LiteRT.js."""

import json
import shutil
from pathlib import Path

import pytest

import zoo.page.web
from tests.browser import browsing
from tests.clients.serving import needs_packages, sent_by

MODEL = Path(zoo.page.web.__file__).with_name("model.js")
DRIVER = Path(__file__).with_name("steps.html").read_text("utf-8")


@pytest.mark.thorough
@browsing
@needs_packages
def test_texts_token_by_token(streamed, tmp_path):
    shutil.copy(streamed.path, tmp_path / "model.tflite")
    shutil.copy(MODEL, tmp_path)
    (tmp_path / "rows.json").write_text(json.dumps([*streamed.answers]), "utf-8")
    actual = sent_by(tmp_path, DRIVER)
    assert "error" not in actual, actual
    for texts, expected in zip(actual, streamed.answers.values(), strict=True):
        assert texts[-1] == expected and sorted(texts, key=len) == texts
    assert max(map(len, actual)) > 1
