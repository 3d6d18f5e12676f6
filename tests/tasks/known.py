"""Known bugs: (case, check) -> description, in one sentence.

The check is expected to fail. Once the bug is fixed, the test run fails until its line here is
deleted. A check named `beside: ...` is a test in tests/tasks/test_beside.py.
"""

# (what is wrong, check, cases)
BUGS: tuple[tuple[str, str, tuple[str, ...]], ...] = ()

KNOWN = {(case, check): what for what, check, cases in BUGS for case in cases}
