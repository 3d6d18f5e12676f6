"""Checkpoints written from tasks, which Hugging Face's library can load."""

import json
import shutil
import tempfile
from pathlib import Path

from keras_attn.articles import with_article
from keras_attn.low_rank import merged_updates
from zoo.errors import UserError
from zoo.pretrained.checkpoint import CONFIG, TENSORS
from zoo.pretrained.converter import CheckpointFiles
from zoo.pretrained.converters import CONVERTERS
from zoo.tasks.task import Task


def to_pretrained(task: Task, path: str | Path) -> Path:
    """Writes a task as a Hugging Face checkpoint: configuration, tensors, tokenizer.

    A masked-lm becomes `BertForPreTraining`, a text-classifier, text-regressor or text-pair-scorer
    `BertForSequenceClassification`, a token-tagger `BertForTokenClassification`, a
    question-answering task `BertForQuestionAnswering`, a text-embedder `BertModel` with the files
    of sentence-transformers, or the class of the family that the task came from; a causal-lm
    `GPT2LMHeadModel`, `LlamaForCausalLM` or the class of a relative, such as `Gemma3ForCausalLM`,
    and a text-to-text task `BartForConditionalGeneration` or `T5ForConditionalGeneration`.
    `from_pretrained` can load the checkpoint. Low-rank updates are merged into the kernels.

    Args:
        task: A task whose model and tokenizer exist in Hugging Face's library, such as one that
            `from_pretrained` created and `fit` fine-tuned.
        path: The folder to write, which must not exist. It is written atomically.

    Outputs: The folder.

    Raises:
        UserError: If Hugging Face's library has no such model or tokenizer, or the path exists.

    Example:
        >>> import zoo
        >>> task = zoo.CausalLM("rnn_lm", "tiny")
        >>> zoo.to_pretrained(task, "checkpoint")  # doctest: +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
            ...
        UserError: a causal-lm with the model rnn_lm cannot be converted to Hugging Face; only ...
    """
    path = Path(path)
    if path.exists():
        raise UserError(f"{path} already exists: choose another folder")
    name = task.settings.model
    writers = [each for each in CONVERTERS if each.model == name and task.name in each.write]
    if not writers:
        pairs = dict.fromkeys((kind, each.model) for each in CONVERTERS for kind in each.write)
        known = ", ".join(f"{kind} with {model}" for kind, model in pairs)
        raise UserError(
            f"{with_article(task.name)} with the model {name} cannot be converted to Hugging Face; "
            f"only {known}"
        )
    with merged_updates(task.model):
        # The first one says why the task is none of its checkpoints.
        writer = next((each for each in writers if each.fits(task)), writers[0])
        written = writer.write[task.name](task)
    path.parent.mkdir(parents=True, exist_ok=True)
    own = Path(tempfile.mkdtemp(prefix=f"partial.{path.name}.", dir=path.parent))
    try:
        partial = own / "whole"
        partial.mkdir()  # with the permissions that the user's umask leaves
        _write(written, partial)
        partial.rename(path)
    finally:
        shutil.rmtree(own, ignore_errors=True)
    return path


def _write(written: CheckpointFiles, folder: Path) -> None:
    from safetensors.numpy import save_file

    for name, content in {CONFIG: written.config, **written.files}.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        if isinstance(content, str):
            text = content
        else:
            text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        file.write_text(text, "utf-8")
    # Hugging Face's library requires this entry.
    save_file(written.tensors, folder / TENSORS, metadata={"format": "pt"})
    (folder / TENSORS).chmod((folder / CONFIG).stat().st_mode)  # it was for this user alone
