"""The site: it builds without warnings, and every page is whole in a browser."""

import doctest
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from docs import commands as pages_of_commands
from docs import results_table
from tests import lectures
from tests.browser import browsing
from tests.clients.serving import needs_packages
from tests.devtools import served, tab
from tests.pages import GUARD, blocks

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
WIDTHS = (1280, 390)
# How far the page scrolls to the right, formulas that cannot be set, and those left as text.
LOOK = r"""({
    right: document.documentElement.scrollWidth - innerWidth,
    wrong: document.querySelectorAll("mjx-merror").length,
    raw: document.querySelectorAll(".math:not(:has(mjx-container))").length,
    pictures: [...document.images].filter(each => each.getAttribute("src") && !each.naturalWidth)
        .map(each => each.src),
})"""
# LiteRT for browsers writes what it tells of its start to the console as errors.
TOLD = tuple(f"[{{'type': 'string', 'value': '{text}" for text in ("INFO: ", "WARNING: [npu_reg"))


def wrong(browser):
    """The errors of pages."""
    return [each for each in browser.errors if not each.startswith(TOLD)]


needs_sphinx = pytest.mark.skipif(
    find_spec("sphinx") is None, reason="Sphinx is not installed: pip install '.[docs]'"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built with warnings as errors."""
    folder = tmp_path_factory.mktemp("site")
    options = ["-b", "html", "-W", "--keep-going", "-n", "-q", "-d", folder / "doctrees"]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, DOCS, folder / "html"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return folder / "html"


@needs_sphinx
@browsing
@pytest.mark.thorough
def test_every_page_is_whole_on_a_desktop_and_on_a_phone(site):
    found = (path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    pages = sorted(page for page in found if not page.startswith("_"))
    assert len(pages) > 150
    with served(site) as address, tab() as browser:
        for page in pages:
            browser.open(f"{address}/{page}", WIDTHS[0])
            for width in WIDTHS:
                browser.resize(width)
                found = browser.value(LOOK)
                assert found == {"right": 0, "wrong": 0, "raw": 0, "pictures": []}, (page, width)
            assert not wrong(browser), (page, wrong(browser))
        outside = {each for each in browser.requests if not each.startswith(address)}
        assert not {each for each in outside if not each.startswith(("data:", "blob:"))}


# What the page of a live model shows when its state ends with an ending: the time of an answer.
SHOWN = """new Promise(resolve => setInterval(() => {
    const page = document.getElementById("live-NAME").contentDocument;
    const state = page?.querySelector("#state");
    if (!state || state.previousElementSibling.disabled) return;
    if (state.textContent.endsWith("ENDING")) resolve(page.querySelector("main").innerText);
}, 50))"""


@needs_sphinx
@browsing
@needs_packages
@pytest.mark.thorough
def test_the_models_of_the_gallery_answer(site):
    """An example of each is clicked; nothing is asked of other computers."""
    with served(site) as address, tab() as browser:
        browser.open(f"{address}/gallery.html", WIDTHS[1])
        assert not [each for each in browser.requests if "litertjs" in each]  # not yet
        browser.value("document.querySelectorAll('details.live').forEach(each => each.open = true)")

        def click(name, example):
            frame = f"document.getElementById('live-{name}')"
            shown = SHOWN.replace("NAME", name)
            browser.value(f"{frame}.scrollIntoView()")
            browser.value(shown.replace("ENDING", ""))
            browser.value(f"{example.replace('PAGE', f'{frame}.contentDocument')}.click()")
            return " ".join(browser.value(shown.replace("ENDING", "ms")).split())

        button = "PAGE.querySelector('.examples button')"
        assert re.search(r" return return (1\.0|0\.9)", click("messages", button))
        tagged = click("places", button)
        assert "Barbara person back from Quito place by Sunday day ?" in tagged
        image = "document.querySelector('button[title=square]')"
        assert re.search(r" square square (1\.0|0\.[5-9])", click("shapes", image))
        assert browser.value(LOOK)["right"] == 0 and not wrong(browser)
        outside = [each for each in browser.requests if not each.startswith(address)]
        assert not [each for each in outside if not each.startswith(("data:", "blob:"))]


@needs_sphinx
@browsing
@pytest.mark.thorough
def test_the_search_finds_a_layer(site):
    with served(site) as address, tab() as browser:
        browser.open(f"{address}/search.html?q=AttentionPooling", WIDTHS[0])
        script = """new Promise(resolve => setInterval(() => {
            const found = document.querySelectorAll("ul.search li a");
            if (found.length) resolve([...found].map(each => each.href));
        }, 100))"""
        assert any("layers/AttentionPooling.html" in each for each in browser.value(script))


def test_the_browser_sees_what_is_wrong(tmp_path):
    """Otherwise the tests above would pass whatever the pages were."""
    if browsing.args[0]:
        pytest.skip(browsing.kwargs["reason"])
    page = (
        "<html><meta name='viewport' content='width=device-width'><div style='width: 500px'>a</div>"
    )
    page += "<img src='none.png'><script>console.error('wrong'); none()</script>"
    (tmp_path / "index.html").write_text(page)
    with served(tmp_path) as address, tab() as browser:
        browser.open(f"{address}/index.html", 390)
        found = browser.value(LOOK)
        assert found["right"] > 100 and found["pictures"] == [f"{address}/none.png"]
        assert "wrong" in str(browser.errors) and "Uncaught" in str(browser.errors)
        assert f"{address}/none.png" in browser.requests


def numbers(text):
    return {number.rstrip(",") for number in lectures.numbers(text)}


@pytest.mark.parametrize("row", results_table.rows(), ids=lambda row: f"{row.task} {row.data}")
def test_a_number_of_the_first_page_is_in_the_section_that_it_links(row):
    name, anchor = row.at.split("#")
    section = lectures.sections(lectures.page(DOCS / "results" / name))[anchor]
    wanted = numbers(f"{row.ours} {row.peer}")
    assert wanted and wanted <= numbers(section)
    command = row.command.removeprefix("make ").split()[-1 if "benchmarks" in row.command else 0]
    assert command in lectures.page(DOCS / "results" / name)


def test_a_verdict_is_one_of_a_few():
    row = results_table.rows()[0]
    with pytest.raises(ValueError, match="verdict of 'translation' must be one of"):
        results_table.Row(**{**vars(row), "verdict": "best"})


def test_the_numbers_of_the_comparison_are_in_the_results():
    text = lectures.LINK.sub("", lectures.page(DOCS / "comparison.md"))
    results = " ".join(lectures.page(path) for path in (DOCS / "results").glob("*.md"))
    decimals = {each for each in numbers(text) if re.fullmatch(r"\d+\.\d+|\d{3,}", each)}
    versions = {*re.findall(r"\d+\.\d+", text.split("\n\n")[1]), "2.14", "2.3"}
    counted = {"2026", "558"}  # the date, and folders of models in a package
    assert len(decimals) > 40 and decimals - versions - counted <= numbers(results)


def commands(page):
    text = re.sub(r" *\\\n *", " ", lectures.page(page))
    found = re.findall(r"^ *(keras-attn .*)$", text, re.MULTILINE)
    return [re.split(r" +#", command)[0].strip() for command in found]


def test_a_command_stands_once_on_the_pages_of_tasks_and_of_training():
    pages = [*(DOCS / "how-to/tasks").glob("*.md"), *(DOCS / "how-to/training").glob("*.md")]
    seen = {}
    for page in pages:
        for command in commands(page):
            where = seen.setdefault(command, page)
            assert where == page, f"{command}: {where.name} and {page.name}"


def test_every_task_has_a_page():
    from zoo.registry import TASKS

    pages = {path.stem for path in (DOCS / "how-to/tasks").glob("*.md")} - {"index"}
    assert pages == {*TASKS}


@pytest.mark.thorough
def test_the_commands_and_the_code_of_the_start_run(tmp_path):
    make, run = blocks(DOCS / "start/index.md", "python")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "KERAS_BACKEND": "tensorflow"}

    def said(*arguments, **options):
        command = [sys.executable, "-c", *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, env=environment, **options
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout.strip()

    said(make)
    start = "from zoo.cli import main; main()"
    named = commands(DOCS / "start/index.md")
    answers = [said(start, *shlex.split(command)[1:]) for command in named]
    assert answers.count("order") == 2, answers
    assert (tmp_path / "messages.html").exists()
    assert said(f"{GUARD}{run}{GUARD}") == "order"


def test_examples():
    assert doctest.testmod(pages_of_commands).failed == 0


def test_the_data_of_the_table_have_no_other_fields():
    rows = tomllib.loads(results_table.DATA.read_text("utf-8"))["row"]
    assert all({*row} == {*results_table.Row.__dataclass_fields__} for row in rows)
