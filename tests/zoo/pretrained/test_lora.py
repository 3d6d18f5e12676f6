"""Adapters of Llama give what PEFT gives for them."""

import json
from pathlib import Path

import numpy as np
from keras import ops
from safetensors.numpy import load_file, save_file

import zoo
from keras_attn.low_rank import merged_updates
from tests.zoo.pretrained.tiny_llama import write
from zoo.training.adapter_files import load_adapter, save_adapter

REFERENCE = np.load(Path(__file__).parents[2] / "references" / "lora.npz")


def written(folder: Path) -> Path:
    """The adapter that PEFT wrote."""
    folder.mkdir()
    (folder / "adapter_config.json").write_text(str(REFERENCE["config"]), "utf-8")
    save_file(tensors(), folder / "adapter_model.safetensors")
    return folder


def tensors() -> dict[str, np.ndarray]:
    names = [name for name in REFERENCE.files if name.startswith("tensors/")]
    return {name.removeprefix("tensors/"): REFERENCE[name] for name in names}


def test_logits_are_those_of_peft_separate_and_merged(tmp_path: Path) -> None:
    task = zoo.from_pretrained(write(tmp_path / "base"))
    load_adapter(task.model, written(tmp_path / "adapter"))
    ids = REFERENCE["ids"].astype("int32")
    keep = ids >= 0

    def logits() -> np.ndarray:
        inputs = {"token_ids": ids, "padding_mask": keep}
        return np.asarray(ops.convert_to_numpy(task.model(inputs)["logits"]))

    expected = REFERENCE["logits"][keep]
    np.testing.assert_allclose(logits()[keep], expected, atol=1e-4)
    with merged_updates(task.model):
        np.testing.assert_allclose(logits()[keep], expected, atol=1e-4)

    # A checkpoint of it has the merged kernels.
    task = zoo.from_pretrained(zoo.to_pretrained(task, tmp_path / "merged"))
    np.testing.assert_allclose(logits()[keep], expected, atol=1e-4)


def test_written_adapter_is_that_of_peft(tmp_path: Path) -> None:
    task = zoo.from_pretrained(write(tmp_path / "base"))
    load_adapter(task.model, written(tmp_path / "adapter"))
    save_adapter(task.model, tmp_path / "again")
    again = load_file(tmp_path / "again" / "adapter_model.safetensors")
    assert again.keys() == tensors().keys()
    for name, tensor in tensors().items():
        np.testing.assert_array_equal(again[name], tensor, err_msg=name)
    ours = json.loads((tmp_path / "again" / "adapter_config.json").read_text("utf-8"))
    peft = json.loads(str(REFERENCE["config"]))
    for name in ("r", "lora_alpha", "bias", "peft_type", "task_type"):
        assert ours[name] == peft[name]
    assert sorted(ours["target_modules"]) == sorted(peft["target_modules"])
