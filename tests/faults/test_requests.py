"""Requests within the limits take little memory, and ids that a model lacks are refused."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import export
from export.serving import open_artifact
from export.worker.probes import load_probes
from tests.faults.callers import entry_of
from tests.faults.footprints import TOO_LONG
from tests.zoo.server.serving import serving
from zoo.server.limits import RequestLimits
from zoo.server.responses import columns
from zoo.server.servable import Servable, served

ROOT = Path(__file__).parents[2]
# MB of one request: whatever its size, for each byte of it, and of a row of 2048 ids, all of whose
# pairs attention compares with two heads.
BASE, FOR_EACH_BYTE, IDS = 150, 60e-6, 300
FORMATS = {"saved_model": "served", "litert": "ids.tflite", "onnx": "onnx"}


OTHERS = [pytest.param(kind, marks=pytest.mark.long) for kind in ("litert", "onnx")]


@pytest.mark.parametrize("kind", [*FORMATS])
def test_ids_that_a_model_lacks_are_refused_alone_and_beside_others(kind, task, tmp_path, attack):
    path = exported(kind, task, tmp_path)
    if not path:
        return
    tried = attack("ids out of range", f"{kind} of {task.name}")
    signatures = served(open_artifact(tmp_path / FORMATS[kind]))
    probes = load_probes(path.parent / entry_of(path)["probes"])
    with serving(Servable("served", signatures), RequestLimits(seconds=300)) as client:
        for name, signature in signatures.items():
            given = {each: x for each, x in probes[name][0].inputs.items() if x.size}
            if given.keys() != signature.inputs.keys():  # of texts in bytes
                continue
            good = {key: x[:1] if signature.has_rows else x for key, x in given.items()}
            assert ask(client, name, signature, [good])[0] == 200
            for rows, message in wrong(signature, good):
                status, actual = ask(client, name, signature, rows)
                assert status == 400 and message in actual["error"], (name, actual)
                tried()


@pytest.mark.parametrize("kind", ["saved_model", *OTHERS])
def test_memory_for_each_byte_of_a_request(kind, task, tmp_path, attack):
    if not exported(kind, task, tmp_path):
        return
    command = [sys.executable, "-m", "tests.faults.footprints", tmp_path / FORMATS[kind]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    signatures = served(open_artifact(tmp_path / FORMATS[kind]))
    for name, how, size, status, grown in json.loads(done.stdout.splitlines()[-1]):
        ids = any(x.is_ids for x in signatures[name].inputs.values())
        assert how != TOO_LONG or status == 413
        assert grown < (IDS if ids else BASE) + FOR_EACH_BYTE * size, (name, how, status, grown)
        assert status < 500
        tried = attack(f"memory of requests: {how}", f"{kind} of {task.name}, {name}")
        tried(measured=f"{size / 1e3:,.1f} KB: status {status}, {max(grown, 0):,.1f} MB")


def wrong(signature, good):
    """Rows with one that must be refused, alone and beside a good one, and what is said of it."""
    for key, tensor in signature.inputs.items():
        if not tensor.values:
            continue
        for number in (tensor.values[0] - 1, tensor.values[1] + 1):
            bad = good[key].copy()
            if number <= np.iinfo(bad.dtype).max:
                bad.flat[-1] = number
                yield from both({**good, key: bad}, good, "is not among the ids")
        if signature.pads and paddable(signature, key):
            without = {
                each: x[:, :0] if paddable(signature, each) else x for each, x in good.items()
            }
            yield from both(without, good, "must not be empty")


def paddable(signature, name):
    """Whether an input is of rows of any length."""
    tensor = signature.inputs[name]
    return tensor.padding is not None and len(tensor.axes) > 1 and isinstance(tensor.axes[1], str)


def both(bad, good, message):
    yield [bad], message
    yield [good, bad, good], message


def ask(client, name, signature, rows):
    """The answer to rows of a signature; to the first alone if it has none."""
    given = [{key: columns({key: x}) for key, x in row.items()} for row in rows]
    body = {"inputs": given[min(1, len(rows) - 1)]}
    if signature.has_rows:
        body = {"instances": [{key: x[0] for key, x in row.items()} for row in given]}
    return client.ask("/v1/models/served:predict", {"signature_name": name, **body})


def exported(kind, task, folder):
    """The artifact of a task, or None if it has none of this format."""
    try:
        report = getattr(export, kind)(task, folder / FORMATS[kind])
    except ValueError as error:
        assert "LiteRT" in str(error) or "ONNX" in str(error)
        return None
    return report.path
