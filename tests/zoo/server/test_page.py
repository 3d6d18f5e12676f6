"""The page of a server, in headless Chromium: what a person gives there is answered there."""

import base64
import html
import json
import re
from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf

import zoo
from export.task_serving import open_task
from tests.browser import browsing, visit
from tests.tasks.cases import CASES
from tests.tasks.cases.files import wav
from tests.tasks.harness import Subject
from tests.zoo.server.serving import serving
from tests.zoo.server.test_server import LENGTHS
from zoo.attention_map import visible
from zoo.server.opening import servable_of
from zoo.server.servable import Servable, Tensor
from zoo.tasks.measured_on import MeasuredOn

pytestmark = [browsing, pytest.mark.thorough]
QUICKER = ("text_classifier", "causal_lm")  # those of the others are left to releases

TYPED = """
document.querySelector("textarea").value = {};
document.querySelector("form").requestSubmit();
"""
DROPPED = """
const transfer = new DataTransfer();
const content = Uint8Array.from(atob({}), (each) => each.charCodeAt(0));
transfer.items.add(new File([content], {}));
document.querySelector("form").dispatchEvent(new DragEvent("drop", {{ dataTransfer: transfer }}));
"""
RECORDED = """
const pause = (time) => new Promise((done) => setTimeout(done, time));
(async () => {
  const button = document.querySelector("button.second");
  button.click();
  while (button.textContent !== "Stop") await pause(20);
  await pause(700);
  button.click();
})();
"""


def typed(text):
    return TYPED.format(json.dumps(text))


def dropped(content, name):
    encoded = base64.b64encode(content).decode()
    return DROPPED.format(json.dumps(encoded), json.dumps(name))


def shown_by(servable, script):
    """What the page has below its form after a script, as HTML."""
    with serving(servable, script=script) as client:
        actual = visit(f"http://127.0.0.1:{client.port}/scripted")
        assert visit(f"http://127.0.0.1:{client.port}/").console == []
    assert actual.console == []
    return re.search('<form id="ask".*?</main>', actual.dom, re.DOTALL)[0]


def of_run(task):
    return servable_of("model", open_task(task), task)


def warmed(servable, function):
    """The servable after a first call, for which the browser does not wait."""
    function(servable)
    return servable


@pytest.fixture
def subject(request, tmp_path):
    return Subject(CASES[request.param], tmp_path / "task")


def of(name):
    marks = [] if name in QUICKER else [pytest.mark.long]
    return pytest.mark.parametrize("subject", [pytest.param(name, marks=marks)], indirect=True)


@of("text_classifier")
def test_a_label_with_its_scores(subject):
    text = subject.case.texts[0]
    (label,) = subject.served.predict([text])
    (scores,) = subject.served.predict_proba([text])
    shown = shown_by(of_run(subject.served), typed(text))
    assert f'<p class="text">{label}</p>' in shown
    numbers = [float(x) for x in re.findall(r'class="number">([\d.]+)<', shown)]
    assert numbers == pytest.approx(sorted(map(float, scores), reverse=True), abs=1e-3)


@of("text_classifier")
def test_an_example_that_is_clicked_is_answered(subject):
    task = subject.served
    task.metrics, task.evaluated_on = {"macro_f1": 0.78125}, MeasuredOn("test.csv")
    text = next(x for x in task.examples["text"] if len(x) < 300)
    (label,) = task.predict([text])
    servable = of_run(task)
    with serving(servable, script='document.querySelector(".examples button").click();') as client:
        actual = visit(f"http://127.0.0.1:{client.port}/scripted")
    assert actual.console == []
    (lead,) = re.findall('<p class="lead">(.*?)</p>', actual.dom)
    assert (
        lead.endswith("Macro F1 0.781 on test.csv.") and f"{len(task.settings.labels)} lab" in lead
    )
    assert f'<p class="text">{label}</p>' in actual.dom
    shown = re.findall('<button type="button">(.*?)</button>', actual.dom)
    assert html.unescape(shown[0]) == text and len(shown) <= 3


def test_labels_and_names_are_text():
    label = "</script><img src=x onerror=\"document.title='run'\">\u202e\u2028 ${title} $facts"
    task = zoo.TextClassifier()
    rows = [("good", label), ("bad", "<!--<script>")] * 8
    task.adapt(rows)
    task.fit(rows, epochs=1, verbose=False)
    task.predict(["good"])  # the browser does not wait for the first call
    servable = servable_of("50%25? #1 <b>&amp;$facts", open_task(task), task)
    with serving(servable, script=typed("good <b onclick=1> $facts")) as client:
        actual = visit(f"http://127.0.0.1:{client.port}/scripted")
    assert actual.console == []
    assert "<title>50%25? #1 &lt;b&gt;&amp;amp;$facts</title>" in actual.dom
    answer = re.search('<div id="answer".*?</div></div>', actual.dom, re.DOTALL)[0]
    shown = [html.unescape(each) for each in re.findall("<bdi>(.*?)</bdi>", answer, re.DOTALL)]
    assert sorted(shown) == sorted([label, "<!--<script>"]) and "<img" not in answer


@of("causal_lm")
def test_a_text_piece_by_piece(subject):
    actual = zip(subject.case.texts, subject.predictions, strict=True)
    text, written = next(each for each in actual if each[1].strip())
    servable = warmed(of_run(subject.served), lambda each: list(each.stream(text)))
    shown = shown_by(servable, typed(text))
    assert f'<p class="text">{html.escape(text + written)}</p>' in shown
    assert "<section hidden" not in shown and 'id="heads"' in shown


