"""The distribution holds what the tree holds: nothing forgotten, nothing stray."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_every_package_is_listed():
    found = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for top in ("keras_attn", "zoo", "export")
        for path in (ROOT / top).rglob("__init__.py")
    }
    assert set(SETTINGS["tool"]["setuptools"]["packages"]) == found


def test_every_folder_of_modules_is_a_package():
    for top in ("keras_attn", "zoo", "export"):
        for path in (ROOT / top).rglob("*.py"):
            assert (path.parent / "__init__.py").exists(), path


def test_every_data_file_is_listed():
    listed = {
        f"{package.replace('.', '/')}/{name}"
        for package, names in SETTINGS["tool"]["setuptools"]["package-data"].items()
        for name in names
    }
    found = {
        path.relative_to(ROOT).as_posix()
        for top in ("keras_attn", "zoo", "export")
        for path in (ROOT / top).rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert listed == found


def test_every_package_says_that_it_has_types():
    for top in ("keras_attn", "zoo", "export"):
        assert (ROOT / top / "py.typed").exists()
        assert "py.typed" in SETTINGS["tool"]["setuptools"]["package-data"][top]


def test_extras_all_is_all_but_what_has_its_own_environment():
    extras = dict(SETTINGS["project"]["optional-dependencies"])
    (everything,) = extras.pop("all")
    apart = extras.pop("test-clients")[0].removeprefix("keras-attn[").removesuffix("]").split(",")
    assert everything == f"keras-attn[{','.join(sorted(extras.keys() - {*apart}))}]"


def test_every_direct_dependency_is_pinned():
    pins = {
        line.split("==")[0].lower().replace("_", "-").replace(".", "-")
        for file in ("constraints.txt", "constraints-clients.txt")
        for line in (ROOT / ".ci" / file).read_text().split()
    }
    project = SETTINGS["project"]
    wanted = [*project["dependencies"], *sum(project["optional-dependencies"].values(), [])]
    names = {re.split(r"[>\[]", each)[0] for each in wanted if not each.startswith("keras-attn")}
    assert names <= pins


def test_the_layers_import_no_backend_but_the_chosen_one():
    code = (
        "import keras_attn, sys; print(*{'jax', 'tensorflow', 'torch', 'zoo'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT), "KERAS_BACKEND": "jax"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["jax"]
