"""The history of a training: how far it came, and how long all of it takes."""

import pytest

import zoo

ROWS = [(f"a {'fine' if n % 2 else 'dull'} film {n}", "ab"[n % 2]) for n in range(640)]


class Until:
    """Ends the training after an epoch."""

    def __init__(self, epoch):
        self.epoch = epoch

    def on_epoch(self, result):
        return result.epoch == self.epoch


def trained(**options):
    task = zoo.TextClassifier(num_buckets=64)
    return task.fit(ROWS, epochs=4, xla=False, verbose=False, **options)


def test_a_training_that_was_cut_says_how_long_the_rest_takes():
    history = trained(callbacks=[Until(1)])
    assert history.stopped == "callback" and history.progress == 0.25
    assert history.expected_seconds > history.seconds > 0


def test_a_whole_training_took_what_it_takes():
    history = trained()
    assert (history.stopped, history.progress) == ("finished", 1.0)
    assert history.expected_seconds == pytest.approx(history.seconds)
