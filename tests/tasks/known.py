"""Bugs that are known: (case, check) -> what is wrong, in one sentence.

Each cell fails as long as its bug is there, and the run fails once it no longer does: a fix
deletes its line here. A check named `beside: ...` is a test of tests/tasks/test_beside.py.
"""

# (what is wrong, check, cases)
BUGS: tuple[tuple[str, str, tuple[str, ...]], ...] = ()

KNOWN = {(case, check): what for what, check, cases in BUGS for case in cases}
