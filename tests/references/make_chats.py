"""Writes chats.json: chats as transformers renders them with the templates of checkpoints.

Run it where transformers is installed: python tests/references/make_chats.py
"""

import json
from pathlib import Path

from transformers.utils.chat_template_utils import render_jinja_template

CHATML = (
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] "
    "+ '<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
# In the form of the templates of SmolLM2-Instruct, Llama 2 and Mistral; white space on purpose.
SMOLLM = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are a helpful assistant<|im_end|>\n' }}{% endif %}"
    + CHATML.removeprefix("{% for message in messages %}")
)
BLOCKS = """
{%- if messages[0]['role'] == 'system' %}
    {%- set system = messages[0]['content'] | trim %}
    {%- set rest = messages[1:] %}
{%- else %}
    {%- set rest = messages %}
{%- endif %}
{%- for message in rest %}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('roles must alternate') }}
    {%- endif %}
    {%- if message['role'] == 'user' %}
        {{- '[INST] ' + (system + '\\n' if loop.first and system is defined else '') }}
        {{- message['content'] + ' [/INST]' }}
    {%- else %}
        {{- ' ' + message['content'] | trim + eos_token }}
    {%- endif %}
    {%- if loop.index > 90 %}{% break %}{% endif %}
{%- endfor %}
"""
JSON = "{% for m in messages %}\n  {% if true %}\n{{ m | tojson }}\n  {% endif %}\n{% endfor %}"
CHAT = [
    {"role": "user", "content": 'Hi <b> & "you" – 你好'},
    {"role": "assistant", "content": " Hello!\n"},
    {"role": "user", "content": "Bye"},
]
SYSTEM = [{"role": "system", "content": " Be brief. "}, *CHAT]
CASES = [
    (CHATML, CHAT, True),
    (CHATML, SYSTEM[:3], False),
    (SMOLLM, CHAT, True),
    (BLOCKS, SYSTEM, False),
    (BLOCKS, CHAT[:2], True),
    (JSON, CHAT[:1], True),
]


def main() -> None:
    cases = []
    for template, chat, prompt in CASES:
        texts, _ = render_jinja_template(
            conversations=[chat],
            chat_template=template,
            add_generation_prompt=prompt,
            bos_token="<|im_start|>",
            eos_token="<|im_end|>",
        )
        cases.append({"template": template, "chat": chat, "prompt": prompt, "text": texts[0]})
    text = json.dumps(cases, indent=1, ensure_ascii=False) + "\n"
    (Path(__file__).parent / "chats.json").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
