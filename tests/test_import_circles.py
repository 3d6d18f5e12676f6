"""No module of the packages imports, directly or through others, one that imports it."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("keras_attn", "zoo", "export")


def modules():
    """The path of each module, by its name."""
    actual = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            actual[".".join(parts).removesuffix(".__init__")] = path
    return actual


def for_types_only(tree):
    """The nodes below `if TYPE_CHECKING:`, which are never run."""
    guarded = (
        x for x in ast.walk(tree) if isinstance(x, ast.If) and "TYPE_CHECKING" in ast.dump(x.test)
    )
    return {id(node) for each in guarded for node in ast.walk(each)}


def imported(name, path, known):
    """The modules that a module imports, also in functions."""
    tree = ast.parse(path.read_text("utf-8"))
    skipped = for_types_only(tree)
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = name if path.name == "__init__.py" else name.rpartition(".")[0]
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, *([base] if base else [])])
            names = [x if (x := f"{base}.{each.name}") in known else base for each in node.names]
        else:
            continue
        yield from (each for each in names if each in known and each != name)


def test_there_is_no_import_circle():
    known = modules()
    assert len(known) > 500
    graph = {name: set(imported(name, path, known)) for name, path in known.items()}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"import circle: {' -> '.join(error.args[1])}")


def test_relative_imports_and_types_are_told_apart(tmp_path):
    path = tmp_path / "b.py"
    path.write_text(
        "from typing import TYPE_CHECKING\nfrom . import c\nfrom .d import x\n"
        "if TYPE_CHECKING:\n    from a import e\ndef f():\n    import a.g\n"
    )
    known = dict.fromkeys(["a", "a.b", "a.c", "a.d", "a.e", "a.g"], path)
    assert set(imported("a.b", path, known)) == {"a.c", "a.d", "a.g"}
