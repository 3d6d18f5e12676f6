"""Engines for batch jobs that are not there; tests/batch runs those that are."""

import importlib
import sys

import pytest


@pytest.mark.parametrize("engine, package", [("beam", "apache_beam"), ("spark", "pyspark")])
def test_engines_that_are_not_installed(engine, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    message = rf"needs (apache-beam|pyspark): pip install 'keras-attn\[{engine}\]'"
    with pytest.raises(ImportError, match=message):
        importlib.import_module(f"export.batch.{engine}")
