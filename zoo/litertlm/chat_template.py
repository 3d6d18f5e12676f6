"""Jinja templates of conversations, as LiteRT-LM renders them."""

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


def with_joined_parts(template: str) -> str:
    """A template that takes messages with lists of parts, and joins the texts of each.

    Templates of checkpoints add up `message['content']`, as if it were a text.

    Args:
        template: A Jinja template.

    Example:
        >>> with_joined_parts("Hi").endswith("Hi")
        True
    """
    return _JOINED + template
