"""Text files of an entry a line: what was written is what is read, whatever an entry has in it."""

import re
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import export
from export.serving import Opened, open_artifact
from tests.export.tasks import Tagger
from zoo.errors import UserError, reason_of
from zoo.heads.label import labels_of
from zoo.lines import LABELS, LINE_BREAK, VOCABULARY, from_lines, to_lines
from zoo.server.opening import servable_of
from zoo.tasks.inputs.vocabulary import vocabulary_files
from zoo.text import load_tokenizer, train_tokenizer
from zoo.text.tokenizers import TRAINABLE

ROOT = Path(__file__).parents[2]
# All that `str.splitlines` breaks lines at, and `str.split` words.
SEPARATORS = [
    character
    for character in map(chr, range(sys.maxunicode + 1))
    if len(f"a{character}b".splitlines()) > 1 or len(f"a{character}b".split()) > 1
]
IN_A_LINE = [each for each in SEPARATORS if each not in "\r\n"]
ENTRIES = st.lists(st.text(st.one_of(st.sampled_from(IN_A_LINE), st.characters(
    exclude_characters="\r\n", exclude_categories=["Cs"]))))  # fmt: skip


def test_all_separators_are_tried():
    assert {"\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"} < {*IN_A_LINE}
    assert len(IN_A_LINE) > 20


@given(ENTRIES)
@example([""])
@example(["", ""])
@example(["a", ""])
@example(["\ufeffa", "b\ufeff"])
@example([f"a{each}b{each}" for each in IN_A_LINE] + IN_A_LINE)
def test_entries_are_read_as_they_were_written(entries):
    assert from_lines(to_lines(entries)) == entries
    assert from_lines(to_lines(entries).replace("\n", "\r\n")) == entries


@pytest.mark.parametrize("line_break", ["\n", "\r", "\r\n", "\n\n"])
def test_a_line_break_in_an_entry_shifts_no_other(line_break):
    assert from_lines(to_lines(["a", f"b{line_break}c", "d"])) == ["a", "b c", "d"]


@pytest.mark.parametrize("line_break", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("given", [None, "as they are"])
def test_a_label_with_a_line_break_is_refused(line_break, given):
    labels = ["bad", f"very{line_break}good"]
    message = re.escape(
        f"films.csv: the label {labels[1]!r} has a line break, which a file with a label in each "
        "line cannot hold: replace it"
    )
    with pytest.raises(UserError, match=message):
        labels_of(labels, labels if given else None, "label", "films.csv")


def test_labels_with_other_separators_are_kept():
    labels = sorted(f"a{each}b" for each in IN_A_LINE)
    assert labels_of(labels, None, "label", "films.csv") == labels


def test_a_server_gives_each_label_its_number(attack):
    attack("separators of Unicode", "labels of a server")(len(IN_A_LINE))
    labels = [f"a{each}b" for each in IN_A_LINE] + [""]
    opened = Opened({}, {}, run=lambda name, inputs: {}, beside={LABELS: to_lines(labels)})
    assert servable_of("model", opened).labels == labels
    assert servable_of("model", Opened({}, {}, run=lambda name, inputs: {})).labels == []


@pytest.mark.parametrize("kind", TRAINABLE)
def test_a_vocabulary_has_a_token_in_each_line(kind, tmp_path, attack):
    """Also where a token is a separator, as in bytes and characters."""
    tried = attack("separators of Unicode", f"vocabulary of {kind}")
    texts = [f"a{each}b {each} c{each}" for each in SEPARATORS]
    tokenizer = train_tokenizer(kind, texts, 500)
    tokens = from_lines(vocabulary_files(tokenizer)[VOCABULARY])
    assert tokens == [LINE_BREAK.sub(" ", each) for each in tokenizer.vocabulary]
    tokenizer.save(tmp_path)
    loaded = load_tokenizer(tmp_path)
    assert loaded.vocabulary == tokenizer.vocabulary
    assert loaded.tokenize(texts).to_list() == tokenizer.tokenize(texts).to_list()
    tried(len(SEPARATORS))


class Labeled(Tagger):
    """A task with labels beside its artifacts that have each separator in them."""

    def assets(self):
        return {LABELS: to_lines(f"a{each}b" for each in IN_A_LINE)}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["saved_model", "litert", "onnx"])
def test_labels_beside_an_artifact(kind, tmp_path, attack):
    tried = attack("separators of Unicode", f"{kind}, its labels")
    path = tmp_path / ("tags.tflite" if kind == "litert" else "tags")
    getattr(export, kind)(Labeled(), path)
    labels = servable_of("model", open_artifact(path)).labels
    assert labels == [f"a{each}b" for each in IN_A_LINE]
    tried(len(IN_A_LINE))


def test_the_reason_of_an_error_is_its_first_line():
    assert reason_of(ValueError("no such word\nat 3")) == "no such word"
    assert reason_of(ValueError("\n  \n no\u2028word\r\nat 3")) == "no\u2028word"
    assert reason_of(KeyError()) == "KeyError()"
    assert reason_of(ValueError("x" * 900)) == "x" * 300


def test_no_other_code_breaks_lines():
    """`splitlines` breaks lines at characters that no writer of lines treats as their ends."""
    actual = [
        f"{path.relative_to(ROOT)}:{number}"
        for package in ("keras_attn", "zoo")
        for path in (ROOT / package).rglob("*.py")
        for number, line in enumerate(path.read_text("utf-8").split("\n"), 1)
        if ".splitlines(" in line and "`str.splitlines`" not in line
    ]
    assert actual == []
