"""A training step of transformers on PyTorch; benchmarks/language_model_step.py asks for each.

    python -P language_model_step_peer.py '{"checkpoint": "checkpoint", "threads": 2, ...}'

Imports nothing of this project: it runs in an environment with torch and transformers.
"""

import json
import sys
import time

import torch
import transformers


def main(checkpoint, threads, rate, ids):
    """Writes the loss and the seconds of a step for each line that it reads."""
    torch.set_num_threads(threads)
    kind = transformers.AutoModelForCausalLM
    model = kind.from_pretrained(checkpoint, dtype=torch.float32).train()
    # The optimizer of the library's own trainer.
    optimizer = torch.optim.AdamW(model.parameters(), rate, weight_decay=0.0, fused=True)
    ids = torch.tensor(ids)
    inputs, labels = ids[:, :-1], ids[:, 1:].reshape(-1)
    for _ in sys.stdin:
        used, begin = time.process_time(), time.perf_counter()
        optimizer.zero_grad()
        logits = model(inputs, use_cache=False).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels)
        loss.backward()
        optimizer.step()
        found = loss.item()
        seconds = [time.process_time() - used, time.perf_counter() - begin]
        print(json.dumps([found, *seconds]), flush=True)


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
