"""The files that sentence-transformers puts beside an encoder: how vectors of texts are made."""

from typing import Any

from zoo.errors import UserError
from zoo.pretrained.checkpoint import Checkpoint
from zoo.tasks.text_embedder import TextEmbedder

MODULES, LENGTH = "modules.json", "sentence_bert_config.json"
POOLINGS = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}


def settings(checkpoint: Checkpoint) -> dict[str, Any]:
    """What they say of pooling and length; nothing without them.

    Raises:
        UserError: If texts are pooled in a way that `TextEmbedder` has not.
    """
    modules = checkpoint.json(MODULES, default=[{}])
    folders = {each.get("type", "").rpartition(".")[2]: each.get("path") for each in modules}
    if "Pooling" not in folders:
        return {}
    pooling = checkpoint.json(f"{folders['Pooling']}/config.json")
    modes = {key for key, on in pooling.items() if key.startswith("pooling_mode") and on is True}
    if len(modes) != 1 or not modes <= set(POOLINGS):
        raise UserError(f"{checkpoint.folder}: pooling by {sorted(modes)} is not supported")
    found = {"pooling": POOLINGS[modes.pop()], "normalize": "Normalize" in folders}
    length = checkpoint.json(LENGTH, default={}).get("max_seq_length")
    return found | ({"max_length": length} if length else {})


def files(task: TextEmbedder) -> dict[str, Any]:
    """The files of a task, by name."""
    kinds = {"Transformer": "", "Pooling": "1_Pooling", "Normalize": "2_Normalize"}
    if not task.settings["normalize"]:
        del kinds["Normalize"]
    modules = [
        {
            "idx": number,
            "name": str(number),
            "path": path,
            "type": f"sentence_transformers.models.{kind}",
        }
        for number, (kind, path) in enumerate(kinds.items())
    ]
    modes = {key: ours == task.settings["pooling"] for key, ours in POOLINGS.items()}
    return {
        MODULES: modules,
        LENGTH: {"max_seq_length": task.max_length, "do_lower_case": False},
        "1_Pooling/config.json": {"word_embedding_dimension": task.model.state_width, **modes},
    }
