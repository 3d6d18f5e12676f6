"""Options: which values they take, which they refuse and in which words."""

import dataclasses
import importlib
import pathlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zoo.decoding.options import GenerationOptions
from zoo.errors import UserError
from zoo.options import defaults_of, facts_of, names_of, option, options_of, values_of
from zoo.registry import TASKS
from zoo.tasks.options.series_forecaster import ForecastOptions
from zoo.tasks.options.speech_recognizer import DecodingOptions
from zoo.training.options import SessionOptions


@dataclasses.dataclass(kw_only=True)
class Every:
    """An option of every kind."""

    count: int = option(3, "Number of rows.", minimum=1, below=7, group="Sizes")
    rate: float = option(0.5, "Dropout rate.", minimum=0, below=1)
    scale: float | None = option(None, "A scale.", above=0)
    shift: float = option(1.0, "Any number.")
    limit: int | None = option(None, "A limit.", minimum=2)
    kind: str = option("small", "A size in words.", choices=("small", "large"))
    name: str | None = option(None, "A name.")
    folder: str | None = option(None, "A folder.")
    loud: bool = option(False, "Whether it is loud.")
    mode: bool | str = option("auto", "On, off, or auto.", choices=("auto",))
    labels: list[str] | None = option(None, "Labels.")
    words: list[Any] = option([], "Words.")
    weights: dict[str, float] = option({}, "Weights by name.")
    whatever: Any = option(None, "Anything.")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("count", [1, 6]),
        ("rate", [0, 0.0, 0.999]),
        ("scale", [None, 1, 1e-30, float("inf")]),
        ("shift", [-7, 1e30, float("-inf")]),
        ("limit", [None, 2]),
        ("kind", ["small", "large"]),
        ("name", [None, "", "anything"]),
        ("loud", [True, False]),
        ("mode", ["auto", True, False]),
        ("labels", [None, [], ["a"]]),
        ("weights", [{}, {"a": 1.5}]),
        ("whatever", [None, 3, "text", object]),
    ],
)
def test_values_that_are_taken_as_they_are(name, values):
    for value in values:
        actual = getattr(options_of(Every, {name: value}), name)
        assert actual is value or actual == value and type(actual) is type(value)


INTEGER = "count must be an integer of at least 1 and below 7"
RATE = "rate must be a number of at least 0 and below 1"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("count", 0, f"{INTEGER}, got 0"),
        ("count", 7, f"{INTEGER}, got 7"),
        ("count", 3.0, f"{INTEGER}, got 3.0"),
        ("count", True, f"{INTEGER}, got True"),
        ("count", None, f"{INTEGER}, got None"),
        ("count", "3", f"{INTEGER}, got '3'"),
        ("rate", -1e-9, f"{RATE}, got -1e-09"),
        ("rate", 1, f"{RATE}, got 1"),
        ("rate", float("nan"), f"{RATE}, got nan"),
        ("rate", float("inf"), f"{RATE}, got inf"),
        ("rate", False, f"{RATE}, got False"),
        ("scale", 0, "scale must be a number above 0, got 0"),
        ("scale", float("nan"), "scale must be a number above 0, got nan"),
        ("shift", float("nan"), "shift must be a number, got nan"),
        ("limit", 1, "limit must be an integer of at least 2, got 1"),
        ("limit", 10**19, "limit must be below 2,147,483,648, got 10000000000000000000"),
        ("kind", "medium", "kind must be one of small, large, got 'medium'"),
        ("kind", None, "kind must be one of small, large, got None"),
        ("kind", 3, "kind must be one of small, large, got 3"),
        ("name", 3, "name must be a string, got 3"),
        ("name", b"a", "name must be a string, got b'a'"),
        ("loud", 1, "loud must be true or false, got 1"),
        ("loud", "yes", "loud must be true or false, got 'yes'"),
        ("labels", "ab", "labels must be a list, got 'ab'"),
        ("labels", {"a"}, "labels must be a list, got {'a'}"),
        ("words", None, "words must be a list, got None"),
        ("weights", [("a", 1)], "weights must be a dictionary, got [('a', 1)]"),
    ],
)
def test_values_that_are_refused_and_in_which_words(name, value, message):
    with pytest.raises(UserError) as caught:
        options_of(Every, {name: value})
    assert str(caught.value) == message


