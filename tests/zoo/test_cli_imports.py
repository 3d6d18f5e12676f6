"""What commands leave out when they import TensorFlow."""

import importlib
import sys

import pytest

from zoo.cli.imports import without_needless

PACKAGES = ("matplotlib", "sklearn", "jax")


def hidden(monkeypatch):
    """The packages that are hidden in the block, and those that still are behind it."""
    for name in PACKAGES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    finders = list(sys.meta_path)
    with without_needless():
        (first,) = sys.meta_path[: len(sys.meta_path) - len(finders)]
        actual = []
        for name in PACKAGES:
            try:
                first.find_spec(name)
            except ModuleNotFoundError:
                actual.append(name)
                with pytest.raises(ModuleNotFoundError, match=f"No module named '{name}'"):
                    importlib.import_module(name)
    assert sys.meta_path == finders
    return actual


def test_all_are_hidden_with_tensorflow(monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "tensorflow")
    assert hidden(monkeypatch) == ["matplotlib", "sklearn", "jax"]


@pytest.mark.parametrize("where", ["environment", "file"])
def test_jax_is_there_where_it_is_the_backend(monkeypatch, tmp_path, where):
    if where == "environment":
        monkeypatch.setenv("KERAS_BACKEND", "jax")
    else:
        monkeypatch.delenv("KERAS_BACKEND", raising=False)
        monkeypatch.setenv("KERAS_HOME", str(tmp_path))
        (tmp_path / "keras.json").write_text('{"backend": "jax"}')
    assert hidden(monkeypatch) == ["matplotlib", "sklearn"]


@pytest.mark.parametrize("content", ["", "[]", "{}", "\0"])
def test_a_broken_configuration_is_left_to_keras(monkeypatch, tmp_path, content):
    monkeypatch.delenv("KERAS_BACKEND", raising=False)
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    (tmp_path / "keras.json").write_text(content)
    assert "jax" in hidden(monkeypatch)
