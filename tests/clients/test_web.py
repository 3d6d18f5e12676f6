"""The page that `export.web` writes gives the task's answers, in headless Chromium."""

import base64
import io
import json
import subprocess
import zipfile
from datetime import date
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from openpyxl import Workbook

import export
import zoo
from tests.browser import browsing, visit
from tests.clients.serving import PACKAGES, needs_packages, sent_by
from tests.tasks.cases import CASES
from tests.tasks.cases.files import wav
from tests.tasks.harness import Subject
from zoo.attention_map import visible

pytestmark = [pytest.mark.thorough, browsing, needs_packages]
LENGTH = 13  # tokens of a text
QUICKER = ("text_classifier", "text_to_text", "question_answering")

RUN = "parent.document.title=1"  # what a page must not run
DRIVER = Path(__file__).with_name("driver.html").read_text("utf-8")


def of(*names):
    subjects = [
        name if name in QUICKER else pytest.param(name, marks=pytest.mark.long) for name in names
    ]
    return pytest.mark.parametrize("subject", subjects, indirect=True)


@pytest.fixture
def subject(request, tmp_path):
    return Subject(CASES[request.param], tmp_path / "subject")


def answers(subject, tmp_path, rows, **options):
    """What the page of a task shows for each row of its form."""
    site = tmp_path / "site"
    assert export.web(subject.served, site, **options).passed
    (site / "rows.json").write_text(json.dumps(rows))
    sent = sent_by(site, DRIVER)
    assert sent["refused"] == []
    assert objections([sent["begun"], *sent["found"]]) == []
    return sent["found"]


def objections(states):
    """What axe-core objects to in what a page became, and what is wider than 390 pixels."""
    return [each for state in states for each in state["objections"]]


def in_texts(subject):
    """Texts that fit, or pairs of them, and the rows of a form with them."""
    texts = [text for text in subject.case.texts if 0 < len("".join(text)) <= LENGTH]
    assert len(texts) > 1
    pairs = [(text,) if isinstance(text, str) else text for text in texts]
    return texts, [dict(zip(("text", "second"), pair, strict=False)) for pair in pairs]


@of("text_classifier", "text_classifier_pairs", "multi_task")
def test_labels_with_their_scores(subject, tmp_path):
    task, (texts, rows) = subject.served, in_texts(subject)
    long = dict.fromkeys(rows[0], "a " * 30)
    nothing = dict.fromkeys(rows[0], "qqq")
    *actual, new, cut = answers(subject, tmp_path, [*rows, nothing, long], length=LENGTH)
    for text, shown in zip(texts, actual, strict=True):
        assert shown["texts"] == task.predict([text]) and shown["notes"] == []
        (scores,) = task.predict_proba([text])
        best = sorted(zip(scores.tolist(), task.labels, strict=True), reverse=True)
        assert shown["labels"] == [label for _, label in best]
        assert shown["numbers"] == pytest.approx([score for score, _ in best], abs=1e-3)
        (first, _), (second, _) = best[:2]
        assert len(shown["unsure"]) == (first - second < 0.1)
        looks = task.attention(text)[0].source_tokens if subject.case.head else []
        assert shown["to"] == [visible(token) for token in looks]
    assert cut["notes"][0] == "The text is too long: a part of it was left out."
    knows_nothing = ["the model knows nothing in it" in note for note in new["notes"]]
    assert knows_nothing == ([True] if "unknown" in outputs_of(tmp_path / "site") else [])


def outputs_of(site):
    """The names of the outputs of the artifact of a page."""
    (entry,) = json.loads((site / "manifest.json").read_text())["artifacts"].values()
    return entry["signatures"]["serving_default"]["outputs"]


