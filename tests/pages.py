"""The code on a page, run in a process without this library."""

import re
import subprocess
import sys
from pathlib import Path

GUARD = """
import sys
found = {name.partition(".")[0] for name in sys.modules} & {"keras_attn", "zoo", "export"}
assert not found, found
"""


def blocks(page: Path, language: str) -> list[str]:
    """The blocks of code on a page."""
    text = page.read_text("utf-8")
    return code(text, language)


def code(text: str, language: str) -> list[str]:
    """The blocks of code in Markdown."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def said(page: Path, folder: Path) -> list[str]:
    """What each block of Python prints that runs in a folder."""
    script = "\nprint('---')\n".join(blocks(page, "python")) + GUARD
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.split("---\n")