@of("text_to_text")
def test_a_translation_with_its_score_and_where_the_model_looks(subject):
    text = subject.case.texts[0]
    ((written, score),) = subject.served.candidates([text], beams=1)[0]
    servable = warmed(of_run(subject.served), lambda each: each.attention[1](text.encode()))
    shown = shown_by(servable, typed(text))
    assert f'<p class="text">{written}</p>' in shown
    assert f"score {score:.3f}: the sum of the log-probabilities of its tokens, in nats<" in shown
    (tokens,) = re.findall('<span class="from">(.*?)</span>', shown)
    assert re.findall("<bdi.*?>(.*?)</bdi>", tokens) == [*written.split(), "⊣"]


def png(image):
    return tf.io.encode_png(image.reshape(*image.shape[:2], -1)).numpy()


@of("image_classifier")
def test_a_dropped_image_is_classified(subject):
    task, image = subject.served, subject.case.texts[0]
    shown = shown_by(of_run(task), dropped(png(image), "a.png"))
    assert f'<p class="text">{task.predict([image])[0]}</p>' in shown
    assert shown.count("<progress") == len(task.labels) and 'src="blob:' in shown


@of("image_captioner")
def test_a_caption_has_an_image_of_each_token(subject):
    task, image = subject.served, subject.case.texts[0]
    content = png(image)
    servable = warmed(of_run(task), lambda each: each.attention[1](content))
    shown = shown_by(servable, dropped(content, "a.png"))
    assert f'<p class="text">{task.predict([image])[0]}</p>' in shown
    tokens = re.findall("<canvas.*?</canvas><figcaption>(.*?)</figcaption>", shown)
    assert tokens == [visible(each.token) for each in task.attention_by_token(image)]
    assert "the image is bright where the model looks" in shown


@of("speech_recognizer")
def test_a_recording_that_is_dropped_or_made(subject, tmp_path):
    task, servable = subject.served, of_run(subject.served)
    path = wav(tmp_path / "a.wav", subject.case.texts[0])
    shown = shown_by(servable, dropped(path.read_bytes(), "a.wav"))
    (said,) = task.predict([path])
    assert said and f'<p class="text">{said}</p>' in shown and "confidence 0." in shown
    shown = shown_by(servable, RECORDED)
    assert '<audio controls="" src="blob:' in shown and "confidence 0." in shown
    assert '<span id="state" role="status" class="">' in shown and ">Record</button>" in shown


@of("series_forecaster")
def test_a_table_has_a_forecast_as_a_curve_and_in_numbers(subject):
    task, values = subject.served, np.round(6 + np.sin(np.arange(19.0)), 3)
    (forecast,) = task.predict([values])
    rows = "".join(f"{value},day {n}\n" for n, value in enumerate(values))
    shown = shown_by(of_run(task), dropped(f"sales,note\n{rows}".encode(), "a.csv"))
    numbers = re.findall(r'<td class="number">([-\d.e+]+)</td>', shown)
    table = np.array(numbers, float).reshape(len(forecast), -1)
    np.testing.assert_allclose(table[:, 1:], forecast, rtol=1e-3)
    points = dict(re.findall('class="(past|median)" points="(.*?)"', shown))
    past, median = (points[name].split() for name in ("past", "median"))
    assert len(past) == 19 and median[0] == past[-1] and len(median[1:]) == len(forecast)


@of("series_classifier")
def test_columns_by_name_and_a_cell_that_is_no_number(subject):
    task, values = subject.served, np.asarray(subject.case.texts[0], "float32")
    lines = [f"{y:.9g},{x:.9g}" for x, y in np.nan_to_num(values)]
    servable = of_run(task)
    shown = shown_by(servable, typed("\n".join(["ay,ax", *lines])))
    assert f'<p class="text">{task.predict([np.nan_to_num(values)])[0]}</p>' in shown
    shown = shown_by(servable, typed("ay,ax\n1,2\n1,two"))
    assert ">line 3: two is not a number</span>" in shown


@of("node_classifier")
def test_a_label_of_each_node(subject):
    graph = {"edges": [[0, 1], [1, 0]], "nodes": [[1, 0, 0, 1, 0], [0, 2, 0, 0, 1]]}
    servable = of_run(subject.served)
    signature = servable.signatures["serving_default"]
    inputs = {name: np.array(x, signature.inputs[name].dtype) for name, x in graph.items()}
    scores = signature.run(inputs)["scores"]
    areas = "".join(
        f'document.querySelector("[name={name}]").value = {json.dumps(json.dumps(x))};\n'
        for name, x in graph.items()
    )
    shown = shown_by(servable, areas + 'document.querySelector("form").requestSubmit();')
    rows = re.findall("<tr>" + 3 * '<td class="number">(.*?)</td>' + "</tr>", shown)
    assert rows == [
        (str(n), servable.labels[row.argmax()], f"{row.max():.3f}") for n, row in enumerate(scores)
    ]


def test_nothing_is_taken_for_html():
    """Neither names, nor labels, nor what is typed, nor what is answered."""
    evil = "<img src=x onerror=document.title=1>"
    text = Tensor("string", ("batch",), (None,), None, evil)
    echo = replace(
        LENGTHS,
        purpose=evil,
        outputs={"text": text, evil: text},
        run=lambda arrays: {"text": arrays["text"], evil: arrays["text"]},
    )
    servable = Servable("model", {"serving_default": echo}, task=evil, labels=[evil])
    shown = shown_by(servable, typed(evil))
    assert f'<p class="text">{html.escape(evil)}</p>' in shown
    assert evil not in shown.split('<script type="application/json"')[0]
