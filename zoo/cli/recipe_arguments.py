"""The arguments of `train` that a recipe stands for: a file, or one that the package has."""

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import Any

from typer.core import TyperGroup

from zoo.errors import UserError
from zoo.nearest import offered
from zoo.recipes import recipe
from zoo.recipes.recipe_file import is_recipe_file, read_recipe_file

RECIPE = "--recipe"
PLACES = ("--data", "--validation", "--out", "--pretrained")  # of a packaged recipe: its author's
REQUIRED = ("--data", "--out")
Argument = tuple[str, str | None]  # an option, and its value; None as that of a flag


class TrainGroup(TyperGroup):
    """The group of the tasks that can be trained; a recipe may stand in place of a task."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        # The completion of a shell asks about commands that are not written to their end.
        with suppress(UserError, OSError) if ctx.resilient_parsing else nullcontext():
            args = self._expanded(args)
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed

    def _expanded(self, args: list[str]) -> list[str]:
        """The arguments with the task and the options that a recipe stands for."""
        name, equals, value = args[0].partition("=") if args else ("", "", "")
        if name == RECIPE:
            value, rest = (value, args[1:]) if equals else (args[1] if args[1:] else "", args[2:])
            return self._packaged(value, rest)
        if name and is_recipe_file(args[0]):
            return self._of_file(args[0], args[1:])
        return args

    def _of_file(self, path: str, rest: list[str]) -> list[str]:
        """The task and the options of a file, and those that are typed, which replace them."""
        known = read_recipe_file(path)
        names = self._names(known.task)
        arguments = known.arguments()
        for name, _ in arguments:
            if name not in names:
                option, *options = (_key(each) for each in (name, *names))
                asked = [each for each in options if not each.startswith("no_")]
                raise UserError(
                    f"{path}: {known.task} has no option {option!r}; {offered(option, asked)}"
                )
        return [known.task, *_replaced(_flags(arguments, names), rest)]

    def _packaged(self, name: str, rest: list[str]) -> list[str]:
        """The task and the options of a recipe of the package, for one's own data.

        Raises:
            UserError: If there is no such recipe, it trains nothing, or data or a folder lack.
        """
        commands = [shlex.split(command) for command in recipe(name).commands]
        trained = [words for words in commands if words[:2] == ["keras-attn", "train"]]
        if not trained:
            raise UserError(f"the recipe {name} has no training of its own; see its commands")
        (_, _, task, *words), *_ = trained
        given = {word.partition("=")[0] for word in rest}
        if not given & {"--help", "-h"}:
            for option in REQUIRED:
                if option not in given:
                    raise UserError(f"the recipe {name} requires {option}")
        arguments = _paired(words, self._names(task))
        if "--pretrained" not in given and any(option == "--pretrained" for option, _ in arguments):
            raise UserError(f"the recipe {name} requires --pretrained, a checkpoint folder")
        held = [
            (option, value)
            for option, value in arguments
            if option not in PLACES or (option == "--validation" and _is_fraction(value))
        ]
        return [task, *_replaced(held, rest)]

    def _names(self, task: str) -> Mapping[str, bool]:
        """The options of a task, and whether each is a flag."""
        command: Any = self.commands[task]
        return {
            name: bool(each.is_flag)
            for each in command.params
            for name in (*each.opts, *each.secondary_opts)
        }


def _flags(arguments: Iterable[Argument], names: Mapping[str, bool]) -> list[Argument]:
    """Options, in which `true` and `false` are as the option takes them: as a flag, or as a value.

    A flag that is false is spelled `--no-name`, or left out.
    """
    chosen: list[Argument] = []
    for name, value in arguments:
        opposite = f"--no-{name.removeprefix('--')}"
        if not names[name]:
            chosen.append((name, "true" if value is None else value))
        elif value != "false":
            chosen.append((name, value))
        elif opposite in names:
            chosen.append((opposite, None))
    return chosen


def _paired(words: Sequence[str], names: Mapping[str, bool]) -> list[Argument]:
    """The words of a command as options with values."""
    chosen: list[Argument] = []
    left = list(words)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if not equals and not names.get(name, False):
            value = left.pop(0) if left else ""
        chosen.append((name, None if names.get(name, False) else value))
    return chosen


def _replaced(arguments: Iterable[Argument], rest: list[str]) -> list[str]:
    """Options, but for those that are typed besides, and the typed ones.

    Several options of a model, which `--set` gives, are all kept: a later one replaces.
    """
    typed = {word.partition("=")[0] for word in rest} - {"--set"}
    typed |= {_opposite(name) for name in typed}
    words = [
        name if value is None else f"{name}={value}"
        for name, value in arguments
        if name not in typed
    ]
    return [*words, *rest]


def _key(option: str) -> str:
    """The key of an option in a recipe file."""
    return option.removeprefix("--").replace("-", "_")


def _opposite(name: str) -> str:
    """The option that says the contrary of a flag.

    Example:
        >>> _opposite("--xla"), _opposite("--no-xla")
        ('--no-xla', '--xla')
    """
    if name.startswith("--no-"):
        return f"--{name.removeprefix('--no-')}"
    return f"--no-{name.removeprefix('--')}"


def _is_fraction(value: str | None) -> bool:
    try:
        return value is not None and 0 < float(value) < 1 and not os.path.exists(value)
    except ValueError:
        return False
