"""Runs with low-rank updates: what is trained, saved, loaded, resumed and merged."""

import json
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import zoo
from keras_attn.low_rank import updates_of
from zoo.errors import UserError
from zoo.training.adapter_files import load_adapter, save_adapter
from zoo.training.low_rank import LowRankPlan, prepare_updates

TEXTS = ["to be or not to be", "that is the question", "whether tis nobler in the mind"] * 4
SIZES: dict[str, Any] = {"num_layers": 2, "hidden_dim": 16, "num_heads": 2, "intermediate_dim": 24}
QUIET: dict[str, Any] = {"xla": False, "verbose": False, "epochs": 2, "learning_rate": 0.01}
NAMES = {"gpt": 6, "llama": 7}  # numbers of projections of a block


def new_task(model: str = "llama", seed: int = 0, **options: Any) -> Any:
    sizes = SIZES | ({"num_key_value_heads": 1} if model == "llama" else {}) | options
    task = zoo.CausalLM(model, "tiny", max_length=16, max_new_tokens=4, seed=seed, **sizes)
    task.adapt(TEXTS)
    return task


def adapted(rank: int = 2, alpha: float = 4.0) -> Any:
    """A task with updates that change its outputs."""
    task, random = new_task(), np.random.default_rng(3)
    prepare_updates(task.model, LowRankPlan(rank=rank, alpha=alpha))
    for update in updates_of(task.model).values():
        update.b.assign(random.normal(size=update.b.shape, scale=0.2))
    return task


def logits(model: keras.Model) -> np.ndarray:
    ids = np.random.default_rng(0).integers(4, 90, (2, 9)).astype("int32")
    inputs = {"token_ids": ids, "padding_mask": np.ones((2, 9), bool)}
    return np.asarray(keras.ops.convert_to_numpy(model(inputs)["logits"]))


def values(model: keras.Model) -> list[np.ndarray]:
    updates = {id(w) for each in updates_of(model).values() for w in each.weights}
    return [np.array(w) for w in model.weights if id(w) not in updates]


@pytest.fixture(params=["gpt", "llama"], scope="module")
def trained(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Any, list[Any], Path]:
    task = new_task(request.param)
    before, folder = values(task.model), tmp_path_factory.mktemp("lora") / "run"
    task.fit(TEXTS, validation_data=TEXTS[:3], lora_rank=2, folder=folder, **QUIET)
    task.save(folder)
    return task, before, folder


def test_only_the_updates_are_trained(trained: tuple[Any, list[Any], Path]) -> None:
    task, before, _ = trained
    model, updates = task.model, updates_of(task.model)
    assert len(updates) == 2 * NAMES[task.settings.model]
    expected = {id(weight) for each in updates.values() for weight in each.weights}
    assert {id(weight) for weight in model.trainable_weights} == expected
    for old, new in zip(before, values(model), strict=True):
        np.testing.assert_array_equal(old, new)
    assert all(np.abs(np.asarray(each.b)).max() > 0 for each in updates.values())


def test_checkpoints_have_the_updates_alone(trained: tuple[Any, list[Any], Path]) -> None:
    import h5py

    task, _, folder = trained
    with h5py.File(folder / "checkpoints" / "best.weights.h5") as file:
        shapes: list[tuple[int, ...]] = []
        file.visititems(
            lambda _, x: shapes.append(x.shape) if isinstance(x, h5py.Dataset) else None
        )
    expected = [tuple(w.shape) for each in updates_of(task.model).values() for w in each.weights]
    assert sorted(shapes) == sorted(expected)


def test_loaded_run_has_the_updates(trained: tuple[Any, list[Any], Path]) -> None:
    task, _, folder = trained
    again = zoo.load(folder)
    assert updates_of(again.model).keys() == updates_of(task.model).keys()
    np.testing.assert_array_equal(logits(again.model), logits(task.model))
    assert again.predict(["to be"]) == task.predict(["to be"])


@pytest.mark.thorough
def test_resumed_run_equals_one_that_was_not_interrupted(tmp_path: Path) -> None:
    whole, parts = new_task(), new_task()
    quiet = {**QUIET, "schedule": "constant", "warmup": 1, "lora_rank": 2}
    whole.fit(TEXTS, folder=tmp_path / "whole", **quiet | {"epochs": 3})
    parts.fit(TEXTS, folder=tmp_path / "parts", **quiet)
    assert not (tmp_path / "parts" / "weights.weights.h5").exists()
    again = zoo.load(tmp_path / "parts")  # from the base and the best checkpoint
    np.testing.assert_array_equal(logits(again.model), logits(parts.model))
    again.fit(TEXTS, folder=tmp_path / "parts", resume=True, epochs=3, verbose=False)
    np.testing.assert_allclose(logits(again.model), logits(whole.model), atol=1e-6)

    other = new_task(seed=1)  # other weights, which the base replaces
    other.fit(TEXTS, folder=tmp_path / "parts", resume=True, epochs=3, verbose=False)
    np.testing.assert_allclose(logits(other.model), logits(whole.model), atol=1e-6)


def test_run_that_starts_from_it_has_merged_kernels(trained: tuple[Any, list[Any], Path]) -> None:
    task, _, folder = trained
    made = zoo.from_pretrained(folder)
    assert not updates_of(made.model)
    np.testing.assert_allclose(logits(made.model), logits(task.model), atol=2e-6)


