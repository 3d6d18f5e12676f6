"""What builds a release, and what installs the lowest versions, beside small made-up packages."""

import sys
import tarfile
import tomllib
import zipfile
from importlib import import_module
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def scripts():
    """Imports a script of .ci by its name."""
    sys.path.insert(0, str(ROOT / ".ci"))
    yield import_module
    sys.path.remove(str(ROOT / ".ci"))


def archives(folder, in_source, in_wheel):
    source, wheel = folder / "p-1.tar.gz", folder / "p-1.whl"
    with tarfile.open(source, "w:gz") as archive:
        for name in in_source:
            (folder / "file").write_text(name)
            archive.add(folder / "file", f"p-1/{name}")
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in in_wheel:
            archive.writestr(name, name)
    return source, wheel


def test_files_too_many_and_too_few_are_named(scripts, tmp_path):
    differences = scripts("distributions").differences
    both = ["zoo/a.py", "zoo/b.css"]
    made = archives(tmp_path, [*both, "LICENSE"], [*both, "p-1.dist-info/METADATA"])
    assert differences(*made, both) == []
    made = archives(tmp_path, ["zoo/a.py", "tests/test_a.py"], ["zoo/b.css", "zoo/c.py"])
    assert differences(*made, both) == [
        "p-1.whl lacks zoo/a.py",
        "p-1.whl should not have zoo/c.py",
        "p-1.tar.gz lacks zoo/b.css",
        "p-1.tar.gz should not have tests",
    ]


def package(folder, name, *requires):
    info = folder / f"{name}-1.dist-info"
    info.mkdir()
    lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1"]
    lines += [f"Requires-Dist: {each}" for each in requires]
    (info / "METADATA").write_text("\n".join(lines))
    return PathDistribution(info)


def test_a_closure_has_what_is_asked_for_alone(scripts, tmp_path, monkeypatch):
    environments = scripts("environments")
    made = {
        "a": package(tmp_path, "a", "b[fast]>=1", "c; extra == 'more'"),
        "b": package(tmp_path, "b", "a", "d; extra == 'fast'", "e; python_version < '3'"),
        "c": package(tmp_path, "c"),
        "d": package(tmp_path, "d"),
    }
    monkeypatch.setattr(environments, "distribution", made.__getitem__)

    def names(*requires, extras=()):
        return [each.name for each in environments.closure(requires, {*extras})]

    assert names("a") == ["a", "b", "d"]
    assert names("a[more]") == ["a", "b", "c", "d"]
    assert names("c; extra == 'zoo'", "d; extra == 'jax'", extras=["zoo"]) == ["c"]
    with pytest.raises(KeyError, match="e"):
        names("e")


def test_the_lowest_versions_are_those_of_the_project(scripts):
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    written = (ROOT / ".ci/constraints-lowest.txt").read_text("utf-8").splitlines()
    assert written == scripts("lowest").lowest(settings), "run python .ci/lowest.py"
    names = [line.split("==")[0] for line in written]
    assert len(names) == len({*names}), "two lowest versions of one package"


def test_a_dependency_without_a_lowest_version_is_refused(scripts):
    extras = {"all": ["keras-attn[a]", "z==2"], "a": ["keras-attn[all]", "y>=1.0,<3", "x[b]>=4"]}
    settings = {"project": {"dependencies": [], "optional-dependencies": extras}}
    assert scripts("lowest").lowest(settings) == ["x==4", "y==1.0", "z==2"]
    settings["project"]["dependencies"] = ["numpy<3"]
    with pytest.raises(ValueError, match="numpy<3 needs a lowest version"):
        scripts("lowest").lowest(settings)
