"""What happens to folders of runs: each is told in one sentence."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.tasks import api
from tests.tasks.checks.mistakes import refused
from tests.tasks.harness import Subject


def _cut(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def _unknown_setting(folder: Path) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "widht": 3}))


def _all_cut(folder: Path) -> None:
    for path in folder.rglob("*.*"):
        _cut(path)


LEARNED = "what was learned"  # the folder that the case names

DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "config missing": (lambda folder: (folder / "config.json").unlink(), "config.json"),
    "config cut": (lambda folder: _cut(folder / "config.json"), "config.json"),
    "config unknown": (_unknown_setting, "widht"),
    "tokenizer missing": (shutil.rmtree, LEARNED),
    "tokenizer cut": (_all_cut, LEARNED),
    "weights missing": (lambda folder: (folder / "weights.weights.h5").unlink(), "weights"),
    "weights cut": (lambda folder: _cut(folder / "weights.weights.h5"), "weights.weights.h5"),
}


def damaged(name: str) -> Callable[[Subject], None]:
    """The check of one damage."""

    def check(subject: Subject) -> None:
        harm, part = DAMAGES[name]
        folder = subject.copy(name.replace(" ", "-"))
        learned = subject.case.learned
        harm(folder / learned if part == LEARNED else folder)
        refused(lambda: api.load(folder), learned if part == LEARNED else part)
        shutil.rmtree(folder)

    return check
