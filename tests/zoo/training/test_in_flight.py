"""No more batches are handed to a device than it can begin soon."""

import threading

from tests.zoo.training.small_run import STEPS, VALIDATION_ROWS, build_model, run
from tests.zoo.training.test_termination import from_step
from zoo.training.watch_batches import AHEAD, InFlight


def test_a_batch_waits_for_the_result_of_one_before():
    batches, started = InFlight(ahead=2), []
    thread = threading.Thread(target=lambda: [started.append(batches.start()) for _ in range(5)])
    thread.start()
    for finished in range(4):
        while len(started) < min(5, 2 + finished):
            pass
        assert batches.count <= 2
        batches.finish()
    thread.join()
    assert len(started) == 5 and batches.count == 1


def test_a_result_that_never_comes_stops_nothing_for_ever():
    batches = InFlight(ahead=1, patience=0.01)
    batches.start()
    batches.start()
    assert batches.count == 2
    batches.reset()
    batches.finish()
    assert batches.count == 0


def test_training_and_validation_start_no_more(monkeypatch):
    counts, start = [], InFlight.start

    def counted(self):
        start(self)
        counts.append(self.count)

    monkeypatch.setattr(InFlight, "start", counted)
    run(build_model(), from_step, epochs=2)
    validation = VALIDATION_ROWS // 6
    assert len(counts) >= 2 * (STEPS + validation) and max(counts) <= AHEAD
