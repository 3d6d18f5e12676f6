"""The distribution: it holds what the tree holds, and asks for no more than its users need."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_every_package_is_listed():
    actual = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for top in ("keras_attn", "zoo", "export")
        for path in (ROOT / top).rglob("__init__.py")
    }
    assert set(SETTINGS["tool"]["setuptools"]["packages"]) == actual


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
    actual = {
        path.relative_to(ROOT).as_posix()
        for top in ("keras_attn", "zoo", "export")
        for path in (ROOT / top).rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert listed == actual


def test_every_package_says_that_it_has_types():
    for top in ("keras_attn", "zoo", "export"):
        assert (ROOT / top / "py.typed").exists()
        assert "py.typed" in SETTINGS["tool"]["setuptools"]["package-data"][top]


def test_extras_all_is_all_but_what_has_its_own_environment():
    extras = dict(SETTINGS["project"]["optional-dependencies"])
    (everything,) = extras.pop("all")
    apart = extras.pop("test-clients")[0].removeprefix("keras-attn[").removesuffix("]").split(",")
    assert everything == f"keras-attn[{','.join(sorted(extras.keys() - {*apart, 'torch'}))}]"


def test_every_direct_dependency_is_pinned():
    pins = {
        line.split("==")[0].lower().replace("_", "-").replace(".", "-")
        for file in ("constraints.txt", "constraints-clients.txt")
        for line in (ROOT / ".ci" / file).read_text().split()
    }
    project = SETTINGS["project"]
    wanted = [*project["dependencies"], *sum(project["optional-dependencies"].values(), [])]
    names = {re.split(r"[>=\[]", each)[0] for each in wanted if not each.startswith("keras-attn")}
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


BEYOND_KERAS = """
import keras, sys
before = set(sys.modules)
import keras_attn
print(*sorted(set(sys.modules) - before))
"""


@pytest.mark.parametrize("backend", ["jax", "tensorflow"])
def test_the_import_of_the_layers_brings_their_own_modules_alone(backend):
    """What else they would import takes most of the time; benchmarks/import_time.py measures it."""
    done = subprocess.run(
        [sys.executable, "-c", BEYOND_KERAS],
        env={**os.environ, "PYTHONPATH": str(ROOT), "KERAS_BACKEND": backend},
        capture_output=True,
        text=True,
        check=True,
    )
    brought = done.stdout.split()
    assert {each.split(".")[0] for each in brought} == {"keras_attn"}
    assert len(brought) < 150


USE_LAYERS = """
import keras, keras_attn, numpy as np, sys

model = keras.Sequential([keras.Input((None, 3)), keras_attn.LSTM(5), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.ones((2, 7, 3)), np.ones((2, 1)), verbose=0)
x = np.ones((2, 7, 3), "float32")
attention = keras_attn.MultiHeadAttention(num_heads=2, key_dim=5)
print(keras.backend.backend(), model.predict(x, verbose=0).shape, attention(x, x).shape)
assert not {"tensorflow", "zoo", "export"} & set(sys.modules)
for use in ("zoo.TextClassifier", "export.litert", "keras_attn.BLEU()"):
    try:
        exec(f"import {use.split('.')[0]}; {use}")
    except ImportError as error:
        print(error)
"""


@pytest.mark.thorough
def test_without_extras_the_layers_need_keras_and_a_backend_alone(tmp_path):
    def run(*command):
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        return subprocess.run(
            [str(each) for each in command],
            env=environment | {"KERAS_BACKEND": "jax"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    python, pins = tmp_path / "empty/bin/python", ROOT / ".ci/constraints.txt"
    sources = tmp_path / "sources"  # building leaves files in its folder
    for top in ("keras_attn", "zoo", "export"):
        shutil.copytree(ROOT / top, sources / top)
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, sources)
    for command in (
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", tmp_path, sources],
        [sys.executable, "-m", "venv", tmp_path / "empty"],
    ):
        done = run(*command)
        assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    done = run(python, "-m", "pip", "install", "--constraint", pins, wheel, "jax")
    assert done.returncode == 0, done.stderr
    names = run(python, "-m", "pip", "list", "--format", "freeze").stdout.lower()
    assert not [each for each in ("tensorflow", "typer", "sacrebleu") if each in names]

    done = run(python, "-W", "error", "-c", USE_LAYERS)
    assert done.stdout.splitlines() == [
        "jax (2, 1) (2, 7, 3)",
        "zoo needs tensorflow, which is not installed: pip install 'keras-attn[zoo]'",
        "export needs tensorflow, which is not installed: pip install 'keras-attn[zoo]'",
        "BLEU and ChrF require sacrebleu: pip install 'keras-attn[metrics]'.",
    ], done.stderr
    done = run(tmp_path / "empty/bin/keras-attn", "--help")
    assert (done.returncode, done.stderr) == (
        2,
        "keras-attn: zoo needs typer, which is not installed: pip install 'keras-attn[zoo]'\n",
    )


def test_the_citation_names_the_version_and_the_license():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = (ROOT / "CITATION.cff").read_text("utf-8").split("\n")
    assert f"version: {project['version']}" in lines and f"license: {project['license']}" in lines


def test_the_package_and_the_changelog_have_the_version():
    version = SETTINGS["project"]["version"]
    assert f'\n__version__ = "{version}"\n' in (ROOT / "keras_attn/__init__.py").read_text("utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## [{version}]" in changelog and len(changelog.split("\n")) < 250
