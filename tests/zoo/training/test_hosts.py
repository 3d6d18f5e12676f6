"""Several processes that train together give the numbers of one, and go on after one is lost."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import h5py
import numpy as np
import pytest
import yaml

from zoo.errors import UserError
from zoo.tasks.folder import WEIGHTS
from zoo.training import hosts
from zoo.training.hosts import LOST, share_rows
from zoo.training.launchers import LAUNCHERS, ProcessRank, process_rank

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
KERAS = {
    "KERAS_DISTRIBUTION_JOB_ADDRESSES": "10.0.0.1:1234,10.0.0.2:1234",
    "KERAS_DISTRIBUTION_NUM_PROCESSES": "2",
    "KERAS_DISTRIBUTION_PROCESS_ID": "1",
}
SLURM = {"SLURM_STEP_NUM_TASKS": "8", "SLURM_PROCID": "7"}


def test_launchers_tell_each_process_its_place():
    for variables, place in [
        ({}, None),
        ({"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}, None),  # a script of sbatch, without srun
        (KERAS, ProcessRank("Keras", "10.0.0.1:1234", 2, 1)),
        (SLURM, ProcessRank("Slurm", None, 8, 7)),
        (SLURM | KERAS, ProcessRank("Keras", "10.0.0.1:1234", 2, 1)),
    ]:
        assert process_rank(variables) == place


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"KERAS_DISTRIBUTION_PROCESS_ID": ""},
            "variable KERAS_DISTRIBUTION_PROCESS_ID is missing",
        ),
        ({"KERAS_DISTRIBUTION_PROCESS_ID": "2"}, "must be a number from 0 to 1; got '2'"),
        (
            {"KERAS_DISTRIBUTION_NUM_PROCESSES": "two"},
            "must be a number from 1 to 100000; got 'two'",
        ),
        ({"KERAS_DISTRIBUTION_JOB_ADDRESSES": "host"}, "must be a host and a port, host:port; got"),
    ],
)
def test_what_launchers_must_not_say(change, message):
    with pytest.raises(UserError, match=message):
        process_rank(KERAS | change)


def test_the_job_set_tells_each_pod_its_place():
    (job,) = yaml.safe_load_all((EXAMPLES / "jobset.yaml").read_text("utf-8"))
    (replicated,) = job["spec"]["replicatedJobs"]
    pods = replicated["template"]["spec"]
    (container,) = pods["template"]["spec"]["containers"]
    told = {each["name"]: each.get("value", "0") for each in container["env"]}
    count = pods["parallelism"]
    assert pods["completions"] == count and pods["completionMode"] == "Indexed"
    name = job["metadata"]["name"]
    host = f"{name}-{replicated['name']}-0-0.{name}"
    assert process_rank(told) == ProcessRank("Keras", f"{host}:55527", count, 0)
    assert told["KERAS_BACKEND"] == "jax"


def test_the_script_of_slurm_is_one():
    script = EXAMPLES / "slurm.sh"
    subprocess.run(["bash", "-n", script], check=True)
    assert "srun --kill-on-bad-exit=1 keras-attn train" in script.read_text("utf-8")


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


def processes(command, places):
    """A process of Python for each place, which its environment variables tell."""
    names = {name for _, address, *others in LAUNCHERS for name in (*address, *others)}
    env = {key: value for key, value in os.environ.items() if key not in names}
    env |= {"PYTHONPATH": str(ROOT), "KERAS_BACKEND": "jax", "TF_CPP_MIN_LOG_LEVEL": "3"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return [
        subprocess.Popen([sys.executable, *command], cwd=ROOT, env=env | place, **pipes)
        for place in places
    ]


def started(count, folder, *place, data="text", **variables):
    """Processes that train together on a text, or on a folder of prepared data."""
    values = (f"127.0.0.1:{free_port()}", str(count))
    places = [dict(zip(KERAS, (*values, str(index)), strict=True)) for index in range(count)]
    places = [{**place, **variables} for place in places]
    command = ["-m", "tests.zoo.training.on_hosts", folder, str(data), *map(str, place)]
    return processes(command, places)


def told_by(launcher, index):
    """What a launcher tells one of two processes on this machine."""
    if launcher == "Slurm":
        several = {"SLURM_JOB_ID": free_port(), "SLURM_NTASKS": "2", "SLURM_STEP_NUM_TASKS": "2"}
        one = {"SLURM_PROCID": str(index), "SLURM_LOCALID": str(index)}
        return {**several, **one, "SLURM_STEP_NODELIST": "localhost"}
    (names,) = (each[1:] for each in LAUNCHERS if each[0] == launcher)
    port = free_port()
    address = ("127.0.0.1", port) if len(names[0]) > 1 else (f"127.0.0.1:{port}",)
    return dict(zip((*names[0], *names[1:]), (*address, "2", str(index)), strict=True))


@pytest.mark.parametrize(
    "launcher",
    [
        pytest.param(name, marks=pytest.mark.thorough if name == "Slurm" else pytest.mark.long)
        for name, *_ in LAUNCHERS
    ],
)
def test_two_processes_of_each_launcher_find_each_other(launcher):
    first = told_by(launcher, 0)
    own = {name: value for name, value in told_by(launcher, 1).items() if value == "1"}
    script = "from zoo.training.hosts import *; print(join_hosts(), count_processes(), writes())"
    actual = [each.communicate()[0] for each in processes(["-c", script], [first, first | own])]
    assert [out.split() for out in actual] == [["2", "2", "True"], ["2", "2", "False"]]


@pytest.mark.clients
def test_the_example_of_ray_trains_with_two_workers(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("the cat sat on the mat. " * 90, "utf-8")
    sizes = "--model gpt --preset tiny --max-length 16 --epochs 2".split()
    options = ["--data", text, "--out", tmp_path / "run", *sizes]
    subprocess.run(
        [sys.executable, EXAMPLES / "ray_train.py", "2", "causal-lm", *options],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        check=True,
    )
    log = (tmp_path / "run" / "log.txt").read_text("utf-8")
    assert "the rows of each batch are split between 2 devices" in log
    assert "epoch 2/2" in log and (tmp_path / "run" / WEIGHTS).exists()


def trained(count, folder, **options):
    """The losses that each process prints, after what Gloo does."""
    done = [(each.communicate(), each.returncode) for each in started(count, folder, **options)]
    for (_, errors), status in done:
        assert status == 0, errors[-3000:]
    return [json.loads(out.splitlines()[-1]) for (out, _), _ in done]


def lost(count, folder, victim):
    """Trains until a process is killed in the second epoch, and all others have ended."""
    all_of_them = started(count, folder, 2, 4, victim)
    assert all_of_them[victim].communicate() and all_of_them[victim].returncode == -9
    for process in all_of_them:
        if process is not all_of_them[victim]:
            _, errors = process.communicate(timeout=60)
            assert process.returncode > 0 and LOST in errors
            assert "During handling of the above exception" not in errors
    state = json.loads((folder / "checkpoints" / "state.json").read_text("utf-8"))
    assert state["epoch"] == 1


def weights(folder):
    actual = {}
    with h5py.File(folder / "checkpoints" / "best.weights.h5") as file:
        file.visititems(lambda name, x: actual.update({name: x[()]} if hasattr(x, "shape") else {}))
    return actual


def files(folder):
    return sorted(str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file())


def same(actual, folder, one):
    """Losses, weights and files are those of one process."""
    losses, reference = one
    for each in actual:
        for name in ("loss", "val_loss"):
            np.testing.assert_allclose(each[name], losses[name], rtol=1e-5, err_msg=name)
    assert files(folder) == files(reference)
    expected = weights(reference)
    for name, each in weights(folder).items():
        if "key_dense/vars/1" not in name:  # the bias of keys has no effect on any output
            np.testing.assert_allclose(each, expected[name], rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """The losses and the folder of one process."""
    folder = tmp_path_factory.mktemp("one") / "run"
    (losses,) = trained(1, folder)
    assert losses["loss"][-1] < losses["loss"][0]
    return losses, folder


class Divisible:
    """Batches of six rows."""

    share = (0, 1)

    def divides(self, parts):
        return 6 % parts == 0


@pytest.mark.parametrize(
    ("owners", "shared"),
    [([0, 0, 1, 1, 2, 2], True), ([0, 0, 1], False), ([0, 1, 0, 1], False), ([0, 0, 1, 1], False)],
)
def test_rows_are_shared_between_processes_with_equally_many_devices(monkeypatch, owners, shared):
    class Jax:
        process_count = staticmethod(lambda: len({*owners}))
        process_index = staticmethod(lambda: 1)
        devices = staticmethod(lambda: [SimpleNamespace(process_index=owner) for owner in owners])

    monkeypatch.setattr(hosts, "_jax", lambda: Jax)
    monkeypatch.setattr(hosts, "count_processes", Jax.process_count)
    batches = Divisible()
    assert share_rows(batches, None) is shared
    assert batches.share == ((1, 3) if shared else (0, 1))


@pytest.mark.long
def test_two_processes(one, tmp_path):
    same(trained(2, tmp_path / "run"), tmp_path / "run", one)


@pytest.mark.thorough
def test_one_goes_on_after_the_second_of_two_was_lost(one, tmp_path):
    lost(2, tmp_path / "run", 1)
    same(trained(1, tmp_path / "run"), tmp_path / "run", one)


@pytest.mark.long
@pytest.mark.parametrize(("count", "victim", "then"), [(2, 0, 2), (4, 3, 2), (4, 0, 4)])
def test_others_go_on_after_one_was_lost(one, tmp_path, count, victim, then):
    lost(count, tmp_path / "run", victim)
    same(trained(then, tmp_path / "run"), tmp_path / "run", one)


@pytest.mark.long
def test_four_processes(one, tmp_path):
    same(trained(4, tmp_path / "run"), tmp_path / "run", one)
