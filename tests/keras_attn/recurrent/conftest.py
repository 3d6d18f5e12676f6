"""Short chunks of the loop over time, for the short sequences of these tests."""

import importlib

import pytest

from tests.keras_attn.recurrent.layers import CHUNK


@pytest.fixture(autouse=True)
def short_chunks(monkeypatch):
    module = importlib.import_module("keras_attn.functional.time_loop")
    monkeypatch.setattr(module, "CHUNK", CHUNK)
