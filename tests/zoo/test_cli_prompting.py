"""`predict` on a terminal, and what `train` prints last."""

import re
from types import SimpleNamespace

import pytest

from tests.zoo.test_cli import run
from tests.zoo.test_cli_data import ROWS, table
from zoo.cli import predicting, printed_predictions, prompting
from zoo.cli.prompting import answer_each_line
from zoo.errors import UserError


@pytest.fixture
def typed(monkeypatch):
    """What is typed, line by line; then Ctrl-D."""

    def typed(*lines, end=EOFError):
        actual = iter(lines)

        def read(prompt):
            assert prompt == "> "
            for line in actual:
                return line
            raise end

        monkeypatch.setattr(prompting, "input", read, raising=False)

    return typed


@pytest.mark.parametrize("end", [EOFError, KeyboardInterrupt])
def test_each_line_is_answered_until_the_end(typed, capsys, end):
    typed("a", "", " ", "bad", "b", end=end)

    def answer(line):
        if line == "bad":
            raise UserError("not this one")
        print(line.upper())

    answer_each_line(answer)
    shown = capsys.readouterr()
    assert shown.out.split() == ["A", "B"]
    assert "Ctrl-D to quit" in shown.err and "keras-attn: not this one\n" in shown.err


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prompt")
    (folder / "a.csv").write_text(table(ROWS, header=("review", "sentiment")))
    done = run(
        "train", "text-classifier", "--data", folder / "a.csv", "--out", folder / "my run",
        "--epochs", 1, "--no-xla", "--set", "num_buckets=11",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    return folder / "my run", done.stdout


def test_the_next_commands_are_printed(trained):
    folder, shown = trained
    actual = re.findall(r"keras-attn (\w+) '(.+?)'", shown)
    verbs = ["evaluate", "predict", "report", "serve", "export"]
    assert actual == [(verb, str(folder)) for verb in verbs]
    assert " --format litert --text bytes --out 'my run.tflite'" in shown  # texts in, labels out


def test_lines_that_are_typed_are_classified(trained, typed, monkeypatch):
    typed("a fine film", "a\ttab", "dull")
    nothing = SimpleNamespace(flush=lambda: None)
    monkeypatch.setattr(printed_predictions, "sys", SimpleNamespace(stdout=nothing))
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(predicting, "standard_input", lambda: terminal)
    shown = run("predict", trained[0])
    actual = shown.stdout.split()
    assert len(actual) == 3 and set(actual) <= {"positive", "negative"}
