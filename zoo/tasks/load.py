"""From a run folder to its task."""

from pathlib import Path

from zoo.errors import UserError
from zoo.tasks.causal_lm import CausalLM
from zoo.tasks.denoising import Denoising
from zoo.tasks.folder import CONFIG, read_config
from zoo.tasks.masked_lm import MaskedLM
from zoo.tasks.multi_task import MultiTask
from zoo.tasks.task import Task
from zoo.tasks.text_classifier import TextClassifier
from zoo.tasks.text_embedder import TextEmbedder
from zoo.tasks.text_to_text import TextToText
from zoo.tasks.token_tagger import TokenTagger

TASKS: dict[str, type[Task]] = {
    task.name: task
    for task in (
        TextToText,
        CausalLM,
        MaskedLM,
        Denoising,
        TextClassifier,
        TokenTagger,
        TextEmbedder,
        MultiTask,
    )
}


def load(folder: str | Path) -> Task:
    """The task that was saved to a folder, or that a training run in it is of.

    Args:
        folder: What `task.save` or `task.fit(folder=...)` wrote.

    Raises:
        UserError: If the folder is no run folder, or damaged.
    """
    name = read_config(Path(folder))["task"]
    if name not in TASKS:
        raise UserError(
            f"{Path(folder) / CONFIG} is of an unknown task {name!r}; known: {', '.join(TASKS)}"
        )
    return TASKS[name].load(folder)
