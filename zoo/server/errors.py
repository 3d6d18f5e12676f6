"""Error responses: a sentence and a status, never a traceback."""

import logging
import re

from zoo.errors import UserError
from zoo.server.limits import RequestError

LOGGER = logging.getLogger(__name__)
TOO_LONG = RequestError("the answer took too long", 504)
# Lines of TensorFlow that say where something failed, and not what.
WHERE = re.compile(
    r"Graph execution error|Detected at node|<stack traces|File \"|\[\[|\d+ root error"
)
NODES = re.compile(r"\s*\{\{[^}]*\}\}\s*|\s*\[Op:[^\]]*\].*|\s*\(\d+\) \w+:\s*")
LONGEST = 300


def error_of(error: BaseException) -> tuple[str, int]:
    """The message and the status of an error."""
    if isinstance(error, RequestError):
        return str(error), error.status
    if isinstance(error, TimeoutError):
        return str(TOO_LONG), TOO_LONG.status
    if isinstance(error, UserError):
        return str(error), 400
    # Of TensorFlow, which is not imported here: what the model refuses, such as a damaged image.
    if type(error).__name__ == "InvalidArgumentError":
        return f"the model refuses the input: {reason(str(error))}", 400
    LOGGER.error("the model failed", exc_info=error)
    return "the model failed; the log of the server has the reason", 500


def reason(message: str) -> str:
    """What an error of TensorFlow says of its reason, in one line.

    Example:
        >>> reason("Graph execution error:\\n\\nDetected at node A defined at:\\n"
        ...        "<stack traces unavailable>\\nassertion failed: [no ids] [Op:__inference_f_3]")
        'assertion failed: [no ids]'
    """
    lines = [NODES.sub(" ", line).strip() for line in message.split("\n") if not WHERE.search(line)]
    return (list(filter(None, lines)) or ["it has no reason"])[0][:LONGEST]
