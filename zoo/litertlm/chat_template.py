"""Jinja templates of conversations, as LiteRT-LM renders them."""

import json
from collections.abc import Mapping
from types import MappingProxyType

NO_TOKENS: Mapping[str, str] = MappingProxyType({})
# LiteRT-LM passes what a message says as a list of parts.
_JOINED = """\
{%- set joined = namespace(messages=[]) -%}
{%- for message in messages -%}
  {%- if message['content'] is string -%}
    {%- set text = message['content'] -%}
  {%- else -%}
    {%- set text = message['content'] | map(attribute='text') | join('') -%}
  {%- endif -%}
  {%- set joined.messages = joined.messages + [dict(message, content=text)] -%}
{%- endfor -%}
{%- set messages = joined.messages -%}
"""


def with_joined_parts(template: str, tokens: Mapping[str, str] = NO_TOKENS) -> str:
    """A template that takes messages with lists of parts, and joins the texts of each.

    Templates of checkpoints add up `message['content']`, as if it were a text, and name special
    tokens, which LiteRT-LM does not tell them.

    Args:
        template: A Jinja template.
        tokens: The special tokens that it may name, such as `eos_token`.

    Example:
        >>> whole = with_joined_parts("Hi{{ eos_token }}", {"eos_token": "<|im_end|>"})
        >>> whole.partition("\\n")[0], whole.endswith("Hi{{ eos_token }}")
        ('{%- set eos_token = "<|im_end|>" -%}', True)
    """
    named = (f"{{%- set {name} = {json.dumps(token)} -%}}\n" for name, token in tokens.items())
    return "".join(named) + _JOINED + template
