"""Low-rank updates of frozen kernels in bfloat16 and int8: trained, resumed, merged, refused."""

from pathlib import Path
from typing import Any

import h5py
import keras
import numpy as np
import pytest

import export
import zoo
from keras_attn.attention.frozen_kernel import decoded, encoded
from keras_attn.low_rank import frozen_dtype, projections_of, updates_of
from tests.zoo.training.test_low_rank import QUIET, TEXTS, logits, new_task
from zoo.errors import UserError
from zoo.training.adapter_files import load_adapter
from zoo.training.low_rank import LowRankPlan, prepare_updates

DTYPES = ["bfloat16", "int8"]
CLOSE = {"bfloat16": 0.004, "int8": 0.004}  # of logits, whose largest is about 0.3


def kernels(model: keras.Model) -> list[np.ndarray]:
    return [each.rounded_kernel("float32") for each in projections_of(model)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["gpt", "llama"])
def test_frozen_model_is_near_the_float_one(name: str, dtype: str) -> None:
    task = new_task(name)
    before = logits(task.model)
    prepare_updates(task.model, LowRankPlan(rank=2, alpha=4.0, base_dtype=dtype))
    after = logits(task.model)
    assert 0 < np.abs(after - before).max() < CLOSE[dtype] < 0.02 * np.abs(before).max()


@pytest.fixture(params=DTYPES, scope="module")
def trained(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Any, list[np.ndarray], Path, str]:
    task, folder = new_task(), tmp_path_factory.mktemp("lora") / "run"
    before = kernels(task.model)
    options = {"lora_rank": 2, "lora_base_dtype": request.param, "lora_layers": ["q_proj"]}
    task.fit(TEXTS, validation_data=TEXTS[:3], folder=folder, **options, **QUIET)
    task.save(folder)
    return task, before, folder, request.param


def test_only_updates_are_trained_and_all_kernels_are_rounded(trained: Any) -> None:
    task, before, _, dtype = trained
    updates = updates_of(task.model)
    assert {name.rpartition(".")[2] for name in updates} == {"q_proj"}
    expected = {id(weight) for each in updates.values() for weight in each.weights}
    assert {id(weight) for weight in task.model.trainable_weights} == expected
    assert all(weight.dtype == "float32" for weight in task.model.trainable_weights)
    assert all(np.abs(np.asarray(each.b)).max() > 0 for each in updates.values())
    for projection, old in zip(projections_of(task.model), before, strict=True):
        assert projection.frozen_dtype == dtype
        rounded = decoded(*encoded(old, dtype, projection.input_axes))
        np.testing.assert_array_equal(projection.rounded_kernel(dtype), rounded)


def test_loaded_run_is_the_tuned_model(trained: Any) -> None:
    task, _, folder, dtype = trained
    again = zoo.load(folder)
    assert frozen_dtype(again.model) == dtype
    np.testing.assert_array_equal(logits(again.model), logits(task.model))
    with h5py.File(folder / "checkpoints" / "base.weights.h5") as file:
        kinds: list[str] = []
        file.visititems(
            lambda name, x: kinds.append(str(x.dtype)) if name.endswith("values") else None
        )
    assert set(kinds) == {"uint16" if dtype == "bfloat16" else "int8"} and len(kinds) == 12


def test_merged_models_are_the_tuned_model(trained: Any) -> None:
    task, _, folder, _ = trained
    expected = logits(task.model)
    made = zoo.from_pretrained(folder)
    assert not updates_of(made.model) and frozen_dtype(made.model) == "float32"
    np.testing.assert_allclose(logits(made.model), expected, atol=2e-6)
    np.testing.assert_array_equal(logits(task.model), expected)


@pytest.mark.thorough
def test_export_is_the_tuned_model(trained: Any, tmp_path: Path) -> None:
    task, _, _, dtype = trained
    assert export.saved_model(task, tmp_path / "model").passed  # against the tuned model
    assert export.litert(task, tmp_path / "ids.tflite").passed
    assert frozen_dtype(task.model) == dtype


def test_adapter_fits_the_float_model_that_was_rounded(trained: Any) -> None:
    task, _, folder, _ = trained
    other = new_task()
    load_adapter(other.model, folder / "adapter")
    np.testing.assert_allclose(logits(other.model), logits(task.model), atol=0.01)
    with pytest.raises(UserError, match="another model: the weights that it was trained with"):
        load_adapter(new_task(seed=1).model, folder / "adapter")


@pytest.mark.quick(1)
@pytest.mark.parametrize("dtype", DTYPES)
def test_resumed_run_equals_one_that_was_not_interrupted(tmp_path: Path, dtype: str) -> None:
    quiet = {**QUIET, "schedule": "constant", "warmup": 1, "lora_rank": 2}
    quiet |= {"lora_base_dtype": dtype}
    whole, parts = new_task(), new_task()
    whole.fit(TEXTS, folder=tmp_path / "whole", **quiet | {"epochs": 3})
    parts.fit(TEXTS, folder=tmp_path / "parts", **quiet)
    other = new_task(seed=1)  # other weights, which the base replaces
    other.fit(TEXTS, folder=tmp_path / "parts", resume=True, epochs=3, verbose=False)
    np.testing.assert_allclose(logits(other.model), logits(whole.model), atol=1e-6)


def test_options_that_contradict_are_refused() -> None:
    task = new_task()
    with pytest.raises(UserError, match="lora_base_dtype requires lora_rank"):
        task.fit(TEXTS, lora_base_dtype="int8", **QUIET)
    with pytest.raises(UserError, match="lora_base_dtype must be one of float32, bfloat16, int8"):
        task.fit(TEXTS, lora_rank=2, lora_base_dtype="int4", **QUIET)
    prepare_updates(task.model, LowRankPlan(rank=2, alpha=4.0, base_dtype="int8"))
    with pytest.raises(UserError, match="has frozen kernels in int8: train with"):
        task.fit(TEXTS, lora_rank=2, **QUIET)
