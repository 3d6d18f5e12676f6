"""The cells of the contract that share a process share a worker."""

from tests.contract.checks import CHECKS
from tests.scheduling import WAITING, ByFile


def worker_of(check):
    return ByFile._split_scope(None, f"tests/contract/test_contract.py::test_contract[GRU-{check}]")


def test_every_check_of_another_process_waits_with_its_like():
    names = {name.replace(" ", "_") for name in CHECKS}
    assert set(WAITING) <= names
    assert {worker_of(name) for name in names - set(WAITING)} == {"GRU"}
    of_processes = {"JAX", "PyTorch", "SavedModel", "LiteRT", "Keras_export"}
    assert {worker_of(name) for name in of_processes} == set(WAITING.values())
