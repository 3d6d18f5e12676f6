"""The files of sentence-transformers, which configure how texts are converted to vectors."""

from typing import Any

from zoo.errors import UserError
from zoo.pretrained.checkpoint import Checkpoint
from zoo.tasks.text_embedder import TextEmbedder

MODULES, LENGTH = "modules.json", "sentence_bert_config.json"
PROMPTS = "config_sentence_transformers.json"
CLASSES = ("Transformer", "Pooling", "Normalize")
POOLINGS = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}


def is_sentence_encoder(checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint was written by sentence-transformers, which ignores BERT's pooler."""
    return "Pooling" in _folders(checkpoint)


def lowercase(checkpoint: Checkpoint) -> bool:
    """Whether texts are lowercased before tokenization."""
    return is_sentence_encoder(checkpoint) and bool(_transformer(checkpoint).get("do_lower_case"))


def settings(checkpoint: Checkpoint, longest: int) -> dict[str, Any]:
    """Converts the files of a checkpoint to settings of `TextEmbedder`; empty without such files.

    Args:
        checkpoint: The checkpoint.
        longest: Number of positions of the model.

    Raises:
        UserError: If `TextEmbedder` does not support the configuration.
    """
    folders = _folders(checkpoint)
    if "Pooling" not in folders:
        return {}
    for name in folders:
        if name not in CLASSES:
            raise UserError(
                f"{checkpoint.folder / MODULES}: the module {name} is not supported; expected one "
                f"of {', '.join(CLASSES)}"
            )
    modes = _modes(checkpoint.json(f"{folders['Pooling']}/config.json"))
    if len(modes) != 1 or not set(modes) <= set(POOLINGS.values()):
        raise UserError(f"{checkpoint.folder}: the pooling {modes} is not supported")
    prompt = checkpoint.json(PROMPTS, default={}).get("default_prompt_name")
    if prompt is not None:
        raise UserError(
            f"{checkpoint.folder / PROMPTS}: default_prompt_name = {prompt} is not supported; "
            "expected no prompt"
        )
    # The length defaults to that of the tokenizer, which may be infinite.
    tokenizer = checkpoint.json("tokenizer_config.json", default={})
    length = _transformer(checkpoint).get("max_seq_length")
    return {
        "pooling": modes[0],
        "normalize": "Normalize" in folders,
        "max_length": length or min(tokenizer.get("model_max_length") or longest, longest),
    }


def _folders(checkpoint: Checkpoint) -> dict[str, str]:
    """Dictionary from class to folder of each module; classes of other packages are qualified."""
    folders = {}
    for module in checkpoint.json(MODULES, default=[]):
        package, _, name = module["type"].rpartition(".")
        own = package.partition(".")[0] == "sentence_transformers"
        folders[name if own else module["type"]] = module["path"]
    return folders


def _transformer(checkpoint: Checkpoint) -> dict[str, Any]:
    return checkpoint.json(LENGTH, default={})


def _modes(pooling: dict[str, Any]) -> list[str]:
    """The names of the poolings. Newer files list them, older files have a flag for each."""
    named = pooling.get("pooling_mode")
    if named is not None:
        return [named] if isinstance(named, str) else list(named)
    switches = [key for key, on in pooling.items() if key.startswith("pooling_mode_") and on]
    return sorted(POOLINGS.get(key, key) for key in switches)


def files(task: TextEmbedder) -> dict[str, Any]:
    """The contents of the files for a task, by file name."""
    folders = dict(zip(CLASSES, ["", "1_Pooling", "2_Normalize"], strict=True))
    if not task.settings.normalize:
        del folders["Normalize"]
    modules = [
        {
            "idx": number,
            "name": str(number),
            "path": path,
            "type": f"sentence_transformers.models.{name}",
        }
        for number, (name, path) in enumerate(folders.items())
    ]
    modes = {key: ours == task.settings.pooling for key, ours in POOLINGS.items()}
    return {
        MODULES: modules,
        LENGTH: {"max_seq_length": task.settings.max_length, "do_lower_case": False},
        "1_Pooling/config.json": {"word_embedding_dimension": task.model.hidden_dim, **modes},
    }
