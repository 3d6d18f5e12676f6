"""The table of attacks counts trials of several tests, and shows what broke."""

from pathlib import Path
from types import SimpleNamespace

from tests.attacks import BROKEN, HELD, KEY, REPEATS, SELECTION, Row, markdown, recorded, rows


def report(failed: bool = False, **tries: int) -> SimpleNamespace:
    said: list[tuple[str, list]] = []
    for on, count in tries.items():
        recorded(lambda *each: said.append(each), "special files", on)(count, f"{count} MB")
    return SimpleNamespace(user_properties=said, failed=failed, when="call")


def test_tests_of_the_same_attack_are_one_row():
    table = rows([report(run=3), report(run=4, server=1), report(failed=True, server=2)])
    assert table == [
        Row("special files", "run", 7, "4 MB", HELD),
        Row("special files", "server", 3, "2 MB", BROKEN),
    ]
    assert markdown(table[:1]) == "| special files | run | 7 | held | 4 MB |\n"


def test_what_is_selected_and_left_out_is_there():
    assert all("attack" in Path(path).read_text("utf-8") for path in SELECTION)
    for name in REPEATS:
        path, _, test = name.partition("::")
        assert path in SELECTION
        assert f"def {test.partition('[')[0]}(" in Path(path).read_text("utf-8")


def test_other_properties_are_no_attacks():
    other = SimpleNamespace(user_properties=[("x", 3)], failed=False, when="call")
    skipped = report(run=1)
    skipped.when = "setup"
    assert rows([other, skipped]) == [] and KEY == "attack"
