"""Strings of digits: of which recordings, and what they hold."""

import numpy as np

from benchmarks.spoken_digits import WORDS, Digit, joined, parts, read_digits, write
from tests.tasks.cases.files import wav
from zoo.data.audio.read import read_recordings

SPEAKERS = ("ann", "bob", "cy")


def digits():
    random = np.random.default_rng(3)
    return [
        Digit(digit, speaker, index, random.uniform(0.1, 1, 100 + digit))
        for digit in range(10)
        for speaker in SPEAKERS
        for index in range(12)
    ]


def test_no_recording_is_in_two_parts():
    actual = {name: {each[:3] for each in some} for name, some in parts(digits(), None).items()}
    assert sum(map(len, actual.values())) == len(set.union(*actual.values())) == len(digits())
    assert {index for _, _, index in actual["test"]} == {*range(5)}


def test_a_speaker_is_left_out():
    actual = {
        name: {each.speaker for each in some} for name, some in parts(digits(), "bob").items()
    }
    assert actual == {"train": {"ann", "cy"}, "val": {"ann", "cy"}, "test": {"bob"}}


def test_a_string_is_of_one_speaker():
    samples, text = joined(digits(), np.random.default_rng(5))
    words = text.split()
    assert 3 <= len(words) <= 7 and set(words) <= set(WORDS)
    loud = np.abs(samples) > 0.05
    assert loud.sum() == sum(100 + WORDS.index(word) for word in words)
    own, other = (joined(digits(), np.random.default_rng(seed))[1] for seed in (5, 6))
    assert own == text != other


def test_what_is_written_can_be_read(tmp_path):
    for each in digits():
        name = f"{each.digit}_{each.speaker}_{each.index}.wav"
        wav(tmp_path / name, each.samples)
    actual = read_digits(tmp_path)
    assert len(actual) == len(digits()) and {each.speaker for each in actual} == set(SPEAKERS)
    write(tmp_path / "out", "train", actual, count=3, seed=0)
    recordings = read_recordings(tmp_path / "out" / "train.tsv")
    assert len(recordings.audio) == 3 and set(recordings.rates) == {8000}
