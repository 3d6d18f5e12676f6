"""What is recognized as graphs, without reading what has no end."""

import os

import pytest

from zoo.data.graphs.recognition import has_graphs


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_pipe_or_a_device_is_no_archive(kind, tmp_path):
    path = tmp_path / "graph.npz"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    assert not has_graphs(path)
