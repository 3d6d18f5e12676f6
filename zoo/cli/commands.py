"""The commands of the program: what the help lists, and modules that are imported on use."""

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from zoo.registry_rows import resolve

# The summary and the import path of each, in the order of `--help`. The help shows the summaries
# without importing the commands, of which `train` alone takes a fifth of a second.
COMMANDS = {
    "inspect": (
        "Show what is in a data file, and which tasks fit it.",
        "zoo.cli.inspecting:inspect",
    ),
    "new": (
        "Look at a data file, try a model on it, and write a recipe for `train`.",
        "zoo.cli.starting:new",
    ),
    "prepare": (
        "Tokenize data that is larger than memory; `keras-attn prepare TASK --help` lists the "
        "options.",
        "zoo.cli.preparing:prepare",
    ),
    "train": (
        "Train a model on your own files; `keras-attn train TASK --help` lists the options.",
        "zoo.cli.training:train",
    ),
    "evaluate": (
        "Compute the metrics of a run on a test file.",
        "zoo.cli.evaluating:evaluate",
    ),
    "predict": (
        "Predict outputs for texts from the command line, a file or standard input.",
        "zoo.cli.predicting:predict",
    ),
    "report": (
        "Write an HTML report of a run: training curves, metrics, predictions and attention maps.",
        "zoo.cli.pages:report",
    ),
    "export": (
        "Export a run to a SavedModel, LiteRT or LiteRT-LM, ONNX, a page or a Hugging Face "
        "checkpoint.",
        "zoo.cli.exporting:export",
    ),
    "search-page": (
        "Write a page that searches documents in the browser: an embedder finds, a reranker sorts.",
        "zoo.cli.searching:search_page",
    ),
    "verify": (
        "Verify an exported artifact again, in a separate process.",
        "zoo.cli.verifying:verify",
    ),
    "serve": (
        "Serve a run or an artifact over HTTP, with a page to try it.",
        "zoo.cli.serving:serve",
    ),
    "import": (
        "Create a run folder from a Hugging Face checkpoint, a GGUF file or a KerasHub preset.",
        "zoo.cli.importing:import_checkpoint",
    ),
    "compare": (
        "Compare two models row by row: the answers that changed, and a paired test.",
        "zoo.cli.comparing:compare",
    ),
    "runs": (
        "List the runs in a folder: data, the options that differ, metrics, time and size.",
        "zoo.cli.run_lists:runs",
    ),
    "models": (
        "List the models, with their presets, tasks and papers, or the options of one.",
        "zoo.cli.listing:models",
    ),
    "recipes": (
        "List training runs that reproduce published results, or show the commands of one.",
        "zoo.cli.recipes:recipes",
    ),
    "bench": (
        "Measure the speed of layers, models and text generation on this machine.",
        "zoo.cli.benching:bench",
    ),
    "demo": (
        "Train a model that reads dates in forty languages, export it, and run the artifacts.",
        "zoo.cli.pages:demo",
    ),
}


class Commands(TyperGroup):
    """A group of commands, each of which is imported when it is called."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for name, (summary, _) in COMMANDS.items():
            self.add_command(TyperCommand(name, help=summary))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that the arguments name, and its own arguments."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if name is None else load_command(name), rest


def load_command(name: str) -> Any:
    """Imports a command.

    Args:
        name: A name from `COMMANDS`.

    Example:
        >>> load_command("models").name
        'models'
    """
    command = resolve(COMMANDS[name][1])
    if not isinstance(command, typer.Typer):
        alone = typer.Typer(
            add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich"
        )
        alone.command(name)(command)
        command = alone
    return typer.main.get_command(command)
