"""Documents the options of a task in its docstring, from the dataclasses that declare them."""

import inspect
from typing import TYPE_CHECKING

from zoo.options import Options, defaults_of, facts_of, names_of

if TYPE_CHECKING:
    from zoo.tasks.task import Task

ARGS, TRAINING = "Args:", "Training options (keyword arguments of `fit`):"


def document(task: "type[Task]") -> None:
    """Adds the settings and training options of a task class to its docstring and signature.

    Args:
        task: A subclass of `zoo.tasks.task.Task`. Without a `name`, it is skipped.
    """
    if "name" not in vars(task):
        return
    doc = inspect.cleandoc(task.__doc__ or "")
    model = "    **options: Options of the model; they override the preset."
    settings = [ARGS, *_lines(task.Settings), model]
    training = [TRAINING, *_lines(task.Training)]
    task.__doc__ = "\n".join([doc, "", *settings, "", *training]) + "\n"
    kinds = [inspect.Parameter.POSITIONAL_OR_KEYWORD] * 2
    parameters = [
        inspect.Parameter(name, kind, default=default)
        for (name, default), kind in zip(
            defaults_of(task.Settings).items(),
            [*kinds, *[inspect.Parameter.KEYWORD_ONLY] * len(names_of(task.Settings))],
            strict=False,
        )
    ]
    more = inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD)
    task.__signature__ = inspect.Signature([*parameters, more])  # type: ignore[attr-defined]


def _lines(options: type[Options]) -> list[str]:
    helps = {name: facts_of(options, name)["help"] for name in names_of(options)}
    return [
        f"    {name}: {helps[name]}"
        + ("" if default is None or "Default:" in helps[name] else f" Default: {default!r}.")
        for name, default in defaults_of(options).items()
    ]
