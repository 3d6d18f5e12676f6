"""LiteRT-LM, the runtime of bundles, as it answers prompts and conversations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Refused(RuntimeError):
    """The runtime does not answer a prompt."""


class Runtime:
    """A loaded bundle, which answers with the most probable tokens.

    Args:
        engine: The engine of `litert_lm`.
    """

    def __init__(self, engine: Any) -> None:
        import litert_lm

        self._engine = engine
        self._greedy = litert_lm.SamplerConfig(top_k=1, top_p=0.0, temperature=1.0)

    @property
    def stop_tokens(self) -> list[int]:
        """The ids at which an answer ends; each is one token."""
        return [token for tokens in self._engine.eos_token_ids for token in tokens]

    @property
    def start_token(self) -> int | None:
        """The id that is put before each prompt; None if there is none."""
        return self._engine.bos_token_id

    def encode(self, text: str) -> list[int]:
        """The ids of a text."""
        return self._engine.tokenize(text)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids."""
        return self._engine.detokenize(list(ids)) if ids else ""

    def answer(self, prompt: str, count: int) -> str:
        """The text of at most `count` tokens after a prompt.

        Raises:
            Refused: If the prompt does not fit into the caches.
        """
        how = {"apply_prompt_template": False, "max_output_tokens": count}
        with self._engine.create_session(**how, sampler_config=self._greedy) as session:
            try:
                session.run_prefill([prompt])
                texts = session.run_decode().texts
            except RuntimeError as error:
                raise Refused(str(error)) from None
        return texts[0] if texts else ""

    def chat(self, messages: Sequence[dict], count: int) -> tuple[str, str]:
        """The prompt of a conversation, and the text of at most `count` tokens after it.

        Args:
            messages: Its messages, of which the last is the user's.
            count: Maximum number of tokens.
        """
        how = {"messages": list(messages[:-1]), "max_output_tokens": count}
        with self._engine.create_conversation(**how, sampler_config=self._greedy) as talk:
            prompt = talk.render_message_to_string(messages[-1])
            try:
                answer = talk.send_message(messages[-1])
            except RuntimeError as error:
                raise Refused(str(error)) from None
        return prompt, "".join(part["text"] for part in answer.to_json()["content"])


@contextmanager
def running(bundle: Path, threads: int | None = None) -> Iterator[Runtime]:
    """The runtime with a bundle, until the context ends.

    Args:
        bundle: The file.
        threads: Number of threads; None if the runtime chooses.
    """
    import litert_lm

    litert_lm.set_min_log_severity(litert_lm.LogSeverity.ERROR)
    backend = litert_lm.interfaces.CPU(thread_count=threads)
    with litert_lm.Engine(str(bundle), backend=backend, cache_dir=":nocache") as engine:
        yield Runtime(engine)
