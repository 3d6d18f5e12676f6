"""What the benchmark of training steps makes of them, and that ours and the peer's take turns."""

import sys

import numpy as np

from benchmarks import language_model_step
from benchmarks.language_model_step import Step, peer_step, random_ids, report

SLOW = Step(2.0, 9.0, 9.0)  # a warm one


def steps(*cpu):
    return [Step(3.0, 9.0, 9.0), SLOW, *(Step(1.0, each, each / 2) for each in cpu)]


def test_the_best_of_ours_is_compared_by_the_median_after_the_warm_steps():
    given = {"ours": steps(4, 2, 3), "ours, XLA": steps(4, 2, 2), "transformers": steps(3, 3, 9)}
    assert report(given, tokens=512)[2:] == [
        "| ours | 3.0000 | 3.000 | 1.500 | 341 |",
        "| ours, XLA | 3.0000 | 2.000 | 1.000 | 512 |",
        "| transformers | 3.0000 | 3.000 | 1.500 | 341 |",
        "ours, XLA beside transformers: 1.50 times, by seconds of the processor",
        "ours, XLA beside transformers: 1.50 times, by the clock",
    ]


def test_without_a_peer_there_is_no_ratio():
    assert report({"ours": steps(1)}, tokens=512)[2:] == [
        "| ours | 3.0000 | 1.000 | 0.500 | 1024 |"
    ]


def test_random_tokens_are_never_padding():
    ids = random_ids(50, 9, vocabulary_size=4, pad=2)
    assert ids.shape == (50, 10) and np.unique(ids).tolist() == [0, 1, 3]


def test_the_peer_does_a_step_when_it_is_asked(tmp_path, monkeypatch):
    peer = tmp_path / "peer.py"
    peer.write_text(
        "import json, sys\n"
        "rate = json.loads(sys.argv[1])['rate']\n"
        "for number, _ in enumerate(sys.stdin):\n"
        "    print(json.dumps([number, rate, 2.0]), flush=True)\n"
    )
    monkeypatch.setattr(language_model_step, "PEER", peer)
    with peer_step(sys.executable, {"rate": 0.5}) as step:
        assert [step(), step()] == [Step(0, 0.5, 2.0), Step(1, 0.5, 2.0)]
