"""The reader of preferences: the forms that TRL and Hugging Face's datasets write, and errors."""

import json

import pytest

from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.preferences import Preferences
from zoo.errors import DataError, UserError
from zoo.tasks.formats.chats import read_pieces, read_texts

ASK = {"role": "user", "content": "Why?"}
SYSTEM = {"role": "system", "content": "Be brief."}
GOOD, BAD = ({"role": "assistant", "content": text} for text in ("Because.", "No."))
OPTIONS = ReadOptions()


def read(path, *rows):
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return read_texts(path, OPTIONS)


@pytest.mark.parametrize(
    ("row", "before"),
    [
        ({"prompt": "Why?", "chosen": "Because.", "rejected": "No.", "score": 3}, [ASK]),
        ({"prompt": [SYSTEM, ASK], "chosen": [GOOD], "rejected": [BAD]}, [SYSTEM, ASK]),
        ({"prompt": [ASK], "chosen": "Because.", "rejected": "No."}, [ASK]),
        ({"prompt": "Why?", "chosen": [GOOD], "rejected": [BAD]}, [ASK]),
        ({"chosen": [ASK, GOOD], "rejected": [ASK, BAD]}, [ASK]),
        ({"prompt": "Why?", "chosen": [ASK, GOOD], "rejected": [ASK, BAD]}, [ASK]),
    ],
)
def test_forms(row, before, tmp_path):
    for examples in (read(tmp_path / "a.jsonl", row), read_texts([row], OPTIONS)):
        assert isinstance(examples, Preferences)
        assert examples.chats == [[*before, GOOD]] and examples.rejected == [[*before, BAD]]
        assert examples.texts == ["\n".join(each["content"] for each in [*before, GOOD])]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"prompt": "Why?", "chosen": "Because."}, "rejected is missing: give chosen and"),
        ({"prompt": "Why?", "rejected": "No."}, "chosen is missing"),
        ({"chosen": "Because.", "rejected": "No."}, "prompt is missing, and chosen is a text"),
        ({"prompt": "Why?", "chosen": "No.", "rejected": "No."}, "are equal: leave the line out"),
        ({"prompt": 3, "chosen": "Yes.", "rejected": "No."}, "prompt must be a text or a list"),
        ({"prompt": "Why?", "chosen": 3, "rejected": "No."}, "expected a list of messages"),
        ({"chosen": [ASK], "rejected": [ASK, BAD]}, "chosen must end with an answer"),
        ({"chosen": [GOOD], "rejected": [BAD]}, "the chat has no turn of a user"),
        ({"chosen": [ASK, GOOD], "rejected": [SYSTEM, ASK, BAD]}, "in the last answer only"),
        ({"prompt": "Why?", "chosen": [{"role": "assistant"}], "rejected": "No."}, "a text"),
    ],
)
def test_mistakes_are_told_with_their_line(row, message, tmp_path):
    good = {"prompt": "Why?", "chosen": "Because.", "rejected": "No."}
    with pytest.raises(DataError, match=f"a.jsonl:2: .*{message}"):
        read(tmp_path / "a.jsonl", good, row)


def test_several_files_and_prepared_data(tmp_path):
    row = {"prompt": "Why?", "chosen": "Because.", "rejected": "No."}
    for name in ("a", "b"):
        read(tmp_path / f"{name}.jsonl", row)
    with pytest.raises(UserError, match="preferences must be in a single file, got 2"):
        read_texts([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], OPTIONS)
    with pytest.raises(UserError, match="read into memory"):
        read_pieces(tmp_path / "a.jsonl", OPTIONS)


def test_both_answers_are_split_together(tmp_path):
    rows = [{"prompt": f"Why {i}?", "chosen": f"y{i}", "rejected": f"n{i}"} for i in range(7)]
    for part in read(tmp_path / "a.jsonl", *rows).split(0.3):
        for chat, other in zip(part.chats, part.rejected, strict=True):
            assert chat[0] == other[0] and chat[1]["content"][1:] == other[1]["content"][1:]
