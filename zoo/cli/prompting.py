"""Interactive prediction: answers each line that is typed on a terminal."""

import sys
from collections.abc import Callable

from zoo.errors import UserError


def answer_each_line(answer: Callable[[str], None]) -> None:
    """Answers each line until the end of the input.

    Args:
        answer: Function that prints the answer to a line. If it raises a `UserError`, the message
            is printed, and the next line is read.
    """
    print("Type a text and press Enter; press Ctrl-D to quit.", file=sys.stderr)
    while True:
        try:
            line = input("> ")
        except (EOFError, KeyboardInterrupt):
            print()
            return
        if not line.strip():
            continue
        try:
            answer(line)
        except UserError as error:
            print(f"keras-attn: {error}", file=sys.stderr)
