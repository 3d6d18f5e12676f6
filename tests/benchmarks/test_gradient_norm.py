"""The benchmark of gradient norms: what it measures, prints, writes and draws."""

import json
import sys

import numpy as np
import pytest

from benchmarks import gradient_norm

NORMS = {"kept": np.ones(101), "lost": np.concatenate([np.zeros(90), np.ones(11)])}


def test_norms_are_relative_to_the_last_step():
    cells = gradient_norm.cells(5)
    x = 0.1 * np.random.default_rng(0).normal(size=(2, 21, 5)).astype("float32")
    kept = gradient_norm.gradient_norms(cells["Orthogonal, modReLU"], x)
    np.testing.assert_allclose(kept, 1, rtol=1e-3)
    decayed = gradient_norm.gradient_norms(cells["Elman, tanh, radius 0.95"], x)
    assert decayed.shape == (21,) and decayed[-1] == 1 and decayed[0] < 0.9


def test_the_first_matrix_has_its_spectral_radius():
    matrix = gradient_norm.scaled(1.05)((7, 7))
    assert np.abs(np.linalg.eigvals(matrix)).max() == pytest.approx(1.05)


def test_the_command_prints_writes_and_draws(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    file, picture = tmp_path / "norms.json", tmp_path / "norms.png"
    monkeypatch.setattr(gradient_norm, "measure", lambda steps, width: NORMS)
    arguments = ["--quick", "--out", str(file), "--plot", str(picture)]
    monkeypatch.setattr(sys, "argv", ["gradient_norm", *arguments])
    gradient_norm.main()
    report = json.loads(file.read_text())
    assert (report["steps"], report["width"], report["quick"]) == (100, 16, True)
    assert report["norms"]["lost"] == [1.0] * 11 + [0.0] * 90  # from the last step backwards
    assert picture.stat().st_size > 1000
    shown = capsys.readouterr().out
    assert "100 back" in shown and "1000 back" not in shown and "0.00e+00" in shown
