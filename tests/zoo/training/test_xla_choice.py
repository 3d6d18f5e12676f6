"""XLA or not, by a measurement that leaves no trace in the numbers of the training."""

import re

import keras
import numpy as np
import pytest

from tests.zoo.training.small_run import build_model, run
from zoo.training import xla_choice
from zoo.training.checkpoint import Checkpoints

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="JAX always uses XLA"
)


@pytest.fixture(params=[False, True], ids=["graph", "xla"])
def measured(request, monkeypatch):
    """A measurement even of a short training, with a known result; returns the result."""
    medians = iter([2.0, 1.0 if request.param else 3.0])
    monkeypatch.setattr(xla_choice, "PAYS", 0.0)
    monkeypatch.setattr(xla_choice.statistics, "median", lambda turns: next(medians))
    return request.param


def numbers(model):
    return [np.array(variable) for variable in [*model.variables, *model.optimizer.variables]]


@pytest.mark.quick(1)
def test_training_goes_on_as_if_nothing_was_measured(measured, tmp_path):
    """Weights, Adam's moments, seeds of dropout, order of the batches, metrics."""
    model, plain = build_model(), build_model()
    history = run(model, folder=tmp_path, epochs=2, jit_compile="auto")
    expected = run(plain, epochs=2, jit_compile=measured)
    assert model.jit_compile is measured
    for name in ("loss", "val_loss", "accuracy", "learning_rate"):
        assert history.history[name] == expected.history[name], name
    for now, then in zip(numbers(model), numbers(plain), strict=True):
        np.testing.assert_array_equal(now, then)
    one = "on" if measured else "off"
    milliseconds = 1000 if measured else 3000
    line = f"XLA {one}: a step takes {milliseconds} ms with it, 2000 ms without"
    assert line in (tmp_path / "log.txt").read_text()


@pytest.mark.thorough(1)
def test_a_resumed_run_is_compiled_as_before_without_another_measurement(
    measured, tmp_path, monkeypatch
):
    run(build_model(), folder=tmp_path, epochs=1, jit_compile="auto")
    assert Checkpoints(tmp_path / "checkpoints").read_state().xla is measured
    monkeypatch.setattr("zoo.training.epochs.measure_xla", None)
    model = build_model()
    run(model, folder=tmp_path, epochs=2, resume=True, jit_compile="auto")
    assert model.jit_compile is measured


def test_a_short_training_is_not_worth_the_compiler(tmp_path, monkeypatch):
    monkeypatch.setattr(xla_choice.statistics, "median", None)  # nothing to compare
    model = build_model()
    run(model, folder=tmp_path, epochs=1, jit_compile="auto")
    assert model.jit_compile is False
    log = (tmp_path / "log.txt").read_text()
    assert re.search(r"XLA off: \d+ steps like the first are too few for it to pay", log)


def test_an_interrupted_measurement_leaves_the_weights(tmp_path, monkeypatch):
    def interrupt(turns):
        raise KeyboardInterrupt

    monkeypatch.setattr(xla_choice, "PAYS", 0.0)
    monkeypatch.setattr(xla_choice.statistics, "median", interrupt)
    model = build_model()
    before = [np.array(weight) for weight in model.weights]
    assert run(model, folder=tmp_path, jit_compile="auto").stopped == "interrupted"
    for now, then in zip(model.weights, before, strict=True):
        np.testing.assert_array_equal(now, then)
