"""Wherever the process that places a LiteRT file stops, the file in its place is verifiable."""

import json
import os

import pytest

from export import manifest
from export.placement import place
from export.worker import digest
from tests.faults.steps import BROKEN, FULL, KILL, Steps

NAME = "x.tflite"


def build(folder, artifact, labels):
    """What an export has in its temporary folder."""
    folder.mkdir(parents=True)
    contents = {NAME: artifact, f"{NAME}.labels.txt": labels, f"{NAME}.probes.npz": labels * 2}
    for name, content in contents.items():
        (folder / name).write_text(content)
    digests = {name: digest.sha256(folder / name) for name in contents}
    sha256 = {"artifact": digests[NAME], "probes": digests[f"{NAME}.probes.npz"]}
    beside = {f"{NAME}.labels.txt": digests[f"{NAME}.labels.txt"]}
    facts = {"format": "litert", "strings": False, "signatures": {}, "invariances": {}}
    files = {"probes": f"{NAME}.probes.npz", "sha256": sha256, "beside": beside}
    return folder / NAME, {**facts, **files}


def check(folder):
    """Every file that the entry of the artifact names has the digest that it names."""
    entry = manifest.find(folder, NAME)
    assert digest.sha256(folder / NAME) == entry["sha256"]["artifact"]
    assert digest.sha256(folder / entry["probes"]) == entry["sha256"]["probes"]
    for name, sha256 in entry["beside"].items():
        assert digest.sha256(folder / name) == sha256
    return (folder / NAME).read_text()


@pytest.mark.quick(1)
@pytest.mark.parametrize("artifact", ["new", "old"])
@pytest.mark.parametrize("labels", ["red", "blue"])
@pytest.mark.parametrize("how", [KILL, FULL, BROKEN])
def test_stopped_at_any_step(tmp_path, monkeypatch, artifact, labels, how):
    """Also if the new file equals the old one, but for its labels; or is the same altogether."""
    monkeypatch.setattr(os, "fsync", lambda file: None)  # which takes long
    actual, step, status = [], 0, None
    while status != 0:
        folder = tmp_path / str(step)
        place(*place_in(folder, "first", "old", "red"))
        new = place_in(folder, "second", artifact, labels)
        child = os.fork()
        if not child:
            Steps(folder, step, how).install()
            try:
                place(*new)
            except OSError:
                os._exit(1)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        actual.append(check(folder))
        place(*place_in(folder, "third", "newest", "green"))
        assert check(folder) == "newest"
        assert "replaces" not in json.dumps(manifest.read(folder))
        names = {"first", "second", "third", NAME, f"{NAME}.labels.txt", manifest.FILE}
        assert set(os.listdir(folder)) - names == {manifest.find(folder, NAME)["probes"]}
        step += 1
    assert actual == sorted(actual, key=lambda text: text != "old") and actual[-1] == artifact
    assert step > (5 if how == FULL else 15)


def place_in(folder, stage, artifact, labels):
    """The arguments of `place`."""
    file, entry = build(folder / stage, artifact, labels)
    return file, folder / NAME, entry


def test_two_files_in_a_folder_keep_their_entries(tmp_path):
    """The manifest is read again when it is written."""
    first = place_in(tmp_path, "first", "old", "red")
    second = place_in(tmp_path, "second", "new", "red")
    place(*first)
    place(second[0], tmp_path / "y.tflite", second[2])
    assert set(manifest.read(tmp_path)["artifacts"]) == {NAME, "y.tflite"}
