"""The columns of the contract's table, by hand: name -> check."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.tasks.checks import artifacts, distributing, learning, serving, tf_serving, using
from tests.tasks.checks.commands import COMMANDS
from tests.tasks.checks.damage import DAMAGES, damaged
from tests.tasks.checks.mistakes import MISTAKES
from tests.tasks.checks.options import OPTIONS
from tests.tasks.harness import Subject
from tests.tasks.table import MISTAKES as COLUMN


@dataclass(frozen=True)
class Check:
    """A column.

    Args:
        function: What is called.
        mark: The mark that it has for the tasks of which most is quick. None if it is quick.
        others: The mark that it has for all other tasks.
        variants: Whether variants of a case have it, too, which is long then. False if the code of
            the task decides it, whatever the model.
    """

    function: Callable[[Subject], None]
    mark: str | None = None
    others: str = "thorough"
    variants: bool = True


def for_releases(function: Callable[[Subject], None], mark: str = "thorough") -> Check:
    """A column that is left to releases, except for the tasks of which most is quick."""
    return Check(function, mark, others="long")


CHECKS = {
    "adapt": Check(learning.adapt),
    "fit": Check(learning.fit),
    "padding": Check(learning.right_padding, variants=False),
    "resume": Check(learning.resume, "thorough", others="long", variants=False),
    "several devices": for_releases(distributing.distributed, "long"),
    "save": Check(learning.save_and_load),
    "one row": Check(using.one_row),
    "evaluate": Check(using.evaluate),
    "score": Check(artifacts.score, "thorough", others="long", variants=False),
    "stream": Check(using.stream),
    "maps": Check(using.attention),
    "report": for_releases(using.report),
    "SavedModel": Check(artifacts.saved_model, "thorough"),
    "XLA": for_releases(artifacts.compiled),
    "LiteRT ids": Check(artifacts.litert_ids, "thorough"),
    "LiteRT strings": for_releases(artifacts.litert_strings),
    "text bytes": for_releases(artifacts.text_bytes),
    "one shape": for_releases(artifacts.one_shape),
    "ONNX ids": for_releases(artifacts.onnx_ids),
    "ONNX bytes": for_releases(artifacts.onnx_bytes),
    "served": for_releases(serving.of_run),
    "served files": for_releases(serving.of_artifacts, "long"),
    "TF Serving": for_releases(tf_serving.requests),
    "in C": for_releases(tf_serving.in_c),
    "saved_model_cli": for_releases(tf_serving.in_saved_model_cli, "long"),
    "streamed files": for_releases(serving.of_streams, "long"),
    "int8": for_releases(artifacts.int8),
    "to_pretrained": Check(using.to_pretrained),
    **{f"{COLUMN}: {name}": Check(check, variants=False) for name, check in MISTAKES.items()},
    **{f"{COLUMN}: {name}": Check(check, variants=False) for name, check in OPTIONS.items()},
    **{f"{COLUMN}: {name}": Check(damaged(name), variants=False) for name in DAMAGES},
    **{f"{COLUMN}: {name}": Check(check, variants=False) for name, check in COMMANDS.items()},
}
