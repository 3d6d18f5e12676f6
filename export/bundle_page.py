"""The page beside a bundle of LiteRT-LM: what it is, and code that runs it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PAGE = """\
# {name}

A language model for LiteRT-LM, with {weights} weights. A prompt and its answer have at most
{max_length} tokens. An answer ends with one of the ids {stop_tokens}.{start}

```python
import litert_lm

with litert_lm.Engine({path!r}) as engine:
{code}
```

`pip install litert-lm-api=={version}` has this runtime for Python. The same file runs on Android
and iOS: see https://github.com/google-ai-edge/LiteRT-LM.
"""
START = " The runtime puts the id {start_token} before each prompt."
CHAT = """\
    with engine.create_conversation() as conversation:
        print(conversation.send_message("What is the capital of France?"))"""
PROMPT = """\
    with engine.create_session(apply_prompt_template=False) as session:
        session.run_prefill(["The capital of France is"])
        print(session.run_decode().texts[0])"""


def bundle_page(name: str, metadata: Mapping[str, Any], quantize: str | None, version: str) -> str:
    """The page, in Markdown.

    Args:
        name: The name of the file.
        metadata: What the runtime has to know of the model.
        quantize: How the weights are stored; None is float32.
        version: The version of the runtime that it was verified with.
    """
    return PAGE.format(
        name=name,
        path=name,
        weights=quantize or "float32",
        max_length=metadata["max_length"],
        stop_tokens=metadata["stop_tokens"],
        start="" if metadata["start_token"] is None else START.format(**metadata),
        code=CHAT if metadata["chat_template"] else PROMPT,
        version=version,
    )