@of("text_classifier_labels")
def test_labels_above_the_threshold_are_marked(subject, tmp_path):
    task, (texts, rows) = subject.served, in_texts(subject)
    actual = answers(subject, tmp_path, rows, length=LENGTH)
    for labels, shown in zip(task.predict(texts), actual, strict=True):
        assert sorted(shown["chosen"]) == sorted(labels)
        assert shown["notes"][-1].startswith("A label is chosen from 0.")


@of("text_embedder")
def test_texts_are_compared_with_earlier_ones(subject, tmp_path):
    texts, rows = in_texts(subject)
    actual = answers(subject, tmp_path, rows, length=LENGTH)
    vectors = subject.served.predict(texts)
    assert actual[0]["labels"] == []
    for last in range(1, len(texts)):
        shown = dict(zip(actual[last]["labels"], actual[last]["numbers"], strict=True))
        for text, vector in zip(texts[:last], vectors, strict=False):
            cosine = np.dot(vector, vectors[last]) / np.prod(
                [np.linalg.norm(each) for each in (vector, vectors[last])]
            )
            assert shown[text] == pytest.approx(cosine, abs=2e-3)


@of("masked_lm")
def test_masks_are_filled_and_the_model_shows_where_it_looks(subject, tmp_path):
    task, texts = subject.served, [text for text in subject.case.texts if "[MASK]" in text]
    texts.append("the([MASK]) mat[MASK][MASK]")
    actual = answers(subject, tmp_path, [{"text": text} for text in texts])
    for text, shown in zip(texts, actual, strict=True):
        assert shown["texts"] == task.predict([text])
        last = task.attention(text)[-1]
        assert shown["from"] == shown["to"] == [visible(token) for token in last.source_tokens]
    first = task.attention(texts[-1], part="encoder")[0].mean()[0]
    assert actual[-1]["weights"] == pytest.approx(first, abs=0.01)


@of("denoising")
def test_a_corrupted_text_is_restored(subject, tmp_path):
    """And the model shows where it looks, as of text-to-text."""
    task, texts = subject.served, subject.case.texts
    *actual, cut = answers(subject, tmp_path, [{"text": text} for text in [*texts, "bird " * 30]])
    for text, restored, shown in zip(texts, task.predict(texts), actual, strict=True):
        assert shown["texts"] == [restored or "(an empty text)"]
        assert shown["to"] == [visible(x) for x in task.attention(text)[0].source_tokens]
    assert "The text is too long: a part of it was left out." in cut["notes"]


@of("text_to_text")
def test_a_translation_with_its_score_and_attention(subject, tmp_path):
    task, (texts, rows) = subject.served, in_texts(subject)
    actual = answers(subject, tmp_path, rows, length=LENGTH, beams=4)
    for text, shown in zip(texts, actual, strict=True):
        written, score = task.candidates([text], beams=4)[0][0]
        assert shown["texts"] == [written or "(an empty text)"]
        *_, note = shown["notes"]  # behind that of a question that was cut
        assert float(note.split()[1].rstrip(":")) == pytest.approx(score, abs=0.01)
        assert shown["from"][:-1] == [visible(token) for token in written.split()]
        assert shown["to"] == [visible(x) for x in task.attention(text)[0].source_tokens]


@of("causal_lm")
def test_a_prompt_is_continued(subject, tmp_path):
    """Token by token, with a state that stays in the browser."""
    texts, rows = in_texts(subject)
    *actual, cut = answers(subject, tmp_path, [*rows, {"text": "to be " * 9}], length=LENGTH)
    for text, written, shown in zip(texts, subject.served.predict(texts), actual, strict=True):
        assert shown["texts"] == [text + written] and shown["notes"] == []
    assert cut["notes"] == ["The text is too long: a part of it was left out."]
    facts = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert '"stream": true' in facts or '"stream":true' in facts


