"""Writes lora.npz: what PEFT gives for an adapter of the checkpoint of `tiny_llama`.

The adapter is written by PEFT, all its matrices random. Run with transformers, peft and PyTorch
installed: python -m tests.references.make_lora
"""

import tempfile
from pathlib import Path

import numpy as np
import peft
import torch
import transformers
from safetensors.numpy import load_file

from tests.references.make_llama import prompts
from tests.zoo.pretrained import tiny_llama
from tests.zoo.pretrained.tiny_llama import END

TARGETS = ["q_proj", "v_proj", "o_proj", "gate_proj", "down_proj"]

if __name__ == "__main__":
    torch.manual_seed(3)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tiny_llama.write(folder / "base")
        base = transformers.LlamaForCausalLM.from_pretrained(folder / "base").eval()
        config = peft.LoraConfig(
            r=3,
            lora_alpha=5,
            target_modules=TARGETS,
            task_type="CAUSAL_LM",
            init_lora_weights=False,
        )
        model = peft.get_peft_model(base, config).eval()
        ids = prompts()
        with torch.no_grad():
            full = torch.tensor(np.where(ids < 0, END, ids))
            mask = torch.tensor((ids >= 0).astype(int))
            logits = model(full, attention_mask=mask).logits.numpy()
        model.save_pretrained(folder / "adapter")
        tensors = load_file(folder / "adapter" / "adapter_model.safetensors")
        text = (folder / "adapter" / "adapter_config.json").read_text("utf-8")
    np.savez_compressed(
        Path(__file__).with_name("lora.npz"),
        version=np.array(peft.__version__),
        ids=ids,
        config=np.array(text.replace(name, "")),
        logits=logits,
        **{f"tensors/{name}": each for name, each in tensors.items()},
    )
