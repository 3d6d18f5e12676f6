"""The page of a server, in headless Chromium: what is typed there is answered there."""

import html
import re
from typing import Any

import pytest

from export.serving import open_task
from tests.browser import browsing, visit
from tests.tasks.cases import CASES
from tests.tasks.harness import Subject
from tests.zoo.server.serving import serving
from zoo.server.live import live
from zoo.server.servable import Servable, served

pytestmark = [browsing, pytest.mark.thorough]

TYPED = """
document.querySelector("textarea").value = {text!r};
document.querySelector("form").requestSubmit();
"""


def answered(task: Any, text: str) -> str:
    """What the page shows for a text."""
    opened = open_task(task)
    labels = opened.beside.get("labels.txt", "").splitlines()
    servable = Servable("model", served(opened), "1", task.name, labels, **live(task, {}))
    if servable.stream is not None:  # the browser does not wait long for the first piece
        list(servable.stream(text))
    with serving(servable, script=TYPED.format(text=text)) as client:
        found = visit(f"http://127.0.0.1:{client.port}/scripted")
        assert visit(f"http://127.0.0.1:{client.port}/").console == []
    assert found.console == []
    return re.search('id="answer".*?</main>', found.dom, re.DOTALL)[0]


def test_a_label_with_its_score(tmp_path):
    subject = Subject(CASES["text_classifier"], tmp_path / "task")
    text = subject.case.texts[0]
    (label,) = subject.served.predict([text])
    (scores,) = subject.served.predict_proba([text])
    shown = answered(subject.served, text)
    assert f'<p class="text">{label}</p>' in shown
    numbers = [float(x) for x in re.findall(r'class="number">([\d.]+)<', shown)]
    assert numbers == pytest.approx(sorted(map(float, scores), reverse=True), abs=1e-3)


def test_a_text_piece_by_piece(tmp_path):
    subject = Subject(CASES["causal_lm"], tmp_path / "task")
    found = zip(subject.case.texts, subject.predictions, strict=True)
    text, written = next(each for each in found if each[1].strip())
    shown = answered(subject.served, text)
    assert f'<p class="text">{html.escape(text + written)}</p>' in shown
    assert "<section hidden" not in shown and 'id="heads"' in shown