def test_adapter_gives_another_model_with_the_base_the_same_logits(tmp_path: Path) -> None:
    task = adapted(3, 5.0)
    save_adapter(task.model, tmp_path / "adapter")
    config = json.loads((tmp_path / "adapter/adapter_config.json").read_text())
    assert (config["r"], config["lora_alpha"], config["peft_type"]) == (3, 5.0, "LORA")
    tensors = load_file(tmp_path / "adapter/adapter_model.safetensors")
    key = "base_model.model.model.layers.1.self_attn.k_proj.lora_B.weight"
    assert tensors[key].shape == (8, 3)

    other = new_task()
    load_adapter(other.model, tmp_path / "adapter")
    np.testing.assert_array_equal(logits(other.model), logits(task.model))


def test_adapter_of_another_model_is_refused(tmp_path: Path) -> None:
    task, folder = adapted(), tmp_path / "adapter"
    save_adapter(task.model, folder)
    with pytest.raises(UserError, match="another model: the weights that it was trained with"):
        load_adapter(new_task(seed=1).model, folder)
    wide = new_task(hidden_dim=32)
    with pytest.raises(UserError, match=r"adapter of another model: .* have? matrices|matrices"):
        load_adapter(wide.model, folder)
    with pytest.raises(UserError, match="another model: it changes 'gate_proj'"):
        load_adapter(new_task("gpt").model, folder)
    deep = new_task(num_layers=1)
    with pytest.raises(UserError, match="layers.1.mlp.down_proj.lora_A.weight has no place"):
        load_adapter(deep.model, folder)
    for task in (wide, deep):
        assert not updates_of(task.model)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"use_dora": True}, "use_dora = True is not supported"),
        ({"rank_pattern": {"q_proj": 3}}, "rank_pattern"),
        ({"peft_type": "IA3"}, "peft_type must be LORA, got 'IA3'"),
        ({"r": 0}, "r must be an integer from 1"),
        ({"lora_alpha": "x"}, "lora_alpha must be a positive number"),
        ({"target_modules": "all-linear"}, "target_modules must be a list"),
    ],
)
def test_adapter_of_another_kind_is_refused(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    task = adapted()
    save_adapter(task.model, tmp_path)
    path = tmp_path / "adapter_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(UserError, match=message):
        load_adapter(new_task().model, tmp_path)


def test_damaged_adapter_is_refused(tmp_path: Path) -> None:
    task = adapted()
    save_adapter(task.model, tmp_path)
    path = tmp_path / "adapter_model.safetensors"
    tensors = load_file(path)
    name = next(iter(tensors))
    save_file({**tensors, name: np.full_like(tensors[name], np.nan)}, path)
    with pytest.raises(UserError, match="NaN or infinite"):
        load_adapter(new_task().model, tmp_path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(UserError, match="is damaged"):
        load_adapter(new_task().model, tmp_path)
    path.unlink()
    with pytest.raises(UserError, match="is missing"):
        load_adapter(new_task().model, tmp_path)


def test_options_that_contradict_are_refused() -> None:
    task = new_task()
    with pytest.raises(UserError, match="lora_alpha requires lora_rank"):
        task.fit(TEXTS, lora_alpha=3.0, **QUIET)
    with pytest.raises(UserError, match="leave out freeze"):
        task.fit(TEXTS, lora_rank=2, freeze=1, **QUIET)
    with pytest.raises(UserError, match=r"has no 'wq'; choose from all, down_proj"):
        task.fit(TEXTS, lora_rank=2, lora_layers=["wq"], **QUIET)
    task = adapted()
    with pytest.raises(UserError, match="has low-rank updates of rank 2: train with"):
        task.fit(TEXTS, **QUIET)
    with pytest.raises(UserError, match="has low-rank updates of rank 2, alpha 4"):
        task.fit(TEXTS, lora_rank=3, **QUIET)


def test_model_without_projections_is_refused() -> None:
    task = zoo.CausalLM("rnn_lm", "tiny", max_length=16, max_new_tokens=4, units=8)
    with pytest.raises(UserError, match="lora_rank is for Transformer models"):
        task.fit(TEXTS, lora_rank=2, **QUIET)


def test_classifier_trains_its_own_layers_too() -> None:
    rows = [("a fine film", "good"), ("a dull one", "bad"), ("fine", "good"), ("dull", "bad")]
    sizes = {**SIZES, "intermediate_dim": 20}
    task = zoo.TextClassifier("bert", "tiny", max_length=8, tokenizer="characters", **sizes)
    task.adapt(rows)
    backbone = [np.array(w) for w in task.model.backbone.weights]
    task.fit(rows, lora_rank=2, **QUIET)
    names = {w.path for w in task.model.trainable_weights}
    own = {w.path for layer in task.model.own_layers for w in layer.weights}
    assert own and own < names
    updates = {id(w) for each in updates_of(task.model).values() for w in each.weights}
    after = [np.array(w) for w in task.model.backbone.weights if id(w) not in updates]
    for old, new in zip(backbone, after, strict=True):
        np.testing.assert_array_equal(old, new)
