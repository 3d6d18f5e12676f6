"""Training on several devices gives the numbers of one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest

from zoo.errors import UserError
from zoo.training.distribution import check_distribution
from zoo.training.sharding import axes_to_split

ROOT = Path(__file__).parents[3]
# Each is 4 epochs of 6 batches; of the classifier, in five shapes.
FEW = dict.fromkeys(("data 8", "model 4"), "one")
MANY = dict.fromkeys(("data 2", "data 4", "model 8", "model 2"), "one")
MANY |= {"classifier data 4": "classifier", "interrupted": "accumulated"}
NETWORKS = [f"{name} {n}" for name in "bert transformer prefix_gpt".split() for n in (2, 4)]


@pytest.fixture(scope="module")
def actual(tmp_path_factory):
    """What the program printed of the first part."""
    return run("few", tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def found_of_many(tmp_path_factory):
    """What it printed of the second one, which takes minutes."""
    return run("many", tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def found_of_networks(tmp_path_factory):
    """What it printed of the third part: other networks, whose weights are split."""
    return run("networks", tmp_path_factory.mktemp("runs"))


def run(part, folder):
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=8"
    done = subprocess.run(
        [sys.executable, "-m", "tests.zoo.training.on_devices", part, folder],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "KERAS_BACKEND": "jax", "XLA_FLAGS": flags},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return {
        name: each for row in done.stdout.splitlines() for name, each in json.loads(row).items()
    }


@pytest.mark.thorough
@pytest.mark.parametrize("several", FEW)
def test_losses_and_weights_are_those_of_one_device(actual, several):
    """With dropout, after 24 batches of rows that no number of devices divides."""
    same(actual[FEW[several]], actual[several])


@pytest.mark.long
@pytest.mark.parametrize("several", MANY)
def test_of_fewer_devices_another_task_and_an_interrupted_run(found_of_many, several):
    same(found_of_many[MANY[several]], found_of_many[several])


@pytest.mark.long
@pytest.mark.parametrize("several", NETWORKS)
def test_of_other_networks(found_of_networks, several):
    same(found_of_networks[several.split()[0]], found_of_networks[several], better=0)


def same(one, several, better=0.01):
    assert one["loss"][-1] < one["loss"][0] - better
    assert set(several) - {"place"} == set(one) >= {"loss", "norms"}
    for name in set(one) - {"norms"}:
        np.testing.assert_allclose(several[name], one[name], rtol=1e-5, err_msg=name)
    np.testing.assert_allclose(several["norms"], one["norms"], rtol=1e-3, atol=1e-4)


@pytest.mark.long
def test_a_run_goes_on_in_the_middle_of_an_epoch(found_of_many):
    assert found_of_many["interrupted"]["place"] == [2, 2]


@pytest.mark.long
def test_accumulated_gradients_are_those_of_all_batches_of_an_update(found_of_many):
    actual = found_of_many
    assert not np.allclose(actual["accumulated"]["loss"], actual["one"]["loss"], rtol=1e-2)


@pytest.mark.thorough
def test_each_device_computes_its_rows_only(actual):
    assert actual["rows"] == [11]  # 87 / 8, rounded up; not 87 anywhere in the compiled step


@pytest.mark.thorough
def test_weights_of_blocks_and_embeddings_are_split_with_the_means_of_adam(actual):
    projection = {"kernel": [[32, 8, 4], [32, 1, 4]], "bias": [[8, 4], [1, 4]]}
    assert actual["split"]["shapes"] == {
        "embedding/embeddings": [[260, 32], [260, 4]],  # 8 does not divide 260 tokens
        "block_0/feed_forward/hidden/kernel": [[32, 48], [32, 6]],
        "block_0/feed_forward/hidden/bias": [[48], [6]],
        "block_0/feed_forward/output/kernel": [[48, 32], [6, 32]],
        **{
            f"block_0/attention/{name}/{weight}": shapes
            for name in ("query", "key", "value")
            for weight, shapes in projection.items()
        },
        "block_0/attention/attention_output/kernel": [[8, 4, 32], [1, 4, 32]],
    }
    assert actual["split"]["notes"] == ["97% of the parameters are split between 8 devices"]
    assert actual["split"]["devices afterwards"] == [1]


@pytest.mark.thorough
def test_axes_that_do_not_divide_are_not_split_and_the_log_says_so(actual):
    split = actual["partly split"]["shapes"]
    assert split and not any("attention" in path for path in split)
    (note,) = actual["partly split"]["notes"]
    assert note.startswith("71% of the parameters are split between 8 devices; 7 weights could not")
    assert note.endswith("such as block_0/attention/query/kernel (32, 2, 16)")


@pytest.mark.thorough
def test_what_cannot_be_distributed_is_refused(actual):
    assert actual["refused"] == [
        "distribute requires several devices, but only cpu:0 is visible",
        "distribute requires XLA: leave out xla=False",
        "distribute=model cannot split any weight of rnn_classifier, such as "
        "embedding/embeddings (57, 16), between 7 devices: use distribute=data",
    ]


def test_tensorflow_is_refused():
    if keras.backend.backend() == "jax":
        pytest.skip("the backend of this process can")
    with pytest.raises(UserError, match="distribute requires the backend jax, not tensorflow"):
        check_distribution("data")


def test_weights_to_split():
    split = {
        "embedding/embeddings": (0, 1),
        "target_embedding/embeddings": (0, 1),
        "decoder_0/self_attention/key/kernel": (1,),
        "decoder_0/self_attention/key/bias": (0,),
        "block_1/attention/attention_output/kernel": (0,),
        "block_1/feed_forward_3/hidden/kernel": (1,),
        "block_1/feed_forward/hidden/bias": (0,),
        "block_1/feed_forward/output/kernel": (0,),
    }
    assert {path: axes_to_split(path) for path in split} == split
    whole = "segment_embedding/embeddings positions/embeddings norm/gamma pooler/kernel"
    whole += " block_0/attention/attention_output/bias block_0/feed_forward/output/bias"
    assert not any(axes_to_split(path) for path in whole.split())