def test_one_of_a_few_words_or_true_or_false():
    for value in ("on", 1, None):
        with pytest.raises(UserError) as caught:
            options_of(Every, {"mode": value})
        assert str(caught.value) == f"mode must be true or false or one of auto, got {value!r}"


def test_tuples_become_lists_and_paths_text():
    """As JSON has them: options are saved with the run."""
    given = {"labels": ("a", "b"), "folder": pathlib.Path("a") / "b", "whatever": (1,)}
    actual = options_of(Every, given)
    assert actual.labels == ["a", "b"] and type(actual.labels) is list
    assert actual.folder == "a/b" and type(actual.folder) is str
    assert actual.whatever == (1,)


def test_defaults_are_apart():
    first = Every()
    first.words.append("a")
    first.weights["a"] = 1.0
    assert Every().words == [] and Every().weights == {}
    defaults = defaults_of(Every)
    defaults["words"].append("a")
    assert defaults_of(Every)["words"] == [] and defaults["count"] == 3
    assert list(defaults) == names_of(Every) == list(values_of(Every()))
    assert defaults_of(Every) == values_of(Every())


def test_a_default_out_of_range_is_refused_too():
    @dataclasses.dataclass(kw_only=True)
    class Wrong:
        count: int = option(0, "A count.", minimum=1)

    with pytest.raises(UserError, match="count must be an integer of at least 1, got 0"):
        options_of(Wrong, {})


def test_unknown_names_list_the_choices():
    @dataclasses.dataclass(kw_only=True)
    class Two:
        one: int = option(1, "One.")
        two: int = option(2, "Two.")

    assert values_of(options_of(Two, {"two": 3}, "task x")) == {"one": 1, "two": 3}
    with pytest.raises(UserError) as caught:
        options_of(Two, {"one": 1, "three": 3}, "task x")
    assert str(caught.value) == "task x has no option 'three'; choose from one, two"
    with pytest.raises(UserError, match="task x has no option 'three'; choose from one, two, four"):
        options_of(Two, {"three": 3}, "task x", also=["four"])


def test_a_subclass_that_has_another_default_keeps_the_help_and_the_limits():
    @dataclasses.dataclass(kw_only=True)
    class Fewer(Every):
        count: int = 2
        more: int = option(1, "More of them.")

    @dataclasses.dataclass(kw_only=True)
    class Fewest(Fewer):
        count: int = 1

    for kind, default in ((Fewer, 2), (Fewest, 1)):
        assert kind().count == defaults_of(kind)["count"] == default
        facts = facts_of(kind, "count")
        assert facts["help"] == "Number of rows." and facts["group"] == "Sizes"
        with pytest.raises(UserError, match=f"{INTEGER}, got 7"):
            options_of(kind, {"count": 7})
        assert facts_of(kind, "more")["help"] == "More of them."
        assert set(names_of(kind)) == {*names_of(Every), "more"}
    assert Every().count == 3

    @dataclasses.dataclass(kw_only=True)
    class Wider(Every):
        count: int = option(11, "More rows.", minimum=0)

    assert Wider().count == 11 and options_of(Wider, {"count": 0}).count == 0
    assert facts_of(Wider, "count")["help"] == "More rows."


@given(st.one_of(st.integers(), st.floats(), st.booleans(), st.none(), st.text(max_size=3)))
def test_numbers_are_taken_just_where_they_are_in_range(value):
    number = type(value) in (int, float)
    for name, taken in (
        ("count", type(value) is int and 1 <= value < 7),
        ("rate", number and 0 <= value < 1),
        ("scale", value is None or (number and value > 0)),
        ("limit", value is None or (type(value) is int and 2 <= value < 2**31)),
    ):
        if taken:
            assert getattr(options_of(Every, {name: value}), name) == value
        else:
            with pytest.raises(UserError, match=f"^{name} must be "):
                options_of(Every, {name: value})


def every_class():
    """All options of the zoo: those of every task, of its answers and of training."""
    yield from (GenerationOptions, ForecastOptions, DecodingOptions, SessionOptions)
    for row in TASKS.values():
        module = importlib.import_module(row.options)
        yield from (module.Settings, module.Training)


def test_every_option_of_the_zoo_is_explained_and_has_a_default_that_is_allowed():
    for kind in every_class():
        options_of(kind, {})
        for name in names_of(kind):
            facts = facts_of(kind, name)
            assert facts["help"].endswith((".", ")")), (kind, name)
            assert facts["help"][0].isupper(), (kind, name)
