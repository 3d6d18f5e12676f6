"""Tasks created from checkpoints and run folders."""

from pathlib import Path
from typing import Any

from zoo.errors import UserError, reason_of
from zoo.limits import check
from zoo.models.arguments import PositiveInt
from zoo.pretrained import sentences
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.converters import ARCHITECTURES
from zoo.pretrained.gguf_file import GGUFFile, is_gguf
from zoo.pretrained.keras_hub.preset import KerasHubPreset, is_preset
from zoo.pretrained.keras_hub.saved import preset_of
from zoo.pretrained.run_folder import from_run_folder, is_run_folder, length_limit
from zoo.tasks.provenance import checkpoint_digests
from zoo.tasks.task import Task
from zoo.tasks.text_embedder import TextEmbedder


def from_pretrained(path_or_hub_id: Any, task: str | None = None, **settings: Any) -> Task:
    """Creates a task with the tokenizer and the weights of a checkpoint, a preset or a run.

    Source: Devlin et al. 2019 for BERT; Sanh et al. 2019 for DistilBERT; Liu et al. 2019 for
        RoBERTa; Conneau et al. 2020 for XLM-R; Song et al. 2020 for MPNet; Clark et al. 2020 for
        ELECTRA; Warner et al. 2024 for ModernBERT; Reimers & Gurevych 2019 for sentence
        embeddings; Radford et al. 2019 for GPT-2; Lewis et al. 2020 for BART; Raffel et al. 2020
        for T5; Gemma team 2024 and 2025 for Gemma.

    Args:
        path_or_hub_id: One of six: a checkpoint folder with `config.json`, `model.safetensors`
            (or its shards) and `tokenizer.json`, or of other than unigram tokenizers `vocab.txt`
            (WordPiece), or `vocab.json` and `merges.txt` (byte-level BPE); a GGUF file of Llama's
            architecture; the name of a model on the hub; a folder that KerasHub's
            `save_to_preset` wrote; a task of KerasHub in memory; or a run folder, whose weights
            initialize the layers that both models have.
        task: Name of the task: text-embedder, masked-lm, text-classifier, text-regressor,
            text-pair-scorer, token-tagger, question-answering or multi-task for BERT and other
            encoders; causal-lm or text-to-text for GPT-2; causal-lm for Llama and Gemma;
            text-to-text for BART and T5. For a run, any task of its model or of a model with the
            same layers. Defaults to the task of the checkpoint or the run. If the checkpoint has no
            head for a classifier, regressor, tagger or question answering, `adapt` creates one for
            the answers in the training data; call `adapt`, then `fit`.
        **settings: Settings of the task and options of the model, such as `max_length`, `labels` or
            `dropout`.

    Outputs: The task.

    Raises:
        UserError: If the architecture is not supported, a tensor is missing, the vocabulary does
            not match the embedding, or there are no safetensors (pickled weights are never loaded).
            Layers that an architecture may lack, such as BERT's pooler in a masked LM, are
            initialized with random weights, with a warning.

    Example:
        >>> import zoo
        >>> zoo.from_pretrained("/no/such/folder")  # doctest: +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
            ...
        UserError: /no/such/folder is not a checkpoint folder
    """
    if isinstance(path_or_hub_id, str | Path) and is_run_folder(path_or_hub_id):
        return from_run_folder(path_or_hub_id, task, settings)
    try:
        checkpoint = _checkpoint(path_or_hub_id)
        return _from_checkpoint(checkpoint, task, settings)
    except UserError:
        raise
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise UserError(
            f"{path_or_hub_id} is not a valid checkpoint: {reason_of(error)}"
        ) from error


def _checkpoint(source: Any) -> Checkpoint:
    if not isinstance(source, str | Path):
        return preset_of(source)
    if is_gguf(source):
        return GGUFFile(source)
    return KerasHubPreset(source) if is_preset(source) else Checkpoint(source)


def _from_checkpoint(checkpoint: Checkpoint, task: str | None, settings: dict[str, Any]) -> Task:
    architecture = checkpoint.architecture
    if architecture not in ARCHITECTURES:
        raise UserError(
            f"{checkpoint.folder} has the architecture {architecture}; expected one of "
            f"{', '.join(ARCHITECTURES)}"
        )
    converter = ARCHITECTURES[architecture]
    own = converter.task_of(checkpoint)
    name = task or own
    if name not in converter.make:
        raise UserError(
            f"the architecture {architecture} does not support the task {name!r}; choose from "
            f"{', '.join(converter.make)}"
        )
    try:
        options = converter.settings(checkpoint)
    except KeyError as error:
        raise UserError(f"{checkpoint.folder / 'config.json'} lacks {error}") from None
    longest, limit = options.pop("max_sequence_length"), length_limit(name)
    options[limit] = options.pop("usual_length", longest)
    if name == TextEmbedder.name:
        options |= sentences.settings(checkpoint, longest)
    if name == own:
        options |= checkpoint.settings()
    options |= settings
    check(limit, options[limit], PositiveInt)
    if options[limit] > longest:
        raise UserError(f"{limit} must be at most {longest}, got {options[limit]}")
    made = converter.make[name](checkpoint, options)
    made.data = checkpoint_digests(checkpoint.weights_files())
    return made
