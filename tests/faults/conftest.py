"""The tasks whose artifacts are attacked: few in thorough runs, all in long ones."""

import pytest

from tests.tasks import api
from tests.tasks.cases import CASES
from tests.tasks.harness import Subject

FEW = ("text_classifier",)
TASKS = [
    pytest.param(name, marks=pytest.mark.thorough if name in FEW else pytest.mark.long)
    for name, case in CASES.items()
    if not case.variant
]


@pytest.fixture(scope="module", params=TASKS)
def task(request, tmp_path_factory):
    subject = Subject(CASES[request.param], tmp_path_factory.mktemp("attacked") / request.param)
    return api.served(subject.adapted(), subject.case.head)
