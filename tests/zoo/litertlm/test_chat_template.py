"""Special tokens that a template names, as LiteRT-LM renders them: without being told."""

import jinja2.sandbox
import pytest

import zoo
from zoo.litertlm.chat_template import with_joined_parts
from zoo.litertlm.tasks import for_litertlm

TEMPLATE = "{% for m in messages %}{{ bos_token }}{{ m['content'] }}{{ eos_token }}{% endfor %}"


def test_tokens_are_those_of_the_tokenizer() -> None:
    task = zoo.CausalLM("llama", "tiny", max_length=24, max_new_tokens=4, num_layers=1)
    task.adapt(["to be or not to be"])
    special, vocabulary = task.tokenizer.special_tokens, task.tokenizer.vocabulary
    start, end = vocabulary[special.start], vocabulary[special.end]
    assert start and end and not task.tokenizer.adds_start
    text = for_litertlm(task, 16, TEMPLATE).rendered([[{"role": "user", "content": "Hi"}]])
    assert text == [f"{start}Hi{end}"]


@pytest.mark.parametrize("token", ["<|im_end|>", 'a"b', "a\\b", "{{ x }}", "%}", "é"])
def test_tokens_are_quoted(token: str) -> None:
    template = with_joined_parts("{% set m = messages %}{{ eos_token }}", {"eos_token": token})
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment()
    assert environment.from_string(template).render(messages=[]) == token
