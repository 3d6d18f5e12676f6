"""From a checkpoint to the task that it is for."""

from pathlib import Path
from typing import Any

from zoo.errors import UserError
from zoo.models.options import check_type
from zoo.pretrained import sentences
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.converters import ARCHITECTURES
from zoo.pretrained.run_folder import from_run_folder, is_run_folder, length_limit
from zoo.tasks.task import Task
from zoo.tasks.text_embedder import TextEmbedder


def from_pretrained(path_or_hub_id: str | Path, task: str | None = None, **settings: Any) -> Task:
    """A task with the weights and the vocabulary of a Hugging Face checkpoint, or of a run.

    Source: Devlin et al. 2019 for BERT; Reimers & Gurevych 2019 for sentence embeddings; Radford
        et al. 2019 for GPT-2; Lewis et al. 2020 for BART.

    Args:
        path_or_hub_id: A folder with `config.json`, `model.safetensors` (or its shards) and
            `tokenizer.json`, or `vocab.txt` (BERT), or `vocab.json` and `merges.txt` (GPT-2,
            BART); the name of a model on the hub; or a run folder, of which the new task has the
            layers that both models share.
        task: text-embedder, masked-lm, text-classifier, token-tagger, multi-task (BERT), causal-lm
            (GPT-2) or text-to-text (BART, GPT-2), and of a run whatever its model, or one of the
            same layers, is for; default what the checkpoint is of. A classifier or tagger without a
            head of its own learns its labels, and a head, from data: `adapt`, then `fit`.
        **settings: Settings of the task, such as `max_length`, `labels` or `dropout`.

    Outputs: The task.

    Raises:
        UserError: If the architecture is not supported, a tensor is missing, the vocabulary does
            not fit, or there are no safetensors: no pickle is ever loaded. What an architecture
            may lack, as BERT's pooler beside a masked LM, begins at random, with a warning.

    Example:
        >>> import zoo
        >>> zoo.from_pretrained("/no/such/folder")  # doctest: +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
            ...
        UserError: /no/such/folder is no folder with a checkpoint
    """
    if is_run_folder(path_or_hub_id):
        return from_run_folder(path_or_hub_id, task, settings)
    checkpoint = Checkpoint(path_or_hub_id)
    architecture = checkpoint.architecture
    if architecture not in ARCHITECTURES:
        raise UserError(
            f"{checkpoint.folder} is of the architecture {architecture}; supported: "
            f"{', '.join(ARCHITECTURES)}"
        )
    family = ARCHITECTURES[architecture]
    name = task or family.architectures[architecture]
    if name not in family.make:
        raise UserError(
            f"no {name!r} is made of the architecture {architecture}; choose from "
            f"{', '.join(family.make)}"
        )
    try:
        found = family.settings(checkpoint)
    except KeyError as error:
        raise UserError(f"{checkpoint.folder / 'config.json'} lacks {error}") from None
    longest, limit = found.pop("max_sequence_length"), length_limit(name)
    found[limit] = longest
    if name == TextEmbedder.name:
        found |= sentences.settings(checkpoint, longest)
    found |= settings
    check_type(limit, found[limit], int)
    if found[limit] > longest:
        raise UserError(f"{limit} must be at most {longest}, got {found[limit]}")
    return family.make[name](checkpoint, found)
