"""An artifact that changes while it is served: noticed, verified, and served without a gap."""

import shutil
import threading
import time
from functools import partial

import numpy as np
import pytest

import export
from export.renewing import identity, open_verified
from export.serving import open_artifact
from tests.export.models import regressor
from tests.export.test_tampering import change_weight
from tests.zoo.server.serving import serving
from zoo.server.opening import servable_of
from zoo.server.renewing import ModelSource

PREDICT = "/v1/models/lines:predict"
X = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]]


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    """An artifact, and a newer one in another folder."""
    folder = tmp_path_factory.mktemp("versions")
    export.litert(regressor(), folder / "old" / "lines.tflite")
    newer = regressor()
    newer.layers[-1].bias.assign_add([100.0, 200.0])
    export.litert(newer, folder / "new" / "lines.tflite")
    return folder


@pytest.fixture
def path(versions, tmp_path):
    shutil.copytree(versions / "old", tmp_path / "served")
    return tmp_path / "served" / "lines.tflite"


def served(path, reload):
    """What serves an artifact, and looks for changes."""
    watch = partial(identity, path, reload)
    again = (lambda: servable_of("lines", open_verified(path))) if reload else None
    source = ModelSource(str(path), watch(), watch, again, seconds=0.02)
    return serving(servable_of("lines", open_artifact(path)), source=source)


def wait_for(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def answer(client):
    status, actual = client.ask(PREDICT, {"instances": X})
    assert status == 200
    return actual["predictions"][0]


def test_a_change_is_written_to_the_log_and_changes_no_answer(path, caplog):
    caplog.set_level("INFO", "zoo.server")
    with served(path, reload=False) as client:
        before = answer(client)
        change_weight(path)
        wait_for(lambda: "was changed on the disk: what was opened is served on" in caplog.text)
        assert answer(client) == before
        assert "Traceback" not in caplog.text


def test_a_newer_version_is_served_and_no_request_is_lost(path, versions, caplog):
    caplog.set_level("INFO", "zoo.server")
    export.processes.start_worker()
    with served(path, reload=True) as client:
        before, stop, actual = answer(client), threading.Event(), []

        def ask():
            while not stop.is_set():
                actual.append(client.ask(PREDICT, {"instances": X})[0])

        caller = threading.Thread(target=ask)
        caller.start()
        shutil.copy(versions / "new" / path.name, path)  # as cp does: in place
        wait_for(lambda: "is refused, what was opened is served on" in caplog.text)
        shutil.copytree(versions / "new", path.parent, dirs_exist_ok=True)
        wait_for(lambda: "version 1 of" in caplog.text)
        after = answer(client)
        stop.set()
        caller.join()
        np.testing.assert_allclose(np.subtract(after, before), [100, 200], rtol=1e-4)
        assert set(actual) == {200}
        caplog.clear()
        cut_off(path)
        wait_for(lambda: "is refused, what was opened is served on" in caplog.text)
        assert "must not be loaded: sha256 artifact" in caplog.text
        assert answer(client) == after


def cut_off(path):
    """A bad version: damaged, as a copy that was cut off."""
    path.write_bytes(path.read_bytes()[:-7])
