"""A changed artifact is found out, and an interrupted export leaves what was there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import export
from export import manifest
from export.fresh import digest
from export.fresh.probes import Probe, load_probes, save_probes
from tests.export.models import regressor

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    export.litert(regressor(), folder / "lines.tflite")
    return folder


@pytest.fixture
def file(exported, tmp_path):
    """A copy to spoil: an artifact may be moved with its folder."""
    shutil.copytree(exported, tmp_path, dirs_exist_ok=True)
    return tmp_path / "lines.tflite"


def test_an_untouched_copy_passes(file):
    assert failed(file) == set()


def failed(path):
    return {check.name for check in export.verify(path).failed}


def change_weight(path):
    """Add to the largest number in the file: a weight, wherever it lies."""
    content = bytearray(path.read_bytes())
    weights = regressor().weights[0].numpy().T.tobytes()
    place = content.index(weights)
    content[place : place + 4] = np.float32(9.0).tobytes()
    path.write_bytes(content)


def test_a_changed_weight_is_found_by_sha256_and_by_its_numbers(file):
    change_weight(file)

    assert failed(file) == {"sha256 artifact", "serving_default: output_0"}


def test_a_manifest_that_agrees_does_not_hide_it(file):
    change_weight(file)
    content = manifest.read(file.parent)
    content["artifacts"][file.name]["sha256"]["artifact"] = digest.sha256(file)
    manifest.write(file.parent, content)

    assert failed(file) == {"serving_default: output_0"}


def test_changed_probes_are_found(file):
    probes = file.with_name(manifest.probes_file(file.name))
    calls = load_probes(probes)["serving_default"]
    moved = [Probe(c.inputs, {"output_0": c.outputs["output_0"] + 1}) for c in calls]
    save_probes(probes, {"serving_default": moved})

    assert failed(file) == {"sha256 probes", "serving_default: output_0"}


def test_a_file_that_is_none_fails_in_words(file):
    file.write_bytes(b"TFL3" + bytes(100))

    report = export.verify(file)

    assert not report.passed
    assert {"sha256 artifact", "operators"} <= {check.name for check in report.failed}


def test_other_signatures_than_promised_are_found(file):
    content = manifest.read(file.parent)
    inputs = content["artifacts"][file.name]["signatures"]["serving_default"]["inputs"]
    inputs["input_0"]["shape"] = [None, 8]
    manifest.write(file.parent, content)

    assert failed(file) == {"signatures"}


KILLED = """
import os, signal, sys
import export
from tests.export.models import regressor
module = sys.modules["export.{module}"]
def kill(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)
module.{step} = kill
export.{module}(regressor(), {path!r})
"""


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX's")
@pytest.mark.parametrize(
    ("module", "step", "name"),
    [
        ("saved_model", "check", "x"),
        ("saved_model", "replace", "x"),
        ("litert", "check", "x.tflite"),
    ],
)
def test_a_killed_export_leaves_the_artifact_before_it(tmp_path, module, step, name):
    path, make = tmp_path / name, getattr(export, module)
    make(regressor(), path)
    before = digest.sha256(path), (tmp_path / "manifest.json").exists()

    script = KILLED.format(module=module, step=step, path=str(path))
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True)

    assert done.returncode == -9
    assert (digest.sha256(path), (tmp_path / "manifest.json").exists()) == before
    assert len([entry for entry in os.listdir(tmp_path) if entry.endswith(".partial")]) == 1
    report = tmp_path / f"{name}.report.json"  # of an attempt that was refused
    report.write_text("{}")
    assert make(regressor(), path).passed
    assert not report.exists()
    assert not [entry for entry in os.listdir(tmp_path) if entry.endswith(".partial")]


def test_a_first_export_that_is_killed_leaves_no_artifact(tmp_path):
    path = tmp_path / "x"
    script = KILLED.format(module="saved_model", step="replace", path=str(path))

    subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True)

    assert not path.exists()
