"""Training on prepared data: on several devices, in several processes, and after kill -9."""

import json
import os
import signal

import numpy as np
import pytest

from tests.zoo.training.on_hosts import labeled, new_task, text
from tests.zoo.training.test_hosts import same, started, trained
from zoo.data.readers import documents, read_columns, tables

# Windows of a stream, all of one shape, and rows in buckets of their lengths.
TASKS = ("causal-lm", "text-classifier")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A function from the name of a task to its prepared data, in several shards."""
    made = {}

    def folder_of(name):
        if name not in made:
            made[name] = tmp_path_factory.mktemp("data") / "shards"
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(documents, "PIECE_CHARACTERS", 250)
                patch.setattr(read_columns, "PIECE_ROWS", 40)
                patch.setattr(tables, "BATCH_ROWS", 40)
                data = made[name].parent / "data.txt"
                new_task(name).prepare(_written(name, data), made[name], 1, verbose=False)
            assert len(list(made[name].glob("shard-*"))) > 2
        return made[name]

    return folder_of


def _written(name, path):
    if name == "causal-lm":
        (characters,) = text()
        path.write_text("\n".join(characters[i : i + 90] for i in range(0, len(characters), 90)))
        return path
    rows = path.with_suffix(".tsv")
    rows.write_text("".join(f"{row}\t{label}\n" for row, label in labeled()))
    return rows


@pytest.fixture(scope="module")
def one(prepared, tmp_path_factory):
    """A function from the name of a task to the losses and the folder of one process."""
    made = {}

    def run_of(name):
        if name not in made:
            folder = tmp_path_factory.mktemp("one") / "run"
            (losses,) = trained(1, folder, data=prepared(name))
            assert losses["loss"][-1] < losses["loss"][0]
            made[name] = losses, folder
        return made[name]

    return run_of


@pytest.mark.long
@pytest.mark.parametrize("name", TASKS)
def test_two_devices(name, prepared, one, tmp_path):
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2"
    actual = trained(1, tmp_path / "run", data=prepared(name), XLA_FLAGS=flags)
    same(actual, tmp_path / "run", one(name))


@pytest.mark.thorough(1)
@pytest.mark.parametrize("name", TASKS)
def test_two_processes(name, prepared, one, tmp_path):
    actual = trained(2, tmp_path / "run", data=prepared(name))
    assert len(actual) == 2
    same(actual, tmp_path / "run", one(name))
    log = (tmp_path / "run" / "log.txt").read_text("utf-8")
    assert ("each process reads its own rows only" in log) == (name == "causal-lm")


@pytest.mark.thorough(1)
@pytest.mark.parametrize("name", TASKS)
def test_a_killed_run_goes_on_in_the_middle_of_an_epoch(name, prepared, one, tmp_path):
    """SIGKILL before batch 4 of epoch 2, after a checkpoint of its first two batches."""
    folder = tmp_path / "run"
    (killed,) = started(1, folder, 2, 4, 0, data=prepared(name))
    _, errors = killed.communicate()
    assert killed.returncode == -signal.SIGKILL, errors[-3000:]
    state = json.loads((folder / "checkpoints" / "state.json").read_text("utf-8"))
    assert (state["epoch"], state["step"]) == (1, 2)
    (actual,) = trained(1, folder, data=prepared(name))
    losses, reference = one(name)
    for measured in ("loss", "val_loss"):
        np.testing.assert_allclose(actual[measured], losses[measured], rtol=1e-6, err_msg=measured)
    same([actual], folder, (losses, reference))
