"""The examples in the README and in docs run, and the generated pages are up to date."""

import doctest
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests import lectures
from tests.pages import blocks
from tests.zoo.test_cli import parse

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
README = ROOT / "README.md"
REFERENCE, GUIDES = DOCS / "reference", DOCS / "how-to"
# Their examples run in tests of their own, or need what tests do not have, as several devices.
ELSEWHERE = {
    "batch.md",
    "browser.md",
    "masked-lm.md",
    "mediapipe.md",
    "quantization.md",
    "scaling.md",
    "serving.md",
}
# In this order, because later examples use the runs and artifacts of earlier ones.
PAGES = [
    README,
    REFERENCE / "models.md",
    REFERENCE / "tasks.md",
    GUIDES / "export" / "index.md",
    *sorted(page for page in GUIDES.rglob("*.md") if page.name not in {*ELSEWHERE, "index.md"}),
    REFERENCE / "differences-from-keras.md",
]


EXAMPLES = [example for page in PAGES for example in blocks(page, "python")]
# In blocks of bash, and in indented ones; without what the shell does with the output.
COMMANDS = [
    re.split(r" [>|] ", command)[0]
    for page in [README, *DOCS.rglob("*.md")]
    for command in re.findall(
        r"^ *(keras-attn .*)$", page.read_text("utf-8").replace("\\\n", " "), re.MULTILINE
    )
]

# Keeps the examples fast here; nothing else is changed.
SMALL = "num_layers=1, hidden_dim=16, intermediate_dim=32"
SMALLER = {
    'preset="tiny")': f'preset="tiny", {SMALL})',
    'preset="tiny", vocabulary_size=8000)': f'preset="tiny", vocabulary_size=8000, {SMALL})',
    '"gpt", "tiny", max_length': f'"gpt", "tiny", {SMALL}, max_length',
    "epochs=10": "epochs=1, xla=False",
    "max_new_tokens=64": "max_new_tokens=8",
}


@pytest.fixture(scope="module")
def generate():
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the examples run, one after the other: small files under the names they use."""
    folder = tmp_path_factory.mktemp("readme")
    words = ["a man", "a red hat", "in the rain", "two dogs", "run", "on a hill", "by the sea"]
    pairs = [f"{a} {b}\t{b} {a}" for a in words for b in words if a != b]
    for name, rows in (("train", pairs), ("val", pairs[:7]), ("test", pairs[7:13])):
        (folder / f"{name}.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "plays.txt").write_text("\n".join(f"{a} {b}" for a in words for b in words))
    return folder


LARGE = "smollm2"  # a model whose weights tests do not have


def test_the_readme_is_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 110
    assert len(blocks(README, "python")) == 4
    assert all(example.count("\n") <= 20 for example in EXAMPLES)
    assert all(any(full in example for example in EXAMPLES) for full in SMALLER)


def test_the_links_lead_somewhere():
    for page in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]:
        for target in lectures.links(lectures.page(page)):
            name, _, anchor = target.partition("#")
            linked = page.parent / name if name else page
            assert linked.exists(), f"{page.name}: {target}"
            if anchor:
                assert anchor in lectures.sections(lectures.page(linked)), f"{page.name}: {target}"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_options_of_the_commands_exist(command):
    parse(shlex.split(command, comments=True)[1:])


# One process imports TensorFlow for all of them; no name of one is known to the next.
RUN = """
import sys
import tensorflow as tf
tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
for number, example in enumerate(sys.argv[1:], 1):
    exec(compile(example, f"example {number}", "exec"), {"__name__": "__main__"})
    print("ran", number)
