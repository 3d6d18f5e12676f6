"""The folder that all test workers share."""

import os

import pytest


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory):
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "contract"
