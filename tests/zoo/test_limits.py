"""Limits in annotations: those of the arguments of models, which are options of tasks."""

import math
import re
from collections.abc import Sequence
from typing import Annotated, Any

import pytest

from zoo.errors import UserError
from zoo.limits import Limits, check
from zoo.models.arguments import FromTask, NonNegative, PositiveInt, Rate, is_from_task
from zoo.models.options import check_options, model_options
from zoo.registry import MODELS

EVERY = [(row, task) for row in MODELS.values() for task in (None, *row.tasks)]
COUNT = "units must be an integer of at least 1"
RATE = "units must be a number of at least 0 and below 1"


@pytest.mark.parametrize(
    ("annotation", "values"),
    [
        (PositiveInt, [1, 2**31 - 1]),
        (PositiveInt | None, [None, 3]),
        (FromTask[PositiveInt | None], [None, 3]),
        (Rate, [0, 0.0, 0.999]),
        (Rate | None, [None, 0.5]),
        (NonNegative, [0, 1e-30, 7.5]),
        (Annotated[str, Limits(choices=("full", "local"))], ["full", "local"]),
        (Sequence[int], [[], [1, 2]]),
        (Sequence[int] | None, [None, [1]]),
        (dict[str, int], [{}, {"a": 1}]),
        (bool, [True, False]),
        (Any, [None, 1, object]),
    ],
)
def test_values_within_the_limits_are_taken(annotation, values):
    for value in values:
        assert check("units", value, annotation) is value


@pytest.mark.parametrize(
    ("annotation", "value", "message"),
    [
        (PositiveInt, 0, f"{COUNT}, got 0"),
        (PositiveInt, True, f"{COUNT}, got True"),
        (PositiveInt, 8.0, f"{COUNT}, got 8.0"),
        (PositiveInt, "8", f"{COUNT}, got '8'"),
        (PositiveInt, None, f"{COUNT}, got None"),
        (PositiveInt, 2**31, "units must be below 2,147,483,648, got 2147483648"),
        (PositiveInt | None, 0, f"{COUNT}, got 0"),
        (FromTask[PositiveInt], 0, f"{COUNT}, got 0"),
        (FromTask[PositiveInt | None], 0, f"{COUNT}, got 0"),
        (Rate, 1, f"{RATE}, got 1"),
        (Rate, -0.1, f"{RATE}, got -0.1"),
        (Rate, math.nan, f"{RATE}, got nan"),
        (Rate | None, 1.5, f"{RATE}, got 1.5"),
        (NonNegative, math.inf, "units must be a number of at least 0 and below inf, got inf"),
        (
            Annotated[str, Limits(choices=("full", "local"))],
            "none",
            "units must be one of full, local, got 'none'",
        ),
        (str, 3, "units must be a string, got 3"),
        (bool, 1, "units must be true or false, got 1"),
        (Sequence[int], 3, "units must be a list, got 3"),
        (Sequence[int] | None, "12", "units must be a list, got '12'"),
    ],
)
def test_values_out_of_the_limits_are_refused(annotation, value, message):
    with pytest.raises(UserError) as caught:
        check("units", value, annotation)
    assert str(caught.value) == message


def test_limits_that_are_given_come_before_those_of_the_annotation():
    assert check("units", 0, PositiveInt, Limits(minimum=0)) == 0


def test_what_a_task_sets_is_marked():
    assert is_from_task(FromTask[Sequence[int]]) and is_from_task(FromTask[PositiveInt | None])
    assert not is_from_task(PositiveInt) and not is_from_task(int)


@pytest.mark.parametrize(("row", "task"), EVERY, ids=[f"{row.name}-{task}" for row, task in EVERY])
def test_every_number_of_every_model_has_limits_in_which_its_defaults_are(row, task):
    options = model_options(row, task)
    for name, parameter in options.items():
        limited = " ".join(map(str, (parameter.annotation,)))
        plain = limited in ("<class 'int'>", "<class 'float'>", "int | None", "float | None")
        assert not plain, (
            f"{name} of {row.name} has no limits: annotate it with PositiveInt or Rate"
        )
        if parameter.default is not parameter.empty:
            check(name, parameter.default, parameter.annotation)
    for preset in row.presets.values():
        for name in preset.keys() & options.keys():
            check(name, preset[name], options[name].annotation)


@pytest.mark.parametrize(
    ("model", "task", "hidden"),
    [
        ("bert", "text-classifier", {"vocabulary_size", "num_classes"}),
        ("bert", "text-embedder", {"vocabulary_size", "pooling", "normalize"}),
        ("transformer", "text-to-text", {"source_vocabulary_size", "target_vocabulary_size"}),
        ("gat", "node-classifier", {"input_dim", "num_classes", "edge_dim"}),
        (
            "series_model",
            "series-forecaster",
            {"context_length", "horizon", "num_targets", "quantiles", "known_scaling"}
            | {"num_static", "season"},
        ),
        ("ctc_recognizer", "speech-recognizer", {"vocabulary_size", "sample_rate"}),
    ],
)
def test_options_that_the_task_sets_are_not_offered(model, task, hidden):
    offered = set(model_options(MODELS[model], task)) - hidden - {"name"}
    for name in {*hidden, "name"}:
        with pytest.raises(UserError, match=f"{model} has no option '{name}'") as caught:
            check_options(model, None, {name: 3}, task)
        listed = re.split("[Cc]hoose from ", str(caught.value))[1].split(", ")
        bounded = listed[-1] == f"…; `keras-attn models {model}` lists them all"
        assert set(listed[:-1]) < offered if bounded else set(listed) == offered
        assert len(str(caught.value)) <= 500