@of("token_tagger")
def test_tags_over_their_words(subject, tmp_path):
    """Words are separated by ASCII whitespace only; those that are left out have no tag."""
    spaces = "\u00a0\u2003\u3000\u0085\x1c\x1f\u200b\ufeff"
    texts = [*in_texts(subject)[0], *(f"a{space}b {space} cat{space}" for space in spaces)]
    *actual, cut = answers(subject, tmp_path, [{"text": text} for text in [*texts, "a " * 99]])
    for words, shown in zip(subject.served.predict(texts), actual, strict=True):
        assert shown["tags"] == [[word, "\u00a0" if tag == "O" else tag] for word, tag in words]
    assert len(cut["tags"]) == 99 and not cut["failed"]
    assert cut["tags"][-1] == ["a", "\u00a0"]
    assert cut["notes"] == ["The text is too long: a part of it was left out."]


def dropped(content, name):
    return {"file": name, "content": base64.b64encode(content).decode()}


def png(image):
    return tf.io.encode_png(image.reshape(*image.shape[:2], -1)).numpy()


@of("question_answering")
def test_the_answer_is_marked_in_its_passage(subject, tmp_path):
    task = subject.served
    pairs = [pair for pair in subject.case.texts if len(pair[1]) <= 8 * task.settings.max_length]
    assert len(pairs) > 1
    rows = [dict(zip(("question", "passage"), pair, strict=True)) for pair in pairs]
    for pair, shown in zip(pairs, answers(subject, tmp_path, rows), strict=True):
        (expected,) = task.predict([pair])
        answer = expected["text"]
        assert shown["texts"] == ([answer, pair[1]] if answer else ["(no answer)"])
        assert shown["marked"] == ([answer] if answer else [])
        *_, note = shown["notes"]  # behind that of a question that was cut
        assert float(note.split()[1].rstrip(":")) == pytest.approx(expected["score"], abs=1e-3)


@of("image_classifier")
def test_an_image_of_another_size_is_classified(subject, tmp_path):
    task, images = subject.served, subject.case.texts[:2]
    images = [*images, np.kron(images[0], np.ones((3, 2, *images[0].shape[2:]), np.uint8))]
    actual = answers(subject, tmp_path, [dropped(png(each), "a.png") for each in images])
    for shown, scores in zip(actual, task.predict_proba(images), strict=True):
        assert shown["numbers"] == pytest.approx(sorted(map(float, scores))[::-1], abs=2e-3)


@of("image_classifier")
def test_several_images_become_a_table(subject, tmp_path):
    """A file that is none says so in its row; the page of an image stays one of an image.

    The pixels of a JPEG file are those that the library reads.
    """
    task, images = subject.served, subject.case.texts[:3]
    noise = np.random.default_rng(3).integers(0, 256, (53, 47, 3), np.uint8)
    photo = tf.io.encode_jpeg(noise, quality=40).numpy()
    (tmp_path / "3.jpg").write_bytes(photo)
    contents = {f"{n}.png": png(each) for n, each in enumerate(images)} | {"3.jpg": photo}
    files = {name: dropped(each, name)["content"] for name, each in contents.items()}
    given = {**dropped(b"no image", "broken.png"), "more": files}
    table, shown = answers(subject, tmp_path, [given, dropped(png(images[0]), "a.png")])
    head, broken, *rows = table["rows"]
    assert head == ["file", "error", "prediction", "score"] and table["said"] == "5 files"
    assert broken[0] == "broken.png" and "is no image" in broken[1] and broken[2:] == ["", ""]
    wanted = [*images, str(tmp_path / "3.jpg")]
    several = zip(rows, files, task.predict(wanted), task.predict_proba(wanted), strict=True)
    for cells, name, label, scores in several:
        assert cells[:3] == [name, "", label]
        assert float(cells[3]) == pytest.approx(max(scores), abs=2e-4)
    assert table["links"] == ["files.answers.csv"]
    assert len(shown["labels"]) == len(task.labels) and shown["links"] == []


