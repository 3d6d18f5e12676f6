"""Programs compiled for GPUs and for many devices, without them."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import cost_model
from benchmarks.cost_model import GPTS, Network
from tests.zoo.training.programs import ROWS, SMALL
from zoo.errors import UserError
from zoo.training.rematerialization import check_remat

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.thorough


@functools.cache
def actual(*parts):
    """What the program printed of these parts."""
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=64"
    done = subprocess.run(
        [sys.executable, "-m", "tests.zoo.training.programs", *parts],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "KERAS_BACKEND": "jax", "XLA_FLAGS": flags},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


on_one = functools.partial(actual, "gpu", "recomputed")
DEVICES = pytest.mark.parametrize("devices", ["8", pytest.param("64", marks=pytest.mark.long)])


def test_a_step_for_a_gpu_attends_in_cudnn():
    gpu = on_one()["gpu"]
    assert (gpu["forward"], gpu["backward"]) == (3, 3)  # blocks
    assert gpu["masks"] == ["PADDING_CAUSAL"]


def test_weights_and_the_averages_of_adam_are_written_in_place():
    assert on_one()["gpu"]["in place"] == on_one()["gpu"]["arrays"] > 100


@DEVICES
def test_gradients_are_summed_once_and_nothing_else_is_exchanged(devices):
    program = actual(devices)["data"]
    assert program["others"] == []
    # On processors, XLA sums both gradients of the embedding, and the loss is summed, too.
    expected = SMALL.sums_of_gradients() // 4 + SMALL.embedding + 1
    assert sum(program["sums"]) == expected


@DEVICES
def test_activations_are_summed_after_each_pair_of_products(devices):
    program = actual(devices)["model"]
    assert program["others"] == []
    size = ROWS * SMALL.length * SMALL.width
    # On processors, XLA sums the gradients of query, key and value one by one.
    expected = SMALL.sums_of_activations(ROWS, 4) // (4 * size) + 2 * SMALL.layers
    assert program["sums"].count(size) == expected == 14
    # The rest is that of the softmax over a vocabulary in parts.
    assert max(set(program["sums"]) - {size}) == ROWS * SMALL.length
    assert len(program["sums"]) == 14 + 4


@DEVICES
def test_a_device_holds_the_state_of_its_part_of_the_weights(devices):
    assert actual(devices)["data"]["state"] == pytest.approx(SMALL.state(), rel=0.01)
    # Positions, normalizations, and biases that are added to whole activations.
    whole = SMALL.width * (SMALL.length + 2 + 6 * SMALL.layers)
    split = SMALL.parameters - whole
    state = actual(devices)["model"]["state"]
    assert state == pytest.approx(12 * (split / int(devices) + whole), rel=0.12)


def test_the_operations_are_those_of_matrix_products_and_a_few_more():
    flops = actual("8")["data"]["flops"]
    assert 1 < 8 * flops / SMALL.flops(ROWS) < 1.1


def test_jax_keeps_more_activations_than_the_formula_counts():
    """Among them those between elementwise operators, which XLA computes again in its fusions, but
    not those of activation functions, which blocks compute again."""
    counted = SMALL.activations(1) - 8 * SMALL.length * SMALL.vocabulary
    counted /= SMALL.layers * SMALL.length * SMALL.width
    assert counted == 32
    assert actual("activations")["activations"] == pytest.approx(53, rel=0.02)


def test_recomputed_activations_give_the_same_losses_and_are_not_stored():
    """With dropout: both passes drop the same."""
    stored, recomputed = on_one()["recomputed"]["losses"]
    assert stored == recomputed and stored[1] < stored[0] - 0.1
    all_of_them, those_between_blocks = on_one()["recomputed"]["stored"]
    assert those_between_blocks < all_of_them / 20


def test_what_cannot_be_recomputed_is_refused():
    assert on_one()["recomputed"]["refused"] == (
        "remat requires Transformer blocks, which rnn_classifier does not have"
    )
    with pytest.raises(UserError, match="remat requires the backend jax, not tensorflow"):
        check_remat(True)


def test_sizes_of_known_networks():
    gpt2 = Network("", 12, 768, 12, 3072, vocabulary=50257)
    assert gpt2.parameters == 124_439_808  # Radford et al. 2019, as Hugging Face counts
    assert gpt2.state() == 1_493_277_696
    assert [round(each.parameters / 1e8) for each in GPTS] == [1, 13, 67]


def test_large_networks_are_split_or_do_not_fit():
    small, _, large = GPTS
    assert cost_model.model(small, 8) is None  # 12 heads
    assert cost_model.data(large, 8).memory > cost_model.H100.memory
    assert cost_model.model(large, 8).memory < cost_model.H100.memory / 2
    near, far = (cost_model.data(small, count).communication for count in (8, 16))
    assert far / near == pytest.approx(9 * (15 / 16) / (7 / 8))  # hosts have slower links
