import functools

import pytest

from zoo.demo import dates
from zoo.demo import run as demo

pytestmark = pytest.mark.thorough

pytest.importorskip("babel")
pytest.importorskip("matplotlib")


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("4 märz", "LATIN"),
        ("(чт) 4", "CYRILLIC"),
        ("الخميس", "ARABIC"),
        ("2021年", "CJK"),
        ("2021년", "HANGUL"),
        ("2021-03-04", ""),
    ],
)
def test_script(text, script):
    assert demo.script(text) == script


def test_chosen_rows_take_all_scripts_in_turn(tmp_path):
    rows = [("4 mai 2001", "a"), ('" quoted', "b"), ("Samstag, 4. März 2001", "c"), ("чт", "d")]
    path = tmp_path / "test.tsv"
    path.write_text("".join(f"{source}\t{iso}\n" for source, iso in rows), encoding="utf-8")
    assert [iso for _, iso in demo.chosen(path)] == ["c", "d", "a", "b"]


def test_the_demo_and_again_without_repeating_its_steps(tmp_path, monkeypatch, capsys):
    import zoo

    few = functools.partial(dates.generate, validation=40, test=40)
    monkeypatch.setattr(dates, "generate", few)
    folder = tmp_path / "demo"
    page = demo.run(folder, train=300, epochs=1)
    first = capsys.readouterr().out
    for path in ("metrics.json", "history.csv", "saved_model/1/saved_model.pb"):
        assert (folder / path).exists(), path
    assert page == folder / "report.html"
    sources = [source for source, _ in demo.chosen(folder / "data" / "test.tsv")]
    for shown in (first, page.read_text(encoding="utf-8")):
        assert all(source in shown for source in sources)

    # The artifacts predict what the model predicts.
    task = zoo.load(folder)
    assert demo.ask_saved_model(folder / "saved_model" / "1", sources) == task.predict(sources)
    assert demo.ask_litert(folder / "litert" / "dates.tflite", sources) == task.predict(sources)

    def fail(*_, **__):
        raise AssertionError("a second run must neither train nor export again")

    import export

    for module, name in ((zoo, "TextToText"), (export, "saved_model"), (export, "litert")):
        monkeypatch.setattr(module, name, fail)
    before = (folder / "litert" / "dates.tflite").stat().st_mtime_ns
    assert demo.run(folder, train=300, epochs=1) == page
    assert (folder / "litert" / "dates.tflite").stat().st_mtime_ns == before
    second = capsys.readouterr().out
    assert "Found a finished run" in second and all(source in second for source in sources)
