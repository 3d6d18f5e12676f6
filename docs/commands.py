"""A page for each command of `keras-attn`, and for each task of `train`, from their help."""

import re
from collections.abc import Iterator
from typing import Any

from zoo.cli.commands import COMMANDS, load_command

NOTE = "The same as `keras-attn {name} --help`; written by `python docs/generate.py`."


def pages() -> dict[str, str]:
    """The files of docs/reference/commands and their contents."""
    found: dict[str, str] = {}
    for name, (summary, _) in COMMANDS.items():
        command = load_command(name)
        if not hasattr(command, "commands"):
            found[f"{name}.md"] = page(name, command)
            continue
        tasks = command.commands
        links = [f"- [{name} {task}]({name}-{task}.md)" for task in tasks]
        parts = [f"# {name}", *paragraphs(command.help or summary), "\n".join(links)]
        found[f"{name}.md"] = "\n\n".join(parts) + "\n"
        found |= {f"{name}-{task}.md": page(f"{name} {task}", tasks[task]) for task in tasks}
    return found


def page(name: str, command: Any) -> str:
    """Formats the help of a command: what it does, examples, and its options by panel."""
    parts = [f"# {name}", *paragraphs(command.help or "")]
    for panel, rows in panels(command, name).items():
        lines = ["| option | meaning |", "| --- | --- |", *rows]
        parts.append(f"## {panel}\n\n" + "\n".join(lines))
    return "\n\n".join([*parts, NOTE.format(name=name)]) + "\n"


def paragraphs(text: str) -> Iterator[str]:
    """Formats the text of a help in Markdown.

    Example:
        >>> list(paragraphs("Adds [bold]two\\nnumbers[/bold].\\n\\n\\b\\n  add 1 2\\n  add 3 4"))
        ['Adds **two numbers**.', '```bash\\nadd 1 2\\nadd 3 4\\n```']
    """
    for block in text.split("\n\n"):
        if block.startswith("\b"):
            lines = [line.removeprefix("  ") for line in block.split("\n")[1:]]
            yield "```bash\n" + "\n".join(lines) + "\n```"
        elif block.strip() == "[bold]Examples[/bold]":
            yield "## Examples"
        elif block.strip():
            yield _plain(block)


def panels(command: Any, name: str) -> dict[str, list[str]]:
    """The rows of tables of options, by the name of the panel that has them."""
    context = command.make_context(name, [], resilient_parsing=True)
    found: dict[str, list[str]] = {}
    for parameter in command.get_params(context):
        if parameter.name == "help" or getattr(parameter, "hidden", False):
            continue
        record = parameter.get_help_record(context)
        if record is None:
            continue
        names, meaning = record
        place = "Arguments" if not parameter.opts[0].startswith("-") else "Options"
        panel = getattr(parameter, "rich_help_panel", None) or place
        row = f"| `{_cell(names)}` | {_cell(_plain(meaning))} |"
        found.setdefault(panel, []).append(row)
    return found


def _plain(text: str) -> str:
    """Joins lines, and sets names of options as code where they are not yet."""
    text = " ".join(re.sub(r"\\\[", "[", re.sub(r"\[/?bold\]", "**", text)).split())
    parts = text.split("`")
    parts[::2] = [re.sub(r"(?<![\w-])(--[a-z][\w-]*)", r"`\1`", part) for part in parts[::2]]
    return "`".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
