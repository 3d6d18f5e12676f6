"""Each promise of SECURITY.md names tests, and there are such tests."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "SECURITY.md").read_text("utf-8")


def test_every_promise_names_tests():
    promises = re.split(r"\n(?=- )", PAGE.partition("## What may come from others")[2])[1:]
    assert len(promises) > 12
    for promise in promises:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", promise)
        assert named, promise
        for file, test in named:
            assert re.search(rf"def {test}\(", (ROOT / file).read_text("utf-8")), test
