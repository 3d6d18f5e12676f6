"""Sources of the answers of `predict`: an artifact, the LiteRT file of a run, or its weights."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from zoo.cli.artifact_predictions import SEED, Predictions, predictions_of
from zoo.cli.console import load
from zoo.cli.opened_models import is_artifact
from zoo.cli.quick.background import is_allowed, start_making
from zoo.cli.task_predictions import task_predictions
from zoo.cli.tasks import one_task, with_ensemble
from zoo.errors import UserError
from zoo.tasks.answers.ranked_labels import TOP_K

STEPS = "steps"
FIXED = "an artifact has its head and its generation options in it"


@dataclass(frozen=True)
class Asked:
    """What `predict` is asked for.

    Args:
        source: A run folder, an artifact or an address.
        generation: Options of the answers.
        ensemble: Folders of other runs, which answer together.
        head: Name of the task, for a multi-task run.
        candidates: Whether to give all beams.
        chat: Whether the lines are chats.
        ranks: Whether passages are ranked.
        exact: Whether the original weights answer.
        check_digests: See `zoo.load`.
    """

    source: Path
    generation: dict[str, Any]
    ensemble: list[Path] | None = None
    head: str | None = None
    candidates: bool = False
    chat: bool = False
    ranks: bool = False
    exact: bool = False
    check_digests: bool = True

    @property
    def is_plain(self) -> bool:
        """Whether a file of the run may answer."""
        other = self.ensemble or self.head or self.candidates or self.chat or self.ranks
        return not (other or self.exact) and self.check_digests


def open_predictions(asked: Asked, later: Callable[[Callable[[], Any]], Any]) -> Predictions:
    """The predictions of a run or an artifact.

    Args:
        asked: What is asked for.
        later: Has a function called once the answers are given.

    Raises:
        UserError: If it has no such option.
    """
    if is_artifact(asked.source):
        if asked.ensemble:
            raise UserError("--ensemble needs run folders, not an artifact")
        fixed = asked.head or asked.candidates or asked.chat
        others = asked.generation.keys() - {SEED, TOP_K}
        if fixed or others - {STEPS}:
            raise UserError(FIXED)
        model = predictions_of(asked.source, asked.generation)
        if others and not model.targets:
            raise UserError(FIXED)
        return model
    return _of_run(asked, later) if asked.is_plain and is_allowed(os.environ) else _exact(asked)


def _exact(asked: Asked) -> Predictions:
    """The predictions of the weights of a run."""
    task = one_task(load("zoo"), asked.source, asked.head, asked.check_digests)
    task = with_ensemble(task, asked.ensemble, asked.check_digests)
    return task_predictions(task, asked.generation, asked.candidates, asked.chat)


def _of_run(asked: Asked, later: Callable[[Callable[[], Any]], Any]) -> Predictions:
    """The predictions of the file of a run or, without one, of its weights: then it is made."""
    from zoo.cli.quick.answers import QuickAnswers, quick_predictions, takes
    from zoo.cli.quick.place import has_file, identity, is_decided, open_file

    run, model = asked.source, None
    try:
        of = identity(run, check=False)
        may_have = bool(of) and not is_decided(run, of)
        if may_have and has_file(run):
            model = open_file(run, identity(run))
    except UserError:  # a damaged run, of which the weights say more
        may_have = False
    if model is None:
        exact = _exact(asked)
        if may_have:
            later(partial(start_making, run))
        return exact
    quick = quick_predictions(model)
    if quick is None or not takes(model.config["settings"], asked.generation):
        return _exact(asked)
    return QuickAnswers(quick, partial(_exact, asked))
