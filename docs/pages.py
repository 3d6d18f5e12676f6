"""A page for each public name of `keras_attn`, from its docstring, and one that lists them all."""

import inspect
import re
import textwrap
from typing import Any

from docs.formulas import in_markdown

HEADINGS = ("Source", "Formula", "Args", "Inputs", "Outputs", "Returns", "Raises", "Example")
Sections = dict[str, str]


def sections(docstring: str) -> Sections:
    """A docstring by heading, line breaks kept; what stands under none is under "".

    Example:
        >>> sections("Adds one.\\n\\nArgs:\\n    x: it.\\n\\nOutputs: more.\\n\\nNote.")
        {'': 'Adds one.\\n\\nNote.', 'Args': 'x: it.', 'Outputs': 'more.'}
    """
    found: dict[str, list[str]] = {"": []}
    heading = ""
    for line in inspect.cleandoc(docstring).splitlines():
        match = re.match(rf"({'|'.join(HEADINGS)}):(?: |$)", line)
        if match:
            heading = match[1]
            found[heading] = [line[match.end() :]]
        elif heading and line and not line.startswith(" ") and not found[heading][-1]:
            heading = ""
            found[""] += ["", line]
        else:
            found[heading].append(line)
    return {name: _block(lines) for name, lines in found.items()}


def _block(lines: list[str]) -> str:
    """The lines without the indentation that all but the first share, paragraphs kept."""
    rest = textwrap.dedent("\n".join(lines[1:]))
    return re.sub(r"\n{3,}", "\n\n", f"{lines[0]}\n{rest}".strip())


def one_line(text: str) -> str:
    """The text without its line breaks."""
    return " ".join(text.split())


def signature(thing: Any) -> str:
    """How it is made or called, without annotations."""
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in inspect.signature(thing).parameters.values()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    return f"{thing.__name__}{inspect.Signature(parameters)}"


def arguments(text: str) -> str:
    """Lines `name: what it is`, continued by indentation, as a list."""
    items = re.split(r"\n(?=\S)", text)
    pairs = (item.partition(":") for item in items if item.strip())
    return "\n".join(f"- `{name.strip()}`: {one_line(about)}" for name, _, about in pairs)


def page(name: str, thing: Any, checks: str) -> str:
    """The page of one name."""
    about = sections(thing.__doc__ or "")
    parts = [f"# {name}", about.pop(""), f"```python\nkeras_attn.{signature(thing)}\n```"]
    for heading, text in about.items():
        if heading == "Example":
            parts.append(f"## Example\n\n```python\n{text}\n```")
        elif heading == "Args":
            parts.append(f"## Arguments\n\n{arguments(text)}")
        else:
            text = in_markdown(one_line(text)) if heading == "Formula" else one_line(text)
            parts.append(f"## {heading}\n\n{text}")
    if checks:
        parts.append(f"## Checks\n\n{checks} of the [layer contract](../contract.md).")
    parts.append(f"Defined in `{thing.__module__.replace('.', '/')}.py`.")
    return "\n\n".join(parts) + "\n"


def passed(contract: str) -> dict[str, str]:
    """By name: how many checks passed, from the contract's table in Markdown.

    Example:
        >>> passed("| export | a | b |\\n|---|---|---|\\n| GRU | ✓ | n/a |\\n")
        {'GRU': '1 of 1 checks passed, 1 not applicable'}
    """
    found = {}
    for line in contract.splitlines():
        name, *states = [cell.strip() for cell in line.strip("|").split("|")]
        if "✓" in states and {*states} <= {"✓", "n/a", "FAIL", ""}:  # empty: not for its kind
            ticks, skips = states.count("✓"), states.count("n/a")
            found[name] = f"{ticks} of {ticks + states.count('FAIL')} checks passed"
            found[name] += f", {skips} not applicable" if skips else ""
    return found


def index(things: dict[str, Any], checks: dict[str, str]) -> str:
    """A row for each name: formula, source, shapes, checks."""
    lines = [
        "# Layers",
        "",
        "From the docstrings and from a run of the layer contract, by `python docs/generate.py`.",
        "",
        "| name | formula | source | inputs | outputs | checks |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, thing in things.items():
        about = sections(thing.__doc__ or "")
        about.setdefault("Outputs", about.get("Returns", ""))  # of a function
        cells = [one_line(about.get(h, "")) for h in ("Formula", "Source", "Inputs", "Outputs")]
        cells[0] = in_markdown(cells[0])
        row = [f"[{name}]({name}.md)", *cells, checks.get(name, "")]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
    return "\n".join(lines) + "\n"


def pages(things: dict[str, Any], contract: str) -> dict[str, str]:
    """File name -> content, for the folder docs/layers."""
    checks = passed(contract)
    found = {
        f"{name}.md": page(name, thing, checks.get(name, "")) for name, thing in things.items()
    }
    return {"README.md": index(things, checks), **found}
