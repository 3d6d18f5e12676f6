"""The table of common mistakes in the documentation: each command gives the message there."""

import shlex
from pathlib import Path

import pytest

import zoo
from tests.zoo.test_cli import run

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "errors.md"
CUT = "…"


def mistakes():
    """The commands of the table with their messages."""
    section = PAGE.read_text("utf-8").partition("## Common mistakes")[2].partition("\n## ")[0]
    lines = [
        line for line in section.split("\n") if line.startswith("| `") and CUT not in line[:20]
    ]
    cells = ([cell.strip() for cell in line.strip("|").split(" | ")] for line in lines)
    return [(command.strip("`"), message) for command, message, _ in cells]


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    """A folder with tables, and with a trained run."""
    folder = tmp_path_factory.mktemp("films")
    texts = [
        (f"a {'fine' if n % 2 else 'dull'} film {n}", ("bad", "good")[n % 2]) for n in range(40)
    ]
    rows = "".join(f"{text},{label}\n" for text, label in texts)
    (folder / "reviews.csv").write_text(f"text,label\n{rows}")
    latin = f"text,label\n{rows}".replace("film", "caf\u00e9")
    (folder / "latin.csv").write_bytes(latin.encode("cp1252"))
    (folder / "one.csv").write_text(f"text,label\n{rows}".replace("bad", "good"))
    (folder / "pairs.tsv").write_text("two dogs\tzwei Hunde\na hat\n" + "a cat\teine Katze\n" * 9)
    (folder / "other.csv").write_text("text,label\na film,fair\nanother,good\n")
    task = zoo.TextClassifier(num_buckets=64)
    task.fit(texts, epochs=1, xla=False, verbose=False)
    task.save(folder / "runs" / "reviews")
    return folder


def test_there_are_twenty():
    assert len(mistakes()) == 20


@pytest.mark.parametrize(("command", "message"), mistakes())
def test_each_command_gives_its_message(command, message, films, monkeypatch):
    monkeypatch.chdir(films)
    done = run(*shlex.split(command))
    assert done.exit_code == 2, done.output
    *_, actual = done.stderr.strip().split("\n")
    actual = actual.removeprefix("keras-attn: ")
    if message.endswith(CUT):
        assert actual.startswith(message.removesuffix(CUT).strip())
    else:
        assert actual == message
    assert not (films / "runs" / "new" / "config.json").exists()
