"""The files that sentence-transformers puts beside an encoder: how vectors of texts are made."""

from typing import Any

from zoo.errors import UserError
from zoo.pretrained.checkpoint import Checkpoint
from zoo.tasks.text_embedder import TextEmbedder

MODULES, LENGTH = "modules.json", "sentence_bert_config.json"
PROMPTS = "config_sentence_transformers.json"
KINDS = ("Transformer", "Pooling", "Normalize")
POOLINGS = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}


def pooled(checkpoint: Checkpoint) -> bool:
    """Whether it is a sentence encoder: vectors are made of its tokens, and not by its pooler."""
    return "Pooling" in _folders(checkpoint)


def lowercase(checkpoint: Checkpoint) -> bool:
    """Whether case goes before the tokenizer sees a text, whatever that does then."""
    return pooled(checkpoint) and bool(_transformer(checkpoint).get("do_lower_case"))


def settings(checkpoint: Checkpoint, longest: int) -> dict[str, Any]:
    """What they say of pooling and length; nothing without them.

    Args:
        checkpoint: The checkpoint.
        longest: The most tokens that its model can see.

    Raises:
        UserError: If vectors are made in a way that `TextEmbedder` has not.
    """
    folders = _folders(checkpoint)
    if "Pooling" not in folders:
        return {}
    for kind in folders:
        if kind not in KINDS:
            raise UserError(
                f"{checkpoint.folder / MODULES}: the module {kind} is not supported; only "
                f"{', '.join(KINDS)}"
            )
    modes = _modes(checkpoint.json(f"{folders['Pooling']}/config.json"))
    if len(modes) != 1 or not set(modes) <= set(POOLINGS.values()):
        raise UserError(f"{checkpoint.folder}: pooling by {modes} is not supported")
    prompt = checkpoint.json(PROMPTS, default={}).get("default_prompt_name")
    if prompt is not None:
        raise UserError(
            f"{checkpoint.folder / PROMPTS}: default_prompt_name = {prompt} is not supported; no "
            "text gets a prompt by itself"
        )
    # Where it is not said here, it is a matter of the tokenizer, which may name no end at all.
    tokenizer = checkpoint.json("tokenizer_config.json", default={})
    length = _transformer(checkpoint).get("max_seq_length")
    return {
        "pooling": modes[0],
        "normalize": "Normalize" in folders,
        "max_length": length or min(tokenizer.get("model_max_length") or longest, longest),
    }


def _folders(checkpoint: Checkpoint) -> dict[str, str]:
    """Where each kind of module is; those of other packages by their whole names."""
    found = {}
    for module in checkpoint.json(MODULES, default=[]):
        package, _, kind = module["type"].rpartition(".")
        own = package.partition(".")[0] == "sentence_transformers"
        found[kind if own else module["type"]] = module["path"]
    return found


def _transformer(checkpoint: Checkpoint) -> dict[str, Any]:
    found: dict[str, Any] = checkpoint.json(LENGTH, default={})
    return found


def _modes(pooling: dict[str, Any]) -> list[str]:
    """The ways of pooling, which newer files name and older ones switch on."""
    named = pooling.get("pooling_mode")
    if named is not None:
        return [named] if isinstance(named, str) else list(named)
    switches = [key for key, on in pooling.items() if key.startswith("pooling_mode_") and on]
    return sorted(POOLINGS.get(key, key) for key in switches)


def files(task: TextEmbedder) -> dict[str, Any]:
    """The files of a task, by name."""
    folders = dict(zip(KINDS, ["", "1_Pooling", "2_Normalize"], strict=True))
    if not task.settings["normalize"]:
        del folders["Normalize"]
    modules = [
        {
            "idx": number,
            "name": str(number),
            "path": path,
            "type": f"sentence_transformers.models.{kind}",
        }
        for number, (kind, path) in enumerate(folders.items())
    ]
    modes = {key: ours == task.settings["pooling"] for key, ours in POOLINGS.items()}
    return {
        MODULES: modules,
        LENGTH: {"max_seq_length": task.max_length, "do_lower_case": False},
        "1_Pooling/config.json": {"word_embedding_dimension": task.model.hidden_dim, **modes},
    }