"""


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(PAGES[:1], marks=pytest.mark.thorough, id="readme"),
        pytest.param(PAGES, marks=pytest.mark.long, id="all"),
    ],
)
def test_the_examples_run_one_after_the_other(pages, folder):
    examples = [example for page in pages for example in blocks(page, "python")]
    examples = [example for example in examples if LARGE not in example]
    for full, quick in SMALLER.items():
        examples = [example.replace(full, quick) for example in examples]
    done = subprocess.run(
        [sys.executable, "-c", RUN, *examples],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "KERAS_BACKEND": "tensorflow"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert all(f"ran {number}" in done.stdout for number in range(1, 1 + len(examples)))


def test_the_tables_are_what_the_code_says(generate):
    page = (REFERENCE / "layers.md").read_text(encoding="utf-8")
    contract = (REFERENCE / "contract.md").read_text(encoding="utf-8")
    text = generate.replaced(page, "layers", generate.layers(contract))
    assert text == page, "run python docs/generate.py"
    pages = page + (REFERENCE / "models.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[?`(\w+)`(?:\]\S+)? \| (.+?) \|", pages, re.MULTILINE)
    import keras_attn
    from zoo.registry import MODELS

    assert {name for name, _ in rows} == {*keras_attn.__all__, *MODELS}


def test_the_table_of_checks_has_a_row_for_each_public_name(generate):
    contract = (REFERENCE / "contract.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) +\|", contract, re.MULTILINE)
    assert rows == ["export", *generate.public()], "run python -m tests.contract.table"


def test_the_pages_are_what_the_code_says(generate):
    contract = (REFERENCE / "contract.md").read_text(encoding="utf-8")
    wanted = generate.pages.pages(generate.public(), contract)
    actual = {path.name: path.read_text("utf-8") for path in (REFERENCE / "layers").glob("*.md")}
    assert actual == wanted, "run python docs/generate.py"


def test_the_pages_of_commands_are_what_their_help_says(generate):
    wanted = generate.commands.pages()
    actual = {path.name: path.read_text("utf-8") for path in (REFERENCE / "commands").glob("*.md")}
    assert actual == wanted, "run python docs/generate.py"
    assert "| `--max-drop <float>` | Fail if the first metric" in actual["verify.md"]
    assert "(commands/verify.md)" in (REFERENCE / "command-line.md").read_text("utf-8")


def test_the_differences_from_keras_are_those_of_the_signatures(generate):
    text = (REFERENCE / "differences-from-keras.md").read_text("utf-8")
    wanted = generate.replaced(text, "differences", generate.differences_from_keras())
    assert wanted == text, "run python docs/generate.py"
    assert "| [`LSTM`](layers/LSTM.md) | `LSTM` | constructor | `truncate` |" in text
    assert "Replaces `keras.layers.LSTM`" in (REFERENCE / "layers" / "LSTM.md").read_text("utf-8")


def test_a_page_has_all_that_the_docstring_says(generate):
    import keras_attn

    page = generate.pages.page("GRU", keras_attn.GRU, "3 of 3 checks passed")
    for heading in ("Source", "Formula", "Arguments", "Inputs", "Outputs", "Raises", "Example"):
        assert f"\n## {heading}\n\n" in page
    assert "- `units`: Size U" in page and "keras_attn.GRU(\n    units, " in page
    assert "3 of 3 checks passed ([layer contract](../contract.md))." in page


def test_the_examples_of_the_pages_run_as_they_are(generate):
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for name, thing in generate.public().items():
        text = generate.pages.sections(thing.__doc__)["Example"]
        runner.run(doctest.DocTestParser().get_doctest(text, {}, name, None, 0))
    assert runner.tries > 100 and not runner.failures


def test_sections_of_a_docstring(generate):
    actual = generate.sections(
        """Adds: one. Quickly.

        More of it.

        Source: Peano 1889,
        page 1.
        Formula: `y = x
        + 1`

        Not the formula.

        Args:
            x: Source of it.
        """
    )
    assert actual[""] == "Adds: one."
    assert (actual["Source"], actual["Formula"]) == ("Peano 1889, page 1.", "`y = x + 1`")


def test_what_is_between_the_markers_is_replaced(generate):
    begin, end = "<!-- x: generated by docs/generate.py -->", "<!-- end of x -->"
    assert generate.replaced(f"a\n{begin}\nold\n{end}\nb", "x", "new") == (
        f"a\n{begin}\n\nnew\n\n{end}\nb"
    )
    with pytest.raises(ValueError, match="must have one line"):
        generate.replaced(f"a {begin} b", "x", "new")


def test_a_bar_does_not_break_a_table(generate):
    assert generate.table(["a", "b"], [["|x|", "y"]]).splitlines() == [
        "| a | b |",
        "| --- | --- |",
        "| \\|x\\| | y |",
    ]