@of("image_classifier")
def test_files_that_are_no_images_are_refused_in_words(subject, tmp_path):
    task, image = subject.served, png(subject.case.texts[0])
    evil = f"<img src=x onerror={RUN}>"
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' onload='{RUN}'><script>{RUN}</script></svg>"
    huge = image[:16] + (60_000).to_bytes(4, "big") * 2 + image[24:]
    wrong = [b"", b"a text", svg.encode(), huge, image[: len(image) // 2], b"<script>" + image]
    rows = [dropped(content, f"{evil}.png") for content in wrong]
    *refused, shown = answers(subject, tmp_path, [*rows, dropped(image, "a.png")])
    for actual in refused:
        assert actual["failed"] and actual["title"] == "", actual
        assert actual["said"] == (
            f"{evil}.png is no image that the browser can decode: choose a PNG or JPEG file"
        )
    (scores,) = task.predict_proba(subject.case.texts[:1])
    assert shown["numbers"] == pytest.approx(sorted(map(float, scores))[::-1], abs=2e-3)


@of("speech_recognizer")
def test_files_that_are_no_recordings_or_too_long_are_refused_in_words(subject, tmp_path):
    soundfile = pytest.importorskip("soundfile")
    task, good = subject.served, wav(tmp_path / "a.wav", subject.case.texts[0])
    soundfile.write(tmp_path / "b.flac", np.zeros(1 << 24, "float32"), 8000)
    wrong = [b"", b"a text", good.read_bytes()[:30], (tmp_path / "b.flac").read_bytes()]
    rows = [dropped(content, "a.wav") for content in [*wrong, good.read_bytes()]]
    *refused, long, shown = answers(subject, tmp_path, rows)
    assert all(actual["failed"] and actual["said"] for actual in [*refused, long])
    assert long["said"].startswith("the recording is too long: choose one, of at most ")
    assert shown["texts"] == task.predict([good])


@of("text_classifier")
def test_labels_and_titles_are_text(subject, tmp_path):
    labels = [f"</script><img src=x onerror={RUN}>", "<!--<script>", "\u202e\u2028 ${title} $&"]
    task = zoo.TextClassifier()
    rows = [(word, label) for word, label in zip("abc", labels, strict=True)] * 8
    task.adapt(rows)
    task.fit(rows, epochs=1, verbose=False)
    task.save(tmp_path / "<b>&amp;")
    site = tmp_path / f"<img src=x onerror={RUN}>"
    assert export.web(zoo.load(tmp_path / "<b>&amp;"), site).passed
    (site / "rows.json").write_text(json.dumps([{"text": f"a <img src=x onerror={RUN}> $&"}]))
    sent = sent_by(site, DRIVER)
    assert sent["refused"] == []
    assert sorted(sent["found"][0]["labels"]) == sorted(labels)
    assert sent["found"][0]["title"] == ""


@of("image_classifier_labels")
def test_the_labels_of_an_image_and_their_scores(subject, tmp_path):
    task, images = subject.served, subject.case.texts
    actual = answers(subject, tmp_path, [dropped(png(each), "a.png") for each in images])
    several = zip(actual, task.predict(images), task.predict_proba(images), strict=True)
    for shown, labels, scores in several:
        assert shown["texts"] == ["|".join(labels) or "(an empty text)"]
        assert shown["numbers"] == pytest.approx(sorted(map(float, scores))[::-1], abs=2e-3)


@of("image_regressor")
def test_the_values_of_an_image_with_their_names(subject, tmp_path):
    task, images = subject.served, subject.case.texts
    actual = answers(subject, tmp_path, [dropped(png(each), "a.png") for each in images])
    for shown, values in zip(actual, task.predict(images), strict=True):
        assert shown["header"] == [*values]
        cells = [float(each) for each in shown["cells"]]
        assert cells == pytest.approx([*values.values()], rel=1e-3, abs=1e-3)


@of("image_captioner")
def test_a_caption_and_where_the_model_looks(subject, tmp_path):
    task, image = subject.served, subject.case.texts[0]
    (shown,) = answers(subject, tmp_path, [dropped(png(image), "a.png")])
    assert shown["texts"] == task.predict([image])
    assert shown["captions"] == [visible(each.token) for each in task.attention_by_token(image)]


@of("series_forecaster")
def test_a_series_shorter_than_the_context_is_forecast(subject, tmp_path):
    values = np.round(6 + np.sin(np.arange(5.0)), 3)
    (shown,) = answers(subject, tmp_path, [{"values": "\n".join(map(str, values))}])
    (forecast,) = subject.served.predict([values])
    table = np.reshape(shown["cells"], (len(forecast), -1))
    np.testing.assert_allclose(table[:, 1:], forecast, rtol=1e-3)


@of("series_forecaster")
def test_a_table_is_forecast_by_the_names_of_its_columns_and_with_its_dates(subject, tmp_path):
    task, values = subject.served, np.round(6 + np.sin(np.arange(15.0)), 3)
    rows = [f"drizzle,{value},1/{n + 2}/2024,7" for n, value in enumerate(values)]
    rows += ["drizzle,,1/17/2024,7", ",,1/18/2024,"]  # steps to forecast
    (shown,) = answers(subject, tmp_path, [{"values": "\n".join(["sky,sales,date,wind", *rows])}])
    (forecast,) = task.predict([values])
    table = np.reshape(shown["cells"], (len(forecast), -1))
    np.testing.assert_allclose(table[:, 1:].astype(float), forecast, rtol=1e-3)
    cells = table[:, 1:].astype(float)  # with two decimals more than the values
    assert (cells == cells.round(5)).all() and (cells != cells.round(4)).any()
    assert shown["steps"] == ["2024-01-17", "2024-01-18", "2024-01-19"]
    assert shown["notes"] == ["Not used: sky, wind."]
    assert shown["ends"] == ["2024-01-02", "2024-01-19"]
    low, high = min(*values, *np.ravel(forecast)), max(*values, *np.ravel(forecast))
    ticks = [float(tick) for tick in shown["ticks"]]
    assert len(ticks) > 1 and low <= min(ticks) < max(ticks) <= high


@of("series_forecaster")
def test_a_workbook_is_read_as_the_library_reads_it(subject, tmp_path):
    """The first visible sheet, with dates, texts and formulas, and a line above the names."""
    task, values = subject.served, np.round(6 + np.sin(np.arange(15.0)), 3)
    book = Workbook()
    book.active.title, book.active.sheet_state = "notes", "hidden"
    book.active["A1"] = "not this"
    sheet = book.create_sheet("sales & more")
    sheet.append(["Sales of a shop"])
    sheet.append(["sky", "date", "sales", "rainy?"])
    for n, value in enumerate(values):
        sheet.append([f"drizzle <{n % 3}>", date(2024, 1, n + 2), float(value), n % 2 == 0])
    book.save(tmp_path / "a.xlsx")
    path = tmp_path / "a.xlsx"
    odt = io.BytesIO()
    with zipfile.ZipFile(odt, "w") as archive:
        archive.writestr("content.xml", "<a/>")
    rows = [path.read_bytes(), odt.getvalue(), path.read_bytes()[:-30]]
    given = [dropped(each, "a.xlsx") for each in rows]
    shown, *refused = answers(subject, tmp_path, given)
    assert not shown["failed"], shown["said"]
    assert [each["said"] for each in refused] == [
        "this is a spreadsheet or an archive, not text: save its table as CSV"
    ] * 2
    (forecast,) = task.predict([values])
    table = np.reshape(shown["cells"], (len(forecast), -1))
    np.testing.assert_allclose(table[:, 1:].astype(float), forecast, rtol=1e-3)
    assert shown["steps"] == ["2024-01-17", "2024-01-18", "2024-01-19"]
    assert shown["notes"] == ["Not used: sky, rainy?.", "Not read: a line above the table."]


@of("series_classifier")
def test_series_are_classified(subject, tmp_path):
    """Of several columns, and of other lengths than in training."""
    task, series = subject.served, [np.round(each, 3) for each in subject.case.texts]
    lines = ["\n".join(",".join(map(str, step)) for step in each) for each in series]
    actual = answers(subject, tmp_path, [{"values": each} for each in lines])
    for shown, label, scores in zip(
        actual, task.predict(series), task.predict_proba(series), strict=True
    ):
        assert shown["labels"][0] == label
        assert shown["numbers"] == pytest.approx(sorted(map(float, scores))[::-1], abs=2e-3)


@of("series_regressor")
def test_the_value_of_a_series_with_its_name(subject, tmp_path):
    task, series = subject.served, [np.round(each, 3) for each in subject.case.texts]
    lines = ["\n".join(",".join(map(str, step)) for step in each) for each in series]
    actual = answers(subject, tmp_path, [{"values": each} for each in lines])
    for shown, value in zip(actual, task.predict(series), strict=True):
        assert shown["header"] == ["speed"]
        assert [float(each) for each in shown["cells"]] == pytest.approx([value], rel=1e-3)


@of("speech_recognizer")
def test_a_recording_is_recognized(subject, tmp_path):
    path = wav(tmp_path / "a.wav", subject.case.texts[0])
    (shown,) = answers(subject, tmp_path, [dropped(path.read_bytes(), "a.wav")])
    assert shown["texts"] == subject.served.predict([path])


@of("text_classifier")
def test_one_file_answers_without_any_other(subject, tmp_path):
    """As the page does, and from a disk, where browsers load no modules from files."""
    task, (texts, rows), site = subject.served, in_texts(subject), tmp_path / "site"
    assert export.web(task, site, length=LENGTH).passed
    command = ["node", "one_file.mjs"]
    failed = subprocess.run(command, cwd=site, capture_output=True, text=True)
    assert failed.returncode == 1 and not (site / "one-file.html").exists()
    assert "is missing: run `npm install` in the folder of the page first" in failed.stderr
    (site / "node_modules").symlink_to(PACKAGES)
    subprocess.run(command, cwd=site, check=True, capture_output=True)
    alone = tmp_path / "alone"
    alone.mkdir()
    page = (site / "one-file.html").read_text("utf-8")
    (alone / "page.html").write_text(page, "utf-8")
    seen = visit(alone / "page.html")
    assert '<textarea name="text"' in seen.dom and 'class="error"' not in seen.dom
    assert not [line for line in seen.console if "Security Policy" in line]
    # axe-core is loaded besides
    page = page.replace("script-src blob:", "script-src 'self' blob:", 1)
    (alone / "index.html").write_text(page, "utf-8")
    (alone / "rows.json").write_text(json.dumps(rows))
    sent = sent_by(alone, DRIVER)
    assert sent["refused"] == [] and objections([sent["begun"], *sent["found"]]) == []
    for text, shown in zip(texts, sent["found"], strict=True):
        (scores,) = task.predict_proba([text])
        assert shown["numbers"] == pytest.approx(sorted(map(float, scores))[::-1], abs=1e-3)
        looks = task.attention(text)[0].source_tokens if subject.case.head else []
        assert shown["to"] == [visible(token) for token in looks]


@pytest.mark.long
@of("text_classifier")
def test_the_page_says_that_the_library_is_missing(subject, tmp_path):
    site = tmp_path / "site"
    export.web(subject.served, site, length=LENGTH)
    path = site / "model.js"
    path.write_text(path.read_text("utf-8").replace("@litertjs/core", "./missing.js"), "utf-8")
    begun = sent_by(site, DRIVER)["begun"]
    assert begun["failed"] and begun["said"].startswith("LiteRT.js is missing: run `npm install`")
