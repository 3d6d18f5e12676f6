"""Hypothesis strategies: bytes that are nearly right."""

import json
import math
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.guard import CANARY

PICKLE = f"c{CANARY}\nrun\n(tR.".encode()
PIECES = (
    *(b"", b"\x00", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"),
    *(b"\n", b"\r", b"\r\n", b"\t", b",", b";", b'"', b"'", b"\\", b"\\ud800", b"\\u0000"),
    *(b"NaN", b"-inf", b"1e999", b"-1", b"0", b"true", b"null", b"1" * 30, b"1" * 5000),
    *(b"[", b"]", b"{", b"}", b"[" * 20_000, b'{"a":' * 20_000, b"a" * 70_000),
    *(
        b"../",
        b"/dev/zero",
        b"file:///etc/passwd",
        b"~",
        b"$HOME",
        b"%s",
        b"{0}",
        b"*",
        b"<script>",
    ),
    *(f"../{CANARY}".encode(), CANARY.encode(), PICKLE, b"\x80\x04" + PICKLE),
    *(text.encode() for text in ("\u2028", "\u202e", "\ufeff", "e\u0301" * 500, "你", "😀", "İ")),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2**31, 2**63, 10**12, 10**400, 0.5, -0.0, 1e308),
    *(math.nan, math.inf, "", "a", "\x00", "NaN", "../a", f"../{CANARY}", "/dev/zero", CANARY),
    *("a" * 70_000, [], {}, [[]], [None], {"": None}, [0] * 1000, ["a", "a"], "\ud800"),
    {"class_name": f"{CANARY}>Thing", "module": CANARY, "registered_name": None, "config": {}},
)


@st.composite
def changed_bytes(draw: st.DrawFn, content: bytes) -> bytes:
    """Bytes after a few edits: pieces put in, cut out, repeated, replaced."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.one_of(st.integers(0, 9), st.integers(0, 999))))
        part = content[start:end]
        edit = draw(st.sampled_from(("replace", "random", "repeat", "swap", "cut", "flip")))
        if edit == "replace":
            part = draw(st.sampled_from(PIECES))
        elif edit == "random":
            part = draw(st.binary(max_size=40))
        elif edit == "repeat":
            part = part * draw(st.sampled_from((2, 3, 50)))
        elif edit == "swap":
            part = part[::-1]
        elif edit == "cut":
            end = draw(st.sampled_from((end, len(content))))
            part = b""
        elif part:
            part = bytes([part[0] ^ 1 << draw(st.integers(0, 7))]) + part[1:]
        content = content[:start] + part + content[end:]
    return content


@st.composite
def changed_value(draw: st.DrawFn, value: Any) -> Any:
    """A JSON value of which one part is another, is missing, or is there in addition."""
    if not isinstance(value, dict | list) or not value or draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(VALUES))
    keys = list(value) if isinstance(value, dict) else range(len(value))
    key = draw(st.sampled_from(keys))
    edit = draw(st.sampled_from(("change", "change", "change", "drop", "copy")))
    actual = value.copy()
    if edit == "change":
        actual[key] = draw(changed_value(value[key]))
    elif edit == "drop":
        del actual[key]
    elif isinstance(actual, dict):
        actual[draw(st.sampled_from((CANARY, "name", "task", "")))] = actual[key]
    else:
        actual.append(actual[key])
    return actual


@st.composite
def changed_json(draw: st.DrawFn, content: bytes) -> bytes:
    """JSON text with changed values, or changed bytes."""
    if draw(st.integers(0, 3)) == 0:
        return draw(changed_bytes(content))
    value = json.loads(content)
    for _ in range(draw(st.integers(1, 2))):
        value = draw(changed_value(value))
    return json.dumps(value).encode()
