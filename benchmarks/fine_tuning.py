"""A checkpoint fine-tuned by transformers on PyTorch, on the files that our own training reads.

    python -m benchmarks.fine_tuning CHECKPOINT train.tsv val.tsv test.tsv --batch-size 14

A file's rows hold a text or a pair of texts, then a label.

The settings are those of docs/results/texts.md for `keras-attn train text-classifier`: linear
schedule after a tenth of the steps, weight decay, learning rates that fall from layer to layer.
"""

import math
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

LONGEST = 128
LEARNING_RATE, LAYER_DECAY, WEIGHT_DECAY, CLIP = 1e-4, 0.9, 0.01, 1.0

Row = list[str]


def read(path: Path) -> list[Row]:
    """The rows of a file, each a text or two and their label."""
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()]


def parameter_groups(model: Any) -> list[dict[str, Any]]:
    """Each parameter with its rate: the lower its layer, the less it learns."""
    layers = model.config.num_hidden_layers

    def depth(name: str) -> int:
        if ".layer." in name:
            return int(name.split(".layer.")[1].split(".")[0]) + 1
        return 0 if ".embeddings." in name else layers + 1

    return [
        {
            "params": [parameter],
            "lr": LEARNING_RATE * LAYER_DECAY ** (layers + 1 - depth(name)),
            "weight_decay": WEIGHT_DECAY if parameter.ndim > 1 else 0.0,
        }
        for name, parameter in model.named_parameters()
    ]


def main(
    checkpoint: Annotated[Path, typer.Argument(help="A BERT encoder in Hugging Face's form.")],
    train: Path,
    val: Path,
    test: Path,
    batch_size: Annotated[int, typer.Option(help="Rows, as many as our batches hold on average.")],
    epochs: int = 4,
    seed: int = 0,
) -> None:
    """Prints loss and accuracies after each epoch."""
    import torch
    import transformers

    torch.manual_seed(seed)
    order = torch.Generator().manual_seed(seed)
    parts = {path: read(path) for path in (train, val, test)}
    labels = sorted({row[-1] for row in parts[train]})
    tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint)
    kind = transformers.AutoModelForSequenceClassification
    model = kind.from_pretrained(checkpoint, num_labels=len(labels))

    def batch(rows: list[Row]) -> dict[str, Any]:
        *texts, told = (list(column) for column in zip(*rows, strict=True))
        how = {"truncation": True, "max_length": LONGEST, "padding": True, "return_tensors": "pt"}
        numbers = torch.tensor([labels.index(label) for label in told])
        return {**tokenizer(*texts, **how), "labels": numbers}

    def accuracy(rows: list[Row]) -> float:
        model.eval()
        right = 0
        for start in range(0, len(rows), 32):
            inputs = batch(rows[start : start + 32])
            with torch.no_grad():
                told = model(**inputs).logits.argmax(-1)
            right += int((told == inputs["labels"]).sum())
        return right / len(rows)

    steps = math.ceil(len(parts[train]) / batch_size) * epochs
    warmup = max(1, steps // 10)
    optimizer = torch.optim.AdamW(parameter_groups(model), eps=1e-7)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warmup, (steps - step) / max(1, steps - warmup))
    )
    for epoch in range(1, epochs + 1):
        model.train()
        losses = []
        chosen = torch.randperm(len(parts[train]), generator=order).tolist()
        shuffled = [parts[train][i] for i in chosen]
        for start in range(0, len(shuffled), batch_size):
            loss = model(**batch(shuffled[start : start + batch_size])).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        scores = f"validation {accuracy(parts[val]):.4f}, test {accuracy(parts[test]):.4f}"
        print(f"epoch {epoch}: loss {np.mean(losses):.4f}, {scores}", flush=True)


if __name__ == "__main__":
    typer.run(main)
