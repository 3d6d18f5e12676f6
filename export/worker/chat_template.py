"""The prompts that a Jinja template makes of conversations, in a sandbox."""

from __future__ import annotations

import json

from .messages import one_line


def main(job: dict) -> dict:
    """Renders conversations as Hugging Face's library does.

    Args:
        job: "template", and "conversations", each a list of messages with "role" and "content".

    Returns:
        "prompts"; or "error", what is wrong with the template.
    """
    from jinja2 import TemplateError
    from jinja2.exceptions import SecurityError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def refuse(message: str) -> None:
        raise TemplateError(message)

    def to_json(value: object, indent: int | None = None) -> str:
        return json.dumps(value, ensure_ascii=False, indent=indent)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.globals["raise_exception"] = refuse
    environment.filters["tojson"] = to_json
    try:
        template = environment.from_string(job["template"])
        prompts = [
            template.render(messages=messages, add_generation_prompt=True)
            for messages in job["conversations"]
        ]
    except (TemplateError, SecurityError, OverflowError, TypeError, ValueError) as error:
        return {"error": one_line(error)}
    return {"prompts": prompts}
