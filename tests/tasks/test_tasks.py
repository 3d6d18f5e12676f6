"""Every task x every check of the contract. A new task without a case fails."""

import pytest

from export import VerificationError
from tests.tasks import api
from tests.tasks.cases import CASES
from tests.tasks.checks import CHECKS
from tests.tasks.checks.distributing import WHOLE
from tests.tasks.harness import Subject
from tests.tasks.reasons import REASONS, UNSURE
from tests.tasks.table import KEY
from zoo.errors import UserError

# One that generates, one that classifies, and one without text. The others, in which little is new,
# are thorough.
QUICK = {"causal_lm", "series_classifier", "text_classifier"}


def marks(name, check):
    case, rule = CASES[name], CHECKS[check]
    if case.variant:
        return [pytest.mark.long]
    if name not in QUICK:
        return [getattr(pytest.mark, rule.others)]
    return [getattr(pytest.mark, rule.mark)] if rule.mark and check not in case.quick else []


CELLS = [
    pytest.param(name, check, id=f"{name}-{check.replace(' ', '_')}", marks=marks(name, check))
    for name, case in CASES.items()
    for check, rule in CHECKS.items()
    if rule.variants or not case.variant
]


@pytest.fixture(scope="session")
def subjects(tmp_path_factory):
    """The cases with their trained tasks, of which each worker makes those that it needs."""
    base, made = tmp_path_factory.mktemp("tasks"), {}

    def subject(name):
        if name not in made:
            made[name] = Subject(CASES[name], base / name)
        return made[name]

    return subject


@pytest.mark.parametrize(("name", "check"), CELLS)
def test_task(name, check, subjects, record_property):
    reason = CASES[name].not_applicable.get(check, "")
    record_property(KEY, [name, check, reason])
    if not reason:
        CHECKS[check].function(subjects(name))
        return
    assert REASONS[reason](subjects(name).served), f"not true of {name}: {reason}"
    if reason in UNSURE:
        return
    # Else it applies after all.
    with pytest.raises((UserError, VerificationError, AttributeError, AssertionError)):
        CHECKS[check].function(subjects(name))


def test_every_task_has_a_case():
    assert {case.task for case in CASES.values()} == set(api.kinds())
    assert {case.task for case in CASES.values() if not case.variant} == set(api.kinds())


def test_every_reason_is_about_a_check():
    for name, case in CASES.items():
        assert set(case.not_applicable) <= set(CHECKS), name
        assert set(case.not_applicable.values()) <= set(REASONS), name


def test_every_case_whose_weights_cannot_be_split_is_one():
    assert set(CASES) > WHOLE
