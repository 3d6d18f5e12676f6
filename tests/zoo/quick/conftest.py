"""Runs of each kind of input, with and without their LiteRT files."""

import json
import shutil

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import zoo
from zoo.cli.app import app
from zoo.cli.quick.background import VARIABLE
from zoo.cli.quick.making import make

TEXTS = ["a fine film", "so dull", "fine fine", "a dull one", "not so fine", "dull"]
FAST = {"epochs": 1, "xla": False, "verbose": False}


def ask(*arguments, text=""):
    """What `predict` prints: to standard output, and to standard error."""
    result = CliRunner().invoke(app, ["predict", *map(str, arguments)], input=text)
    assert result.exit_code == 0, result.output
    return result.stdout, result.stderr


def rows_of(*arguments):
    return json.loads(ask(*arguments, "--json")[0])


def trained(task, rows, folder):
    task.adapt(rows)
    task.fit(rows, folder=folder, **FAST)
    return folder


@pytest.fixture(autouse=True)
def allowed(monkeypatch):
    """Files of runs are used; nothing is started in the background."""
    started = []
    monkeypatch.setenv(VARIABLE, "make")
    monkeypatch.setattr("zoo.cli.opened_predictions.start_making", started.append)
    return started


@pytest.fixture(scope="session")
def text_run(tmp_path_factory):
    rows = [(text, "bad" if "dull" in text else "good") for text in TEXTS] * 4
    task = zoo.TextClassifier("rnn_classifier", "tiny", max_length=11, embedding_dim=7, units=5)
    return trained(task, rows, tmp_path_factory.mktemp("quick") / "text")


@pytest.fixture(scope="session")
def made(text_run, tmp_path_factory):
    """The run of texts with its file; its folder must not be changed."""
    folder = tmp_path_factory.mktemp("quick") / "made"
    shutil.copytree(text_run, folder)
    assert make(folder)
    return folder


def picture(path, level, size=(13, 17)):
    random = np.random.default_rng(level)
    pixels = np.clip(random.normal(level, 30, (*size, 3)), 0, 255)
    Image.fromarray(pixels.astype(np.uint8)).save(path)
    return path
