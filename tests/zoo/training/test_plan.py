"""Plans of training: resolved from options, defaults of a task and the number of batches."""

import dataclasses

import pytest

from zoo.errors import UserError
from zoo.options import option, values_of
from zoo.training.objective import Objective
from zoo.training.options import SessionOptions, TrainingOptions
from zoo.training.plan import Defaults, OptimizerPlan, TrainingPlan, plan_training
from zoo.training.session import check_session

OBJECTIVE = Objective("mse", monitor="val_accuracy", mode="max")


# Of a task with defaults that depend on the numbers that it is given.
DEFAULTS = Defaults(
    objective=OBJECTIVE,
    epochs=lambda steps_per_epoch: 60 // steps_per_epoch,
    warmup=lambda steps: steps // 4,
    learning_rate=0.0625,
    rates={"dense/kernel": 0.25},
    beta_2=0.75,
    patience=lambda epochs: epochs // 2,
    freeze=2,
    jit_compile=False,
)


@dataclasses.dataclass(kw_only=True)
class FreezingOptions(TrainingOptions):
    freeze: int | None = option(None, "Number of frozen layer groups.", minimum=0)


GIVEN = {
    "epochs": 7,
    "learning_rate": 0.5,
    "warmup": 11,
    "patience": 5,
    "freeze": 1,
    "xla": True,
    "optimizer": "sgd",
    "schedule": "linear",
    "clipnorm": 2.0,
    "accumulate": 3,
    "layer_decay": 0.9,
    "average": 4,
    "seed": 13,
}


def test_what_is_given_is_not_for_the_task_to_choose():
    plan = plan_training(FreezingOptions(**GIVEN), DEFAULTS, 10, validated=True)
    assert plan == TrainingPlan(
        epochs=7,
        steps_per_epoch=10,
        objective=OBJECTIVE,
        optimizer=OptimizerPlan(
            name="sgd",
            learning_rate=0.5,
            schedule="linear",
            warmup=11,
            clipnorm=2.0,
            accumulate=3,
            layer_decay=0.9,
            rates={"dense/kernel": 0.25},
            beta_2=0.75,
        ),
        patience=5,
        average=4,
        freeze=1,
        seed=13,
        jit_compile=True,
    )
    assert (plan.steps, plan.updates) == (70, 23)


def test_what_is_not_given_is_chosen_by_the_task_and_the_options_stay_as_they_are():
    options = FreezingOptions(accumulate=2)
    before = values_of(options)
    plan = plan_training(options, DEFAULTS, 10, validated=True)
    assert values_of(options) == before
    assert plan.resolved == {
        "epochs": 6,
        "patience": 3,
        "learning_rate": 0.0625,
        "warmup": 7,  # a quarter of 30 updates
        "freeze": 2,
    }
    assert (plan.updates, plan.jit_compile, plan.optimizer.clipnorm) == (30, False, 1.0)
    assert set(plan.resolved) <= set(before)  # so that a run's config keeps its names


def test_a_zero_is_given_and_no_default():
    assert plan_training(FreezingOptions(freeze=0), DEFAULTS, 10, validated=True).freeze == 0


def test_without_validation_data_nothing_is_monitored():
    plan = plan_training(TrainingOptions(), DEFAULTS, 10, validated=False)
    assert (plan.objective.monitor, plan.objective.mode) == (None, "min")
    assert plan.patience is None
    with pytest.raises(UserError, match="^patience requires validation data$"):
        plan_training(TrainingOptions(patience=1), DEFAULTS, 10, validated=False)


def test_a_plan_cannot_be_changed():
    plan = plan_training(TrainingOptions(), DEFAULTS, 10, validated=True)
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.epochs = 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.optimizer.learning_rate = 3.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"accumulate": 61},
            "accumulate must be at most the number of batches, 60, got 61",
        ),
        (
            {"optimizer": "sgd", "weight_decay": 0.1},
            "weight_decay is an option of the optimizer adam, not of sgd",
        ),
    ],
)
def test_options_that_contradict_each_other(options, message):
    with pytest.raises(UserError) as caught:
        plan_training(TrainingOptions(**options), DEFAULTS, 10, validated=True)
    assert str(caught.value) == message


def test_as_many_accumulated_batches_as_there_are_make_one_update():
    plan = plan_training(TrainingOptions(accumulate=60), DEFAULTS, 10, validated=True)
    assert plan.updates == 1


def test_the_lines_tell_what_was_chosen():
    plan = plan_training(
        FreezingOptions(weight_decay=0.01, layer_decay=0.5, accumulate=2, average=3),
        DEFAULTS,
        10,
        validated=True,
    )
    assert plan.lines() == [
        "optimizer: adam, 30 updates, learning rate 0.0625, schedule cosine, warm-up 7 steps, "
        "2 batches each, clipnorm 1, weight decay 0.01, layer decay 0.5, 2 layer groups frozen",
        "best epoch: maximum of val_accuracy, patience 3, mean of the best 3 epochs",
    ]
    assert len(plan_training(TrainingOptions(), DEFAULTS, 10, validated=False).lines()) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resume": True}, "resume requires the folder of the run"),
        ({"save_every": 5}, "save_every requires a folder for the run"),
        ({"save_every": "5d", "folder": "run"}, "save_every must be a number of steps, such as"),
    ],
)
def test_a_session_without_what_it_requires(options, message):
    with pytest.raises(UserError, match=f"^{message}"):
        check_session(SessionOptions(**options))
