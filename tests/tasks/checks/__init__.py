"""The columns of the contract's table, by hand: name -> check."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.tasks.checks import artifacts, learning, serving, using
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
        thorough: Whether it takes so long that only thorough runs have it.
        others: The mark that it has for the tasks of which little is quick.
        variants: The mark that it has for variants of a case. None if they do not have it, since
            the code of the task decides it, whatever the model.
    """

    function: Callable[[Subject], None]
    thorough: bool = False
    others: str = "thorough"
    variants: str | None = "thorough"


CHECKS = {
    "adapt": Check(learning.adapt),
    "fit": Check(learning.fit),
    "resume": Check(learning.resume, thorough=True, variants=None),
    "save": Check(learning.save_and_load),
    "one row": Check(using.one_row),
    "evaluate": Check(using.evaluate),
    "score": Check(artifacts.score, thorough=True, variants=None),
    "stream": Check(using.stream),
    "maps": Check(using.attention),
    "report": Check(using.report, thorough=True, variants="long"),
    "SavedModel": Check(artifacts.saved_model, thorough=True, variants="long"),
    "XLA": Check(artifacts.compiled, thorough=True, others="long", variants="long"),
    "LiteRT ids": Check(artifacts.litert_ids, thorough=True),
    "LiteRT strings": Check(
        artifacts.litert_strings, thorough=True, others="long", variants="long"
    ),
    "text bytes": Check(artifacts.text_bytes, thorough=True, variants="long"),
    "one shape": Check(artifacts.one_shape, thorough=True, variants="long"),
    "ONNX ids": Check(artifacts.onnx_ids, thorough=True, variants="long"),
    "ONNX bytes": Check(artifacts.onnx_bytes, thorough=True, variants="long", others="long"),
    "served": Check(serving.of_run, thorough=True, variants="long"),
    "served files": Check(serving.of_artifacts, thorough=True, others="long", variants="long"),
    "int8": Check(artifacts.int8, thorough=True, variants="long"),
    "to_pretrained": Check(using.to_pretrained),
    **{f"{COLUMN}: {name}": Check(check, variants=None) for name, check in MISTAKES.items()},
    **{f"{COLUMN}: {name}": Check(check, variants=None) for name, check in OPTIONS.items()},
    **{f"{COLUMN}: {name}": Check(damaged(name), variants=None) for name in DAMAGES},
    **{f"{COLUMN}: {name}": Check(check, variants=None) for name, check in COMMANDS.items()},
}
