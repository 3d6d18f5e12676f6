"""A file of weights with links, or with sizes that it does not store, is refused unread."""

import h5py
import numpy as np
import pytest

from tests.zoo.training.small_run import build_model
from tests.zoo.training.test_checkpoint import compiled, save_epochs
from zoo.errors import UserError
from zoo.training.checkpoint import Checkpoints
from zoo.training.hdf5 import check_plain, member
from zoo.training.seal import seal
from zoo.training.weights import load_weights, save_weights

SHAPE = (2**40, 2)  # of int64: 16 TiB


def external_link(group, name, other):
    group[name] = h5py.ExternalLink(other, "/data")


def soft_link(group, name, other):
    group[name] = h5py.SoftLink("/elsewhere")


def external_data(group, name, other):
    group.create_dataset(name, (3, 2), "int64", external=[(str(other), 0, 48)])


def virtual_data(group, name, other):
    layout = h5py.VirtualLayout((3, 2), "int64")
    layout[:] = h5py.VirtualSource(str(other), "data", (3, 2))
    group.create_virtual_dataset(name, layout)


def claimed(group, name, other):
    group.create_dataset(name, SHAPE, "int64", chunks=(1, 2), fillvalue=7)


def claimed_in_one_piece(group, name, other):
    group.create_dataset(name, SHAPE, "int64")


ATTACKS = {
    external_link: "is a link",
    soft_link: "is a link",
    external_data: "has its data in another file",
    virtual_data: "has its data in another file",
    claimed: "claims 17592186044416 bytes, of which 0 are stored",
    claimed_in_one_piece: "claims 17592186044416 bytes, of which 0 are stored",
}
attacks = pytest.mark.parametrize(
    ("attack", "told"), ATTACKS.items(), ids=[x.__name__ for x in ATTACKS]
)


@pytest.fixture
def other(tmp_path):
    """Another file with data that would fit."""
    path = tmp_path / "other.h5"
    with h5py.File(path, "w") as file:
        file["data"] = np.zeros((3, 2), "int64")
    return path


@attacks
def test_weights_are_not_read(attack, told, other, tmp_path):
    model, path = build_model(), tmp_path / "w.weights.h5"
    save_weights(model, path)
    with h5py.File(path, "r+") as file:
        layers = file["layers"]
        (first, *_) = layers
        attack(layers[first], "more", other)

    with pytest.raises(UserError, match=rf"w\.weights\.h5 is damaged \(/layers/.*more {told}\)"):
        load_weights(model, path)


@pytest.fixture(scope="module")
def trained():
    return compiled()


@attacks
def test_a_run_does_not_go_on_with_others_random_states(attack, told, other, trained, tmp_path):
    checkpoints = Checkpoints(tmp_path / "run")
    save_epochs(trained, checkpoints, 2.0)
    with h5py.File(checkpoints.last, "r+") as file:
        del file["resume"]["seeds"]
        attack(file["resume"], "seeds", other)

    with pytest.raises(UserError, match=rf"damaged \(/resume/seeds {told}\)"):
        checkpoints.restore(compiled())


def test_nor_with_a_group_of_another_file(other, trained, tmp_path):
    checkpoints = Checkpoints(tmp_path / "run")
    save_epochs(trained, checkpoints, 2.0)
    with h5py.File(other, "r+") as file:
        file.create_group("data2").attrs["epoch"] = 1
    with h5py.File(checkpoints.last, "r+") as file:
        del file["resume"]
        file["resume"] = h5py.ExternalLink(other, "/data2")

    with pytest.raises(UserError, match=r"last.weights.h5 is damaged \(/resume is a link\)"):
        checkpoints.read_state()


@pytest.mark.parametrize("epoch", ["one", 1.5, [1, 2], np.zeros(2**12)])
def test_nor_with_an_epoch_that_is_no_number(epoch, trained, tmp_path):
    checkpoints = Checkpoints(tmp_path)
    save_epochs(trained, checkpoints, 2.0)
    with h5py.File(checkpoints.last, "r+") as file:
        file["resume"].attrs["epoch"] = epoch

    with pytest.raises(UserError, match="damaged .*/resume has no number of an epoch"):
        checkpoints.read_state()


@pytest.mark.parametrize("seeds", [np.zeros(6, "int64"), np.zeros((3, 2)), np.zeros((3, 3), "int")])
def test_nor_with_other_kinds_of_random_states(seeds, trained, tmp_path):
    checkpoints = Checkpoints(tmp_path)
    save_epochs(trained, checkpoints, 2.0)
    with h5py.File(checkpoints.last, "r+") as file:
        del file["resume"]["seeds"]
        file["resume"]["seeds"] = seeds
    seal(checkpoints.last)

    with pytest.raises(UserError, match="damaged .*/resume/seeds has no random states"):
        checkpoints.restore(compiled())


def test_plain_files_are_read_however_compressed_and_groups_may_be_in_each_other(tmp_path):
    path = tmp_path / "plain.h5"
    with h5py.File(path, "w") as file:
        group = file.create_group("a/b")
        group.create_dataset("zeros", data=np.zeros(2**18), compression="gzip")
        group["scalar"], group["none"] = 3.0, h5py.Empty("float32")
        group["up"] = file["a"]

    check_plain(path)
    with h5py.File(path) as file, pytest.raises(ValueError, match="/a must be a dataset"):
        member(file, "a", h5py.Dataset)


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "w.weights.h5").mkdir()
    with pytest.raises(UserError, match="not a regular file"):
        load_weights(build_model(), tmp_path / "w.weights.h5")
