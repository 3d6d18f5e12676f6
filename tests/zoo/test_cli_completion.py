"""The completion of a shell: commands, tasks and options, also of a recipe file."""

import pytest
from typer.testing import CliRunner

from zoo.cli.app import app


def completed(*words):
    """What bash would offer for the last word."""
    asked = {
        "_KERAS_ATTN_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["keras-attn", *words]),
        "COMP_CWORD": str(len(words)),
    }
    shown = CliRunner().invoke(app, [], prog_name="keras-attn", env=asked)
    assert not shown.stderr
    return shown.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["expo"], ["export"]),
        (["train", "text-c"], ["text-classifier"]),
        (["train", "text-to-text", "--max-s"], ["--max-source-length"]),
        (["predict", "runs/a", "--exa"], ["--exact"]),
        (["train", "no.toml", "--epo"], []),
    ],
)
def test_what_is_offered(words, expected):
    assert completed(*words) == expected


def test_options_of_the_task_of_a_recipe_are_offered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_text('task = "text-to-text"\n')
    assert completed("train", "a.toml", "--max-s") == ["--max-source-length"]
