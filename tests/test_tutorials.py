"""The tutorials: their cells run, print and draw what is on the page, and all have one form."""

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from docs import run_pages
from tests import lectures
from tests.seeding import reseed
from tests.zoo.test_cli import parse

FOLDER = Path(__file__).parents[1] / "docs" / "tutorials"
PICTURES = FOLDER / "pictures"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "index.md")
TOLERANCE = 0.1  # of shares: other processors train to other numbers
LAST = ["What can fail", "When to use something else", "What next"]
each_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)


def difference(one: Path, other: Path) -> float:
    """The mean difference of two pictures of the same size, in shares of 255."""
    first, second = (
        np.asarray(Image.open(path).convert("RGB"), "float32") for path in (one, other)
    )
    assert first.shape == second.shape, other.name
    return float(np.abs(first - second).mean()) / 255


def ink(path: Path) -> float:
    """How far a picture is from white; that of lines alone differs little from an empty one."""
    return 1 - float(np.asarray(Image.open(path).convert("L"), "float32").mean()) / 255


@pytest.mark.thorough
@each_page
def test_the_cells_print_and_draw_what_the_page_shows(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = lectures.page(path)
    lectures.check_cells(path, TOLERANCE)
    for name in run_pages.pictures(page):  # on other machines, t-SNE puts nodes elsewhere
        assert difference(tmp_path / name, PICTURES / name) < 0.1, name
        assert 0.5 < ink(tmp_path / name) / ink(PICTURES / name) < 2, name
    reseed()


@each_page
def test_its_links_lead_somewhere(path):
    lectures.check_links(path)


@each_page
def test_it_has_the_form_of_a_tutorial(path):
    page = lectures.page(path)
    title, promise = page.split("\n\n")[:2]
    assert title.startswith("# ")
    assert promise.startswith("**For whom:** ") and "**Result:** " in promise
    assert re.findall(r"^## (.*)$", lectures.BLOCK.sub("", page), re.MULTILINE)[-3:] == LAST


@each_page
def test_its_commands_are_those_of_the_command_line(path):
    for cell in run_pages.cells(lectures.page(path)):
        if cell.language == "bash" and not (cell.printed or "").startswith("keras-attn: "):
            for words in run_pages.commands(cell.code):
                parse(words)


def test_the_index_has_a_card_with_its_first_picture_for_every_page():
    cards = lectures.page(FOLDER / "index.md").split("grid-item-card")[1:]
    assert [re.search(r"^:link: (\S+)$", card, re.MULTILINE)[1] for card in cards] == [
        path.stem for path in PAGES
    ]
    for card, path in zip(cards, PAGES, strict=True):
        assert card.split("\n")[0].strip("{} ") == lectures.page(path).split("\n")[0][2:]
        shown = re.findall(r"^:img-top: pictures/(\S+)$", card, re.MULTILINE)
        assert shown == run_pages.pictures(lectures.page(path))[:1]


def test_every_picture_is_on_one_page_and_small():
    shown = [name for path in PAGES for name in run_pages.pictures(lectures.page(path))]
    assert sorted(shown) == sorted(path.name for path in PICTURES.iterdir())
    assert all(path.stat().st_size < 120_000 for path in PICTURES.iterdir())


def test_a_picture_that_changed_differs(tmp_path):
    for name, color in (("a.png", "white"), ("b.png", "black")):
        Image.new("RGB", (13, 7), color).save(tmp_path / name)
    assert difference(tmp_path / "a.png", tmp_path / "a.png") == 0
    assert difference(tmp_path / "a.png", tmp_path / "b.png") == 1
    assert ink(tmp_path / "a.png") == 0 and ink(tmp_path / "b.png") == 1
