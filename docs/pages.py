"""A page for each public name of `keras_attn`, from its docstring."""

import inspect
import re
import textwrap
from typing import Any

from docs.differences import replaced_layer
from docs.formulas import in_markdown

HEADINGS = ("Source", "Formula", "Args", "Inputs", "Outputs", "Returns", "Raises", "Example")
# Users look for the arguments first, and for the origin last.
ORDER = ("Formula", "Args", "Inputs", "Outputs", "Returns", "Raises", "Example", "Source")
WIDTH = 80  # of a signature
Sections = dict[str, str]


def sections(docstring: str) -> Sections:
    """Splits a docstring by heading, keeping line breaks; text without a heading is under "".

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
    """Removes the common indentation of all lines but the first; keeps paragraphs."""
    rest = textwrap.dedent("\n".join(lines[1:]))
    return re.sub(r"\n{3,}", "\n\n", f"{lines[0]}\n{rest}".strip())


def one_line(text: str) -> str:
    """Joins the lines of a text."""
    return " ".join(text.split())


def signature(thing: Any) -> str:
    """The signature of a class or function, without annotations; a long one in several lines."""
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in inspect.signature(thing).parameters.values()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    short = f"keras_attn.{thing.__name__}{inspect.Signature(parameters)}"
    if len(short) <= WIDTH:
        return short
    inside = short.partition("(")[2].removesuffix(")")
    lines = textwrap.wrap(inside, WIDTH, initial_indent="    ", subsequent_indent="    ")
    return "\n".join([f"keras_attn.{thing.__name__}(", *lines, ")"])


def arguments(text: str) -> str:
    """Formats lines `name: description`, with indented continuation lines, as a list."""
    items = re.split(r"\n(?=\S)", text)
    pairs = (item.partition(":") for item in items if item.strip())
    return "\n".join(f"- `{name.strip()}`: {one_line(about)}" for name, _, about in pairs)


def page(name: str, thing: Any, checks: str) -> str:
    """Formats the page of one public name."""
    about = sections(thing.__doc__ or "")
    theirs = replaced_layer(thing)
    link = "[differences from Keras](../differences-from-keras.md)"
    replaces = [f"Replaces `{theirs}`; see the {link}."] if theirs else []
    parts = [f"# {name}", *replaces, about[""], f"```python\n{signature(thing)}\n```"]
    for heading in ORDER:
        text = about.get(heading)
        if text is None:
            continue
        if heading == "Example":
            parts.append(f"## Example\n\n```python\n{text}\n```")
        elif heading == "Args":
            parts.append(f"## Arguments\n\n{arguments(text)}")
        elif heading == "Raises":
            parts.append(f"## Raises\n\n{arguments(text)}")
        else:
            text = in_markdown(one_line(text)) if heading == "Formula" else one_line(text)
            parts.append(f"## {heading}\n\n{text}")
    if checks:
        parts.append(f"## Checks\n\n{checks} ([layer contract](../contract.md)).")
    parts.append(f"Defined in `{thing.__module__.replace('.', '/')}.py`.")
    return "\n\n".join(parts) + "\n"


def passed(contract: str) -> dict[str, str]:
    """Reads from the contract's table how many checks passed, by name.

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


def pages(things: dict[str, Any], contract: str) -> dict[str, str]:
    """The files of docs/reference/layers and their contents."""
    checks = passed(contract)
    return {f"{name}.md": page(name, thing, checks.get(name, "")) for name, thing in things.items()}
