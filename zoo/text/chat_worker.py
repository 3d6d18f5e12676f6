"""The program that renders chats by a Jinja template, in a process of its own with limits.

It reads a request from standard input and writes the answer to standard output, both as JSON. A
template may come from someone else: it sees values of JSON only, in Jinja's sandbox, and each chat
has limits of time and of characters. Memory is limited where the system can (not on Windows).
"""

import contextlib
import faulthandler
import json
import sys
from collections.abc import Iterator
from datetime import datetime
from typing import Any

SECONDS, CHARACTERS, MEMORY = 2, 1 << 22, 1 << 30  # of a chat, of its text, and of the process
LATE = "Timeout ("  # what standard error has if a chat took longer


class Refused(Exception):
    """A template that is not valid, or a chat that it refuses. The message says why."""


def main() -> None:
    """Answers the request on standard input."""
    request = json.load(sys.stdin)
    _limit_memory()
    try:
        template = _compiled(request["template"])
        answer: dict[str, Any] = {
            "chats": [_segments(template, chat, request) for chat in request["chats"]]
        }
    except Refused as error:
        answer = {"error": str(error)[:300]}
    json.dump(answer, sys.stdout)


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _compiled(source: str) -> Any:
    import jinja2
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols]
    )
    # What templates of Hugging Face's library may call.
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _raise
    environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    try:
        with _in_time():  # Jinja computes constants
            return environment.from_string(source)
    except (jinja2.TemplateError, RecursionError, MemoryError) as error:
        raise Refused(f"is not valid ({error})") from None


def _segments(template: Any, chat: list[dict[str, Any]], request: dict[str, Any]) -> Any:
    """The text of a chat in parts, each with whether it is an answer to learn."""
    tokens = request["tokens"]

    def rendered(messages: list[dict[str, Any]], prompt: bool = False) -> str:
        return _rendered(
            template, {**tokens, "messages": messages, "add_generation_prompt": prompt}
        )

    if request["prompt"]:
        return [[rendered(chat, prompt=True), False]]
    whole, parts, end = rendered(chat), [], 0
    for number, message in enumerate(chat):
        if message["role"] != "assistant":
            continue
        before, after = rendered(chat[:number], prompt=True), rendered(chat[: number + 1])
        if not (whole.startswith(after) and after.startswith(before) and len(before) >= end):
            raise Refused("changes earlier messages, so that answers cannot be told from the rest")
        answer = len(after.rstrip())  # what follows the end of an answer is never generated
        parts += [[whole[end : len(before)], False], [whole[len(before) : answer], True]]
        end = answer
    return [*parts, [whole[end:], False]]


def _rendered(template: Any, values: dict[str, Any]) -> str:
    import jinja2

    pieces, size = [], 0
    try:
        with _in_time():
            for piece in template.generate(**values):
                size += len(piece)
                if size > CHARACTERS:
                    raise Refused(f"writes more than {CHARACTERS:,} characters")
                pieces.append(piece)
    except MemoryError:
        raise Refused("takes too much memory") from None
    except RecursionError:
        raise Refused("calls itself without end") from None
    except (jinja2.TemplateError, TypeError, ValueError, LookupError, ArithmeticError) as error:
        raise Refused(f"failed ({error})") from None
    return "".join(pieces)


@contextlib.contextmanager
def _in_time() -> Iterator[None]:
    """Ends the process after some seconds, on every system and within a single operation, too."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _raise(message: str) -> None:
    import jinja2

    raise jinja2.TemplateError(message)


def _to_json(value: Any, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=False, **options)


if __name__ == "__main__":
    main()
