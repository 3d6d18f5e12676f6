"""What a speech recognizer keeps besides weights may come from someone else."""

import numpy as np
import pytest

from tests.tasks.cases.files import wav
from zoo.decoding.character_ngram import CharacterNgram
from zoo.errors import UserError
from zoo.preprocessing.audio import AudioPreprocessor, padded


def saved(folder):
    made = AudioPreprocessor(8000, ["a", "b"], [np.ones(7, "float32"), np.ones(5, "float32")])
    made.ngram = CharacterNgram.of([[1, 2, 1]], order=2, classes=3)
    made.save(folder)
    return folder


def test_round_trip(tmp_path):
    actual = AudioPreprocessor.load(saved(tmp_path))
    assert [len(row) for row in actual.sample] == [7, 5]
    assert actual.ngram.table.shape == (3, 3)


def test_lengths_are_those_of_the_recordings_not_of_their_paths(tmp_path):
    long, short = tmp_path / "a.wav", tmp_path / "a_short_one_of_a_long_name.wav"
    wav(long, np.zeros(800, "float32"), 8000)
    wav(short, np.zeros(100, "float32"), 16_000)
    preprocessor = AudioPreprocessor(8000, ["a"], [np.ones(7, "float32")])
    rows = {"audio": [str(long), str(short), np.ones(3, "float32")]}
    assert preprocessor.row_lengths(rows) == [800, 50, 3]
    with pytest.raises(UserError, match=r"none\.wav: No such file"):
        preprocessor.row_lengths({"audio": [str(tmp_path / "none.wav")]})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("waveform", np.float32(1)),
        ("waveform", np.ones((1, 7), "float32")),
        ("waveform", np.full((2, 7), "a")),
        ("lengths", np.array([7.0, 5.0])),
        ("ngram", np.ones((3, 2), "float32")),
        ("ngram", np.float32(1)),
    ],
)
def test_arrays_that_do_not_fit(tmp_path, name, value):
    path = saved(tmp_path) / "arrays.npz"
    with np.load(path) as file:
        arrays = dict(file)
    assert name in arrays
    np.savez(path, **{**arrays, name: value})
    with pytest.raises(UserError, match="is damaged: restore it, or train again"):
        AudioPreprocessor.load(tmp_path)


def test_a_long_recording_does_not_make_others_long(monkeypatch):
    rows = [np.zeros(8, "float32"), np.zeros(1, "float32")]
    monkeypatch.setattr("zoo.preprocessing.audio.MAX_BATCH", 64)
    assert padded(rows)["waveform"].shape == (2, 8)
    with pytest.raises(UserError, match="3 recordings, the longest of 8 samples, have more than"):
        padded([*rows, rows[1]])
