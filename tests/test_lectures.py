"""The lectures: their cells run and print what is below them, and what they name is there."""

import doctest
import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest
from matplotlib.mathtext import MathTextParser

import keras_attn
from docs import run_pages as run
from docs.lectures.pictures import coreference, style
from docs.lectures.pictures.__main__ import PICTURES
from tests import lectures
from tests.seeding import reseed
from tests.zoo.test_cli import parse

DOCS = Path(__file__).parents[1] / "docs"
FOLDER = DOCS / "lectures"
PAGES = sorted(FOLDER.glob("*.md"))
FILES = sorted((FOLDER / "pictures").glob("*.png"))
FAST = ("normalizers", "masks", "positions", "ctc-lattice")  # they train nothing
each_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)


@pytest.mark.thorough
@each_page
def test_the_cells_print_what_the_page_shows(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lectures.check_cells(path)
    reseed()


@each_page
def test_its_links_lead_somewhere(path):
    lectures.check_links(path)


@each_page
def test_its_measured_numbers_are_those_of_the_section_that_it_links(path):
    for text, target in lectures.measured(lectures.page(path)):
        name, _, anchor = target.partition("#")
        there = lectures.numbers(lectures.sections(lectures.page(path.parent / name))[anchor])
        here = lectures.numbers(text)
        assert here and {*here} <= {*there}, f"{path.name}: {text} is not in {target}"


@each_page
def test_its_formulas_can_be_set(path):
    for formula in lectures.formulas(lectures.page(path)):
        MathTextParser("path").parse(f"${' '.join(formula.split())}$")


@each_page
def test_it_says_first_what_the_reader_can_do(path):
    title, promise = lectures.page(path).split("\n\n")[:2]
    assert title.startswith("# ") and promise.startswith("After this page you can ")


def test_every_layer_that_a_page_names_as_code_is_linked_once():
    for path in PAGES:
        text = lectures.BLOCK.sub("", lectures.page(path))
        for name in keras_attn.__all__:
            assert f"`{name}`" not in text or f"layers/{name}.md" in text, f"{path.name}: {name}"


def test_the_index_has_every_page_and_each_picture_is_on_one():
    index = lectures.links(lectures.page(FOLDER / "index.md"))
    assert {path.name for path in PAGES} - {"index.md"} <= {*index}
    shown = {target for path in PAGES for target in lectures.links(lectures.page(path))}
    assert {f"pictures/{path.name}" for path in FILES} == {
        target for target in shown if target.startswith("pictures/") and target.endswith(".png")
    }


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough if name in FAST else pytest.mark.long)
        for name in PICTURES
        if name != "coreference"
    ],
)
def test_a_picture_is_drawn(name, tmp_path, monkeypatch):
    monkeypatch.setattr(style, "HERE", tmp_path)
    PICTURES[name]()
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}.png"]
    assert (tmp_path / f"{name}.png").stat().st_size > 5_000
    reseed()


@pytest.mark.thorough
@pytest.mark.skipif(find_spec(coreference.PACKAGE) is None, reason="needs all-MiniLM-L6-v2")
def test_a_head_of_minilm_looks_from_it_at_the_animal(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(style, "HERE", tmp_path)
    coreference.coreference()
    assert capsys.readouterr().out == (
        "tired: animal 0.68, street 0.05, it 0.06\nwide: animal 0.28, street 0.12, it 0.03\n"
    )
    assert (tmp_path / "coreference.png").stat().st_size > 5_000


@each_page
def test_its_commands_are_those_of_the_command_line(path):
    for command in re.findall(r"^    (keras-attn .*)$", lectures.page(path), re.MULTILINE):
        parse(shlex.split(command)[1:])


def test_each_picture_has_a_function_that_draws_it():
    assert {path.stem for path in FILES} == {*PICTURES}


def test_the_pictures_are_small():
    assert all(path.stat().st_size < 120_000 for path in FILES)
    assert sum(path.stat().st_size for path in FILES) < 1_500_000


def test_examples():
    assert doctest.testmod(lectures).failed == doctest.testmod(run).failed == 0


def test_commands_run_and_fail_as_the_page_shows(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```bash\nkeras-attn predict none a  # no run\n```\n\n```text\n```\n")
    (said,) = run.outputs(page)
    assert said.startswith("keras-attn: ") and "none" in said
    page.write_text("```bash\nkeras-attn predict none a\n```\n")
    with pytest.raises(RuntimeError, match="keras-attn predict none a: "):
        list(run.outputs(page))
    page.write_text("```bash\nrm -r none\n```\n")
    with pytest.raises(ValueError, match="commands of keras-attn only"):
        list(run.outputs(page))


def test_pictures_of_cells_are_stored_beside_the_page(tmp_path):
    page, stored = tmp_path / "page.md", tmp_path / "pictures"
    stored.mkdir()
    code = "from pathlib import Path\nfor name in 'ab':\n    Path(name + '.png').touch()\n"
    page.write_text(f"![a](pictures/a.png)\n```python\n{code}```\n")
    run.main(run.pages([str(page)]))
    assert [path.name for path in stored.iterdir()] == ["a.png"]


def test_outputs_are_replaced():
    page = "a\n```python\nprint(2)\n```\n\n```text\n1\n```\nb\n"
    assert run.with_outputs(page, ["2\n"]) == page.replace("\n1\n", "\n2\n")
    assert run.with_outputs(page, [""]) == "a\n```python\nprint(2)\n```\nb\n"
