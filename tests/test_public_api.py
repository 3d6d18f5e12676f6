"""The public names and their arguments change on purpose only."""

import difflib

from docs.public_api import PAGE, arguments, page


def test_the_public_names_are_those_of_the_page():
    written, now = PAGE.read_text("utf-8"), page()
    changes = difflib.unified_diff(written.splitlines(), now.splitlines(), "written", "now", n=0)
    assert written == now, "\n".join(["run python -m docs.public_api:", *changes])


def test_arguments_show_what_a_call_may_leave_out():
    def add(one, /, other=0, *more, named, **rest):
        pass

    assert arguments(add) == "(one, other=, *more, named, **rest)"
    assert arguments(lambda x, *, y=1: 0) == "(x, *, y=)"
    assert arguments(3) == ""
