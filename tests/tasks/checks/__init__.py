"""The columns of the contract's table, by hand: name -> check."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.tasks.checks import artifacts, learning, using
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
        variants: Whether variants of a case have it too; not those checks which the code of the
            task decides, whatever the model.
    """

    function: Callable[[Subject], None]
    thorough: bool = False
    variants: bool = True


CHECKS = {
    "adapt": Check(learning.adapt),
    "fit": Check(learning.fit),
    "resume": Check(learning.resume, thorough=True, variants=False),
    "save": Check(learning.save_and_load),
    "one row": Check(using.one_row),
    "evaluate": Check(using.evaluate),
    "score": Check(artifacts.score, thorough=True, variants=False),
    "stream": Check(using.stream),
    "maps": Check(using.attention),
    "report": Check(using.report, thorough=True),
    "SavedModel": Check(artifacts.saved_model, thorough=True),
    "XLA": Check(artifacts.compiled, thorough=True),
    "LiteRT ids": Check(artifacts.litert_ids, thorough=True),
    "LiteRT strings": Check(artifacts.litert_strings, thorough=True),
    "int8": Check(artifacts.int8, thorough=True),
    "to_pretrained": Check(using.to_pretrained),
    **{f"{COLUMN}: {name}": Check(check, variants=False) for name, check in MISTAKES.items()},
    **{f"{COLUMN}: {name}": Check(check, variants=False) for name, check in OPTIONS.items()},
    **{f"{COLUMN}: {name}": Check(damaged(name), variants=False) for name in DAMAGES},
    **{f"{COLUMN}: {name}": Check(check, variants=False) for name, check in COMMANDS.items()},
}
