"""The contract's table at the end of the run, and the folder that all test workers share."""

import os

import pytest

from tests.contract.table import pytest_terminal_summary  # noqa: F401


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory):
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "contract"
