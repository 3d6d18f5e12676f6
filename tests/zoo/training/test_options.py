"""The options of `fit`: which are saved with the run, and what they refuse."""

import pytest

from zoo.errors import UserError
from zoo.options import defaults_of, names_of, options_of
from zoo.training.options import SCHEDULES, SessionOptions, TrainingOptions, split


def test_options_of_fit_are_of_the_run_or_of_one_call():
    assert not set(names_of(TrainingOptions)) & set(names_of(SessionOptions))
    training, session = defaults_of(TrainingOptions), defaults_of(SessionOptions)
    assert split({**training, **session}) == (training, session)
    assert split({}) == ({}, {})
    # What no one knows belongs to training, which names the choices.
    training, session = split({"resume": True, "epoch": 3})
    assert (training, session) == ({"epoch": 3}, {"resume": True})
    with pytest.raises(
        UserError,
        match="fit has no option 'epoch'; did you mean epochs.* Choose from epochs, optimizer",
    ):
        options_of(TrainingOptions, training, "fit")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 0}, "epochs must be an integer of at least 1, got 0"),
        ({"learning_rate": 0}, "learning_rate must be a number above 0, got 0"),
        ({"warmup": 0}, "warmup must be an integer of at least 1, got 0"),
        ({"schedule": "step"}, f"schedule must be one of {', '.join(SCHEDULES)}, got 'step'"),
        ({"weight_decay": -1e-3}, "weight_decay must be a number of at least 0, got -0.001"),
        ({"clipnorm": 0.0}, "clipnorm must be a number above 0, got 0.0"),
        ({"accumulate": 0}, "accumulate must be an integer of at least 1, got 0"),
        ({"freeze": -1}, "freeze must be an integer of at least 0, got -1"),
        ({"patience": 0}, "patience must be an integer of at least 1, got 0"),
        ({"average": 0}, "average must be an integer of at least 1, got 0"),
        ({"seed": -1}, "seed must be an integer of at least 0 and below 4294967296, got -1"),
        ({"seed": 2**32}, "seed must be an integer of at least 0 and below 4294967296, got 4294"),
        ({"xla": 1}, "xla must be true or false or one of auto, got 1"),
        ({"xla": "yes"}, "xla must be true or false or one of auto, got 'yes'"),
    ],
)
def test_training_options_out_of_range(options, message):
    with pytest.raises(UserError, match=message):
        options_of(TrainingOptions, options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_minutes": -1}, "max_minutes must be a number above 0, got -1"),
        ({"max_minutes": float("nan")}, "max_minutes must be a number above 0, got nan"),
        ({"max_minutes": 0}, "max_minutes must be a number above 0, got 0"),
        ({"distribute": "rows"}, "distribute must be one of data, model, got 'rows'"),
        ({"folder": 3}, "folder must be a string, got 3"),
        ({"verbose": None}, "verbose must be true or false, got None"),
    ],
)
def test_session_options_out_of_range(options, message):
    with pytest.raises(UserError, match=message):
        options_of(SessionOptions, options)
