"""The command `import`."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from zoo.cli.console import load
from zoo.errors import UserError
from zoo.locking import locked
from zoo.options import values_of
from zoo.tasks.config import is_run


def import_checkpoint(
    checkpoint: Annotated[
        str,
        typer.Argument(
            metavar="CHECKPOINT",
            help="A Hugging Face checkpoint (a folder, or the name of a model on the hub), a GGUF "
            "file, or the folder of a KerasHub preset.",
        ),
    ],
    out: Annotated[Path, Option(metavar="FOLDER", help="Run folder to create.")],
    task: Annotated[
        str | None,
        Option(metavar="TASK", help="Task of the run. Default: the task of the checkpoint."),
    ] = None,
    pairs: Annotated[
        bool,
        Option(
            "--pairs",
            help="The inputs are pairs of texts (text-classifier and text-regressor only; those of "
            "text-pair-scorer always are).",
        ),
    ] = False,
    no_answer: Annotated[
        bool,
        Option(
            "--no-answer",
            help="The model was trained with questions that have no answer, as in SQuAD 2.0, and "
            "gives none where none is more probable than its best one (question-answering only).",
        ),
    ] = False,
    adapter: Annotated[
        Path | None,
        Option(
            metavar="FOLDER",
            help="Low-rank updates for the checkpoint: an adapter in PEFT's format (LoRA), such as "
            "the folder adapter of a run that was trained with --lora-rank.",
        ),
    ] = None,
) -> None:
    """Create a run folder from a Hugging Face checkpoint, a GGUF file or a KerasHub preset.

    The architectures are BERT, GPT-2, BART, T5, Llama, Gemma and their relatives; GGUF files have
    Llama's or Gemma's.

    [bold]Examples[/bold]

    \b
      keras-attn import all-MiniLM-L6-v2/ --out runs/minilm
      keras-attn predict runs/minilm "a man in a red hat"
      keras-attn export runs/minilm --format litert --out minilm.tflite --text bytes
      keras-attn import gpt2/ --out runs/gpt2
      keras-attn import bart-large-cnn/ --out runs/summary
      keras-attn import SmolLM2-135M-Instruct.gguf --out runs/smollm2
      keras-attn import nli-minilm/ --pairs --out runs/nli
      keras-attn import minilm-squad2/ --no-answer --out runs/squad
      keras-attn import SmolLM2-135M-Instruct.gguf --adapter tuned/adapter --out runs/tuned
    """
    if is_run(out):
        raise UserError(f"{out} already contains a run: choose another --out")
    given = {"pairs": pairs, "no_answer": no_answer}
    settings = {name: True for name, is_given in given.items() if is_given}
    zoo = load("zoo")
    load_adapter = load("zoo.training.adapter_files").load_adapter
    with locked(out):
        made = zoo.from_pretrained(checkpoint, task, **settings)
        chosen = values_of(made.settings)
        if not all(chosen.get(name, True) for name in ("labels", "value_names")):
            raise UserError(
                f"{checkpoint} has no head for the task {made.name}: fine-tune it with "
                f"keras-attn train {made.name} --pretrained {checkpoint}"
            )
        if adapter is not None:
            load_adapter(made.model, adapter)
        made.save(out)
    print(f"{out}: {made.name}, {made.model.count_params():,} parameters")
    for name, digest in made.data.items():
        print(f"sha256 of {name}: {digest}")
