import json

import pytest

from zoo.errors import UserError
from zoo.training.state import TrainingState


def record(state, *values, keep=3, name="bleu"):
    best = [state.record({"epoch": e, name: v}, keep) for e, v in enumerate(values, 1)]
    return best


def test_best_value_patience_and_kept_epochs_when_more_is_better():
    state = TrainingState(8, "bleu", "max")
    assert record(state, 3.0, 7.0, 5.0, 7.0, 6.0) == [True, True, False, False, False]
    assert (state.best_value, state.best_epoch, state.waited) == (7.0, 2, 3)
    assert state.kept == [(7.0, 4), (7.0, 2), (6.0, 5)]


def test_best_value_and_kept_epochs_when_less_is_better():
    state = TrainingState(8, "bleu", "min")
    assert record(state, 3.0, 2.0, 5.0, 1.0, keep=2) == [True, True, False, True]
    assert state.kept == [(1.0, 4), (2.0, 2)]
    assert state.waited == 0


def test_a_value_that_is_no_number_is_never_the_best():
    state = TrainingState(8, "bleu", "max")
    assert record(state, float("nan"), 1.0, float("inf")) == [False, True, False]
    assert state.kept == [(1.0, 2)]
    assert state.history[0] == {"epoch": 1, "bleu": None}
    json.loads(state.to_json(), parse_constant=pytest.fail)


def test_epochs_without_the_watched_value_do_not_wear_out_the_patience():
    state = TrainingState(8, "bleu", "max")
    state.record({"epoch": 1, "bleu": 2.0}, 1)
    assert not state.record({"epoch": 2, "loss": 1.0}, 1)
    assert state.waited == 0


def test_without_a_monitor_the_newest_epoch_is_the_best():
    state = TrainingState(8)
    assert record(state, 1.0, 2.0, name="loss") == [True, True]
    assert state.best_epoch == 2
    assert state.kept == []


def test_an_epoch_trained_again_replaces_its_first_row_and_checkpoint():
    state = TrainingState(8, "bleu", "max")
    record(state, 1.0, 4.0)
    state.record({"epoch": 2, "bleu": 3.0}, 3)
    assert [row["bleu"] for row in state.history] == [1.0, 3.0]
    assert state.kept == [(3.0, 2), (1.0, 1)]


def test_equal_is_as_good_but_not_better():
    state = TrainingState(8, "bleu", "max", best_value=2.0)
    assert state.at_least_as_good(2.0)
    assert not state.at_least_as_good(2.0, strictly=True)
    assert not state.at_least_as_good(1.9)


def test_round_trip(tmp_path):
    state = TrainingState(8, "bleu", "max", seconds=1.5)
    record(state, 3.0, 7.0)
    (tmp_path / "state.json").write_text(state.to_json())
    assert TrainingState.read(tmp_path / "state.json") == state


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"steps_per_epoch": 8, "epo',
        "[1, 2]",
        '{"steps_per_epoch": 8, "color": "red"}',
        '{"steps_per_epoch": 8, "epoch": 2}',
        '{"steps_per_epoch": 8, "kept": [1]}',
        '{"steps_per_epoch": "8"}',
        '{"steps_per_epoch": 8, "mode": "least"}',
        '{"steps_per_epoch": 8, "best_value": "low"}',
        '{"steps_per_epoch": 8, "epoch": 1, "history": [3]}',
    ],
)
def test_a_broken_file_is_named_with_what_to_do(tmp_path, text):
    path = tmp_path / "state.json"
    path.write_text(text)
    with pytest.raises(
        UserError, match=r"state\.json is not a valid state file .*restore it from a backup"
    ):
        TrainingState.read(path)
    path.unlink()
    with pytest.raises(UserError, match=r"state\.json is missing.*restore it from a backup"):
        TrainingState.read(path)


def test_an_epoch_cut_short_is_no_look():
    """Trained again in the next session, it would be counted twice."""
    state = TrainingState(8, "bleu", "max")
    record(state, 3.0, 2.0)
    for _ in range(3):
        state.record({"epoch": 3, "bleu": 1.0}, 3, complete=False)
    assert (state.waited, state.epoch) == (1, 2)
    assert not state.record({"epoch": 3, "bleu": 2.5}, 3)
    assert (state.waited, state.epoch, len(state.history)) == (2, 3, 3)


ROWS = [(0.8, 0.9), (0.9, 0.7), (0.9, 0.8), (0.9, 0.4), (0.8, 0.1), (0.9, float("nan")), (0.9, 0.4)]


@pytest.mark.parametrize("resumed_after", range(len(ROWS)))
def test_the_validation_loss_decides_between_equal_values(resumed_after, tmp_path):
    """Also the patience, the epochs to average, and when a run was resumed."""
    state, actual = TrainingState(8, "val_accuracy", "max"), []
    for number, (accuracy, loss) in enumerate(ROWS, 1):
        row = {"epoch": number, "val_accuracy": accuracy, "val_loss": loss}
        actual.append((state.record(row, 3), state.best_epoch, state.waited))
        if number == resumed_after:
            (tmp_path / "state.json").write_text(state.to_json())
            state = TrainingState.read(tmp_path / "state.json")
    assert actual == [
        (True, 1, 0),
        (True, 2, 0),  # higher
        (False, 2, 1),  # equal with a higher loss
        (True, 4, 0),  # equal with a lower loss
        (False, 4, 1),  # lower, whatever the loss
        (False, 4, 2),  # no loss
        (False, 4, 3),  # equal in both
    ]
    assert (state.best_value, state.best_loss) == (0.9, 0.4)
    assert state.kept == [(0.9, 7), (0.9, 4), (0.9, 2)]
    assert state.at_least_as_good(0.9, 0.3, strictly=True)
    assert not state.at_least_as_good(0.9, 0.5) and not state.at_least_as_good(0.8, 0.1)


def test_a_state_of_an_earlier_version_has_no_best_loss(tmp_path):
    state = TrainingState(8, "val_accuracy", "max")
    state.record({"epoch": 1, "val_accuracy": 0.5, "val_loss": 2.0}, 1)
    values = json.loads(state.to_json())
    del values["best_loss"]
    (tmp_path / "state.json").write_text(json.dumps(values))
    state = TrainingState.read(tmp_path / "state.json")
    assert not state.record({"epoch": 2, "val_accuracy": 0.5, "val_loss": 1.0}, 1)
