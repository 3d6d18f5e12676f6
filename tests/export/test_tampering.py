"""A changed artifact is found out, and an interrupted export leaves what was there."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

import export
from export import manifest, placement
from export.worker import digest
from export.worker.probes import Probe, load_probes, save_probes
from export.worker.server import FORKS
from tests.export.models import regressor
from tests.faults.damage import forge

ROOT = Path(__file__).parents[2]


@pytest.fixture
def file(exported, tmp_path):
    """A copy to spoil: an artifact may be moved with its folder."""
    shutil.copytree(exported, tmp_path, dirs_exist_ok=True)
    return tmp_path / "lines.tflite"


def test_an_untouched_copy_passes(file):
    assert failed(file) == set()


def failed(path):
    return {check.name for check in export.verify(path).failed}


def change_weight(path, factor=30.0):
    """Multiply the first weight, wherever it lies in the file."""
    content = bytearray(path.read_bytes())
    weights = regressor().weights[0].numpy().T
    place = content.index(weights.tobytes())
    content[place : place + 4] = np.float32(weights[0, 0] * factor).tobytes()
    path.write_bytes(content)


def test_nothing_of_a_file_with_another_sha256_is_read(file):
    change_weight(file)

    actual = [check.name for check in export.verify(file).checks]
    assert failed(file) == {"sha256 artifact"}
    assert actual == ["sha256 artifact", "sha256 probes", f"sha256 {file.name}.SIGNATURES.md"]


def test_a_manifest_that_agrees_does_not_hide_a_changed_weight(file):
    change_weight(file)
    forge(file)

    assert failed(file) == {"serving_default: output_0"}


def test_how_far_it_may_stray_is_not_for_the_manifest_to_say(file):
    change_weight(file, factor=1.01)  # an int8 file might
    forge(file, quantize="int8", tolerance={"error": 1e9, "agreement": 0.0})

    (check,) = export.verify(file).failed
    assert check.name == "serving_default: output_0" and check.detail.endswith("allowed 1.0e-04")


def test_changed_probes_are_found(file):
    probes = file.with_name(manifest.find(file.parent, file.name)["probes"])
    calls = load_probes(probes)["serving_default"]
    moved = [Probe(c.inputs, {"output_0": c.outputs["output_0"] + 1}) for c in calls]
    save_probes(probes, {"serving_default": moved})

    assert failed(file) == {"sha256 probes"}
    forge(file)
    assert failed(file) == {"serving_default: output_0"}


def test_probes_of_another_folder_are_not_read(file, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "probes.npz"
    shutil.copy(file.with_name(manifest.find(file.parent, file.name)["probes"]), elsewhere)
    forge(file, probes=os.path.relpath(elsewhere, file.parent))

    (check,) = export.verify(file).failed
    assert check.name == "sha256 probes" and check.detail.startswith("missing")


def test_a_file_that_is_none_fails_in_words(file):
    file.write_bytes(b"TFL3" + bytes(100))
    assert failed(file) == {"sha256 artifact"}

    forge(file)
    assert failed(file) == {"operators"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "is not readable as JSON"),
        ('{"artifacts": {"lines.tflite": []}}', "'lines.tflite', an entry must be a dict"),
        ('{"artifacts": {"lines.tflite": {"format": 3}}}', "'format' must be of the type str"),
    ],
)
def test_a_manifest_that_is_none_is_an_error(file, text, message):
    file.with_name(manifest.FILE).write_text(text)

    with pytest.raises(ValueError, match=f"{manifest.FILE}.* {message}"):
        export.verify(file)


@pytest.mark.parametrize("key", ["format", "probes", "signatures", "sha256", "beside", "quantize"])
def test_an_entry_of_other_types_is_an_error(file, key):
    with pytest.raises(ValueError, match=f"{manifest.FILE}: of the artifact .*'{key}' must"):
        forge(file, **{key: 3})
        export.verify(file)


def test_other_signatures_than_promised_are_found(file):
    content = manifest.read(file.parent)
    inputs = content["artifacts"][file.name]["signatures"]["serving_default"]["inputs"]
    inputs["input_0"]["shape"] = [None, 8]
    manifest.write(file.parent, content)

    assert failed(file) == {"signatures"}


KILLED = """
import json, os, signal, sys
from importlib import import_module
import export
from tests.export.models import regressor
from tests.faults.damage import forge

def kill(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)

# Imported once; each export then has a process of its own.
for module, step, path in json.loads(sys.argv[1]):
    child = os.fork()
    if not child:
        setattr(import_module("export.formats." + module), step, kill)
        getattr(export, module)(regressor(), path)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def kill(*exports):
    """Runs exports (module, step, path) that are killed at that step."""
    script = [sys.executable, "-c", KILLED, json.dumps([[*map(str, each)] for each in exports])]
    done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == ["-9"] * len(exports), done.stderr


@pytest.mark.thorough
def test_whenever_it_is_stopped_the_file_in_its_place_verifies(tmp_path, monkeypatch):
    """Probes, page, manifest, file, the page's copy and manifest again are moved in this order."""
    path, rename = tmp_path / "x.tflite", os.replace
    for moves, actual in zip(range(1, 7), ["old"] * 3 + ["new"] * 3, strict=True):
        shutil.rmtree(tmp_path, ignore_errors=True)
        export.litert(regressor(), path)
        before = digest.sha256(path)
        left = iter([True] * moves)

        def move(source, target, left=left):
            if not next(left, False):
                raise KeyboardInterrupt
            rename(source, target)

        monkeypatch.setattr(placement.os, "replace", move)
        with pytest.raises(KeyboardInterrupt) if moves < 6 else nullcontext():
            export.litert(regressor(width=11), path)
        monkeypatch.undo()

        assert (digest.sha256(path) == before) == (actual == "old")
        assert failed(path) == set()
    assert len(os.listdir(tmp_path)) == 4
    assert "replaces" not in manifest.read(tmp_path)["artifacts"]["x.tflite"]


def partial(folder):
    return [entry for entry in os.listdir(folder) if entry.endswith(".partial")]


@pytest.mark.long
@pytest.mark.skipif(not FORKS, reason="needs processes that can be forked")
def test_a_killed_export_leaves_what_was_there(tmp_path):
    """The artifact before it, or none; and the next export sweeps up."""
    steps = [("saved_model", "check"), ("saved_model", "replace"), ("litert", "check")]
    steps += [("onnx", "check"), ("onnx", "place")]
    paths = [tmp_path / f"{step}_{module}" / "x" for module, step in steps]
    paths[2] = paths[2].with_suffix(".tflite")
    for (module, _), path in zip(steps, paths, strict=True):
        path.parent.mkdir()
        getattr(export, module)(regressor(), path)
    before = [digest.sha256(path) for path in paths]
    first = tmp_path / "first" / "x"
    first.parent.mkdir()

    kill(*(each + (path,) for each, path in zip(steps, paths, strict=True)), (*steps[1], first))

    assert not first.exists()
    assert [digest.sha256(path) for path in paths] == before
    for (module, _), path in zip(steps, paths, strict=True):
        assert len(partial(path.parent)) == 1
        report = path.parent / f"{path.name}.report.json"  # of an attempt that was refused
        report.write_text("{}")
        assert getattr(export, module)(regressor(), path).passed
        assert not report.exists() and not partial(path.parent)
