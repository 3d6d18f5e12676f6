"""`import`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from zoo.cli.console import load
from zoo.errors import UserError


class Kind(StrEnum):
    """What a checkpoint can be made into."""

    TEXT_EMBEDDER = "text-embedder"
    MASKED_LM = "masked-lm"
    TEXT_CLASSIFIER = "text-classifier"
    CAUSAL_LM = "causal-lm"
    TEXT_TO_TEXT = "text-to-text"


def import_checkpoint(
    checkpoint: Annotated[str, typer.Argument(help="A Hugging Face folder, or a name on the hub.")],
    out: Annotated[Path, Option(help="The run folder to write.")],
    task: Annotated[
        Kind | None, Option(help="What to make of it; default what the checkpoint is of.")
    ] = None,
    pairs: Annotated[
        bool, Option("--pairs", help="text-classifier: its labels are of pairs of texts.")
    ] = False,
) -> None:
    """Make a run folder of a Hugging Face checkpoint, to predict with and to export.

    [bold]Examples[/bold]

    \b
      keras-attn import all-MiniLM-L6-v2/ --out runs/minilm
      keras-attn predict runs/minilm "a man in a red hat"
      keras-attn export runs/minilm --format litert --out minilm.tflite --strings
      keras-attn import gpt2/ --out runs/gpt2
      keras-attn import bart-large-cnn/ --out runs/summary
      keras-attn import nli-minilm/ --pairs --out runs/nli
    """
    if (out / "config.json").exists():
        raise UserError(f"{out} holds a run: choose another --out")
    settings = {"pairs": True} if pairs else {}
    made = load("zoo").from_pretrained(checkpoint, None if task is None else str(task), **settings)
    if made.name == "text-classifier" and made.settings["labels"] is None:
        raise UserError(
            f"{checkpoint} knows no labels: learn them by train text-classifier --pretrained"
        )
    made.save(out)
    print(f"{out}: {made.name}, {made.model.count_params():,} parameters")
