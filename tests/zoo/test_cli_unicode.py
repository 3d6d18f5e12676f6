"""Text that is not Unicode, and terminals that are not."""

import io
import sys
from importlib import import_module

import pytest

from zoo.errors import UserError
from zoo.tasks.inputs.raw_texts import listed

APP = import_module("zoo.cli.app")  # the package has a name `app` of its own


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("ascii", "é 你 \\udce9".encode()), ("cp1252", b"\xe9 \\u4f60 \\udce9")],
)
def test_output_in_any_locale(monkeypatch, encoding, shown):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding))
    APP._write_unicode()
    print("é 你 \udce9", end="", flush=True)
    assert written.getvalue() == shown


@pytest.mark.parametrize("texts", [["a", "b\ud800"], [("a", "b"), ("c", "\udc80d")]])
def test_half_of_a_surrogate_pair_is_no_text(texts):
    with pytest.raises(UserError) as caught:
        listed(texts)
    assert str(caught.value) == "text 2 has half of a surrogate pair, which is no character"
    assert listed(["😀", ("a", "b")]) == ["😀", ("a", "b")]
